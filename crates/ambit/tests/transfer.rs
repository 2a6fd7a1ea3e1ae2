//! Export and import: the same bytes out of any store, and nothing into one that is not whole.

// A test that cannot go on says so by a panic, in its helpers too.
#![allow(clippy::unwrap_used)]

#[path = "transfer/forged.rs"]
mod forged;
#[path = "transfer/hostile.rs"]
mod hostile;
#[path = "transfer/round.rs"]
mod round;
#[path = "transfer/world.rs"]
mod world;
