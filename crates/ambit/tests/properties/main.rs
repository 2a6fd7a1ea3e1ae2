//! Random scripts of several actors, run on all stores beside a second, simple model, with every
//! promise checked after every step; and each check shown to fail on corrupted data.
//!
//! `AMBIT_PROPERTY_RUNS` sets how many scripts are run; a failure prints its seed and the least
//! script that still fails.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod conversation;
mod damaged;
mod faults;
mod frames;
