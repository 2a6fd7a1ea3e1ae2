//! `mcp`: serves the verbs to an agent.

use std::time::Duration;

use ambit_serve::mcp::{Offered, serve};
use ambit_verbs::{Failure, Session};
use clap::Args;

/// Run an MCP server on standard input and output: an agent calls the verbs as tools
#[derive(Debug, Args)]
#[command(after_help = "The actor is --as or AMBIT_ACTOR, otherwise the client's own name. \
A second process of the same client acts as NAME-2.\n\n\
Examples:\n\
\x20 ambit mcp\n\
\x20 ambit mcp --as reviewer --scope review\n\
\x20 claude mcp add ambit -- ambit mcp")]
pub struct Mcp {
    /// Also offer the tool `keep`: settings, log, verify, rebuild, gc, forget, revert, tidy, doctor
    #[arg(long)]
    pub admin: bool,
    /// How many seconds a client may take to read an answer, and a call to end, before this
    /// process does
    #[arg(long, value_name = "SECONDS", default_value_t = 30, hide = true,
        value_parser = clap::value_parser!(u64).range(1..=3_600))]
    pub patience: u64,
    /// Offer the tool `nothing`, which does nothing: to measure what a call costs by itself
    #[arg(long, hide = true)]
    pub nothing: bool,
}

impl Mcp {
    pub fn run(&self, session: &Session) -> Result<(), Failure> {
        let offered = Offered { admin: self.admin, nothing: self.nothing };
        serve(session, offered, Duration::from_secs(self.patience))
    }
}
