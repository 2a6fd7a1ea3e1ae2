//! Views: groups of an actor's events. Views form streams, one for each frame they are in.

mod change;
mod events;
mod open;
mod requests;
mod rows;
#[cfg(test)]
mod tests;
mod tidy;

pub(crate) use change::changes;
pub use change::{Change, CurrentView};
pub(crate) use events::end_views;
pub use events::{Fossil, StreamEntry, Tidied, ViewEnded, ViewOpened};
pub use requests::{Tidy, TidyAnswer};
pub use rows::{StreamRow, ViewRow};
