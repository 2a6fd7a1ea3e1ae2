//! `ambit mcp` as a client sees it: a real process, spoken to over its pipes (S1-29).

pub mod client;
mod hostile;
mod listed;
mod python;
mod several;
pub mod stories;
mod tools;
mod versions;
