//! Actors: operators, agents and subagents.

mod change;
mod events;
mod rows;
mod state;

pub use change::Change;
pub use events::Registered;
pub use rows::ActorRow;
