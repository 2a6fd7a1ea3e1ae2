//! Serves the verbs to programs.
//!
//! [`mcp`] implements the Model Context Protocol over standard input and output. Only this crate
//! uses rmcp and tokio.

pub mod mcp;
