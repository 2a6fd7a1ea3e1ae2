//! The program as people use it: real processes on real files. One binary for all, since linking
//! costs more than running.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod attention;
mod bad_input;
mod check;
mod completions;
mod demo;
mod envelope;
mod keep;
mod kill;
mod library;
mod mcp;
mod pipes;
mod place;
mod processes;
#[cfg(target_os = "linux")]
mod screen;
mod stories;
mod tamper;

use ambit_testkit::server;
