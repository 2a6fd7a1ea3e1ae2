//! `demo`
use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;
use clap::Args;
/// See what it does, in a few seconds; needs nothing
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ambit demo")]
pub struct Demo {}
impl Demo {
    pub fn run(&self, _session: &Session) -> Result<Output, Failure> {
        Output::new(&serde_json::json!({}), String::new())
    }
}
