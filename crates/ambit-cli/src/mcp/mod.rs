//! `mcp`: the verbs as tools over standard input and output, for programs that speak the Model
//! Context Protocol. This file is the verb, and the life of its process.

mod answers;
mod arguments;
mod identity;
mod pipes;
mod prompts;
mod resources;
mod server;
mod tools;

use std::time::Duration;

use ambit::{Kind, Via};
use clap::Args;
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;

use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;
use identity::Identity;
use pipes::Pipes;
use server::Server;

/// Serve the verbs as tools to an agent, over standard input and output (MCP)
#[derive(Debug, Args)]
#[command(after_help = "Who acts is --as or AMBIT_ACTOR, else the client's own name; a second \
process of the same client is NAME-2.\n\n\
Examples:\n\
\x20 ambit mcp\n\
\x20 ambit mcp --as reviewer --scope review\n\
\x20 claude mcp add ambit -- ambit mcp")]
pub struct Mcp {
    /// Offer the tool `keep` too: settings, log, verify, rebuild, gc, forget, revert, tidy, doctor
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
    pub fn run(&self, session: &Session) -> Result<Output, Failure> {
        let patience = Duration::from_secs(self.patience);
        let session = Session { json: false, via: Via::Mcp, ..session.clone() };
        let offered = tools::Offered { admin: self.admin, nothing: self.nothing };
        let server = Server::new(Identity::new(session), offered);
        // One thread for the protocol; the engine has those of the blocking pool.
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .max_blocking_threads(BLOCKING_THREADS)
            .thread_keep_alive(THREAD_KEPT)
            .build()
            .map_err(|error| failed(&error))?;
        let served = runtime.block_on(serve(server, patience));
        // A call that is under way may end; one that does not is left behind.
        runtime.shutdown_timeout(patience);
        served.map(|()| Output::silent())
    }
}

/// Calls are done one after another, so one thread would do: the other is for what ends late.
const BLOCKING_THREADS: usize = 2;

/// A thread at rest costs less than a new one for every call.
const THREAD_KEPT: Duration = Duration::from_secs(600);

async fn serve(server: Server, patience: Duration) -> Result<(), Failure> {
    let (pipes, written) = Pipes::open(patience).map_err(|error| failed(&error))?;
    match server.serve(pipes).await {
        Ok(running) => {
            if let Err(error) = running.waiting().await {
                eprintln!("ambit mcp: {error}");
            }
        }
        // It left before it began.
        Err(ServerInitializeError::ConnectionClosed(_)) => {}
        Err(error) => {
            written.wait(patience).await;
            return Err(Failure::usage(
                format!("the client did not begin as the protocol asks: {error}"),
                "an MCP client sends `initialize` first; docs/mcp.md shows how to connect one",
            ));
        }
    }
    written.wait(patience).await;
    Ok(())
}

fn failed(error: &std::io::Error) -> Failure {
    Failure {
        kind: Kind::Store,
        message: format!("the server cannot start: {error}"),
        hint: "check the limits of this process: threads and open files".into(),
    }
}
