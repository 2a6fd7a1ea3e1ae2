//! Export and import: the same bytes from any store, and an incomplete file is never imported.

// Tests and their helpers fail by panicking.
#![allow(clippy::unwrap_used)]

#[path = "transfer/forged.rs"]
mod forged;
#[path = "transfer/hostile.rs"]
mod hostile;
#[path = "transfer/round.rs"]
mod round;
#[path = "transfer/world.rs"]
mod world;
