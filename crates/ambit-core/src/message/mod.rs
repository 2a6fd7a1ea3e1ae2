//! Messages: turns, the calls that wait for replies, and what hides them.

mod change;
mod events;
mod rows;

pub use change::Change;
pub use events::{Appended, Block, Carried, Cleared, Move, Rewound};
pub use rows::{OpenCallRow, TurnRow};
