//! Shared test code, never shipped: random scripts with independent models, stores to run them on,
//! a test store that corrupts decisions, and PostgreSQL for tests.

#![allow(clippy::unwrap_used, clippy::expect_used)]

pub mod chance;
pub mod conversation;
pub mod fault;
pub mod frames;
pub mod harness;
pub mod server;
pub mod stores;
pub mod test_store;
