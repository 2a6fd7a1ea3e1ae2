//! Serves the verbs to programs.
//!
//! [`mcp`] speaks the Model Context Protocol over standard input and output. This crate alone knows
//! rmcp and tokio.

pub mod mcp;
