//! Random scripts of several actors, run on all stores and compared with a second, simple model.
//! Every promise is checked after every step, and each check is shown to fail on corrupted data.
//!
//! `AMBIT_PROPERTY_RUNS` sets the number of scripts; a failure prints its seed and the smallest
//! script that still fails.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod conversation;
mod damaged;
mod faults;
mod frames;
