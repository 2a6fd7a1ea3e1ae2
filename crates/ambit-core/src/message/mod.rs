//! Messages: turns, open calls, and the commands that append, carry and hide them.

mod append;
mod carry;
mod change;
mod events;
mod requests;
mod rewind;
mod rows;
mod state;
#[cfg(test)]
mod tests;

pub use change::Change;
pub use events::{Appended, Block, Carried, Cleared, Move, Rewound};
pub use requests::{Append, AppendAnswer, Rewind, RewindAnswer};
pub use rows::{OpenCallRow, TurnRow};
pub use state::{BatchSize, ChainItem, TurnPlace};
