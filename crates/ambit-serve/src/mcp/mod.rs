//! An MCP server over standard input and output: the verbs as tools. This file starts and ends the
//! process.

mod identity;
mod pipes;
mod prompts;
mod resources;
mod server;
mod tools;

use std::time::Duration;

use ambit::{Kind, Via};
use ambit_verbs::{Failure, Session};
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;

use identity::Identity;
use pipes::Pipes;
use server::Server;
pub use tools::Offered;

/// Serves until the client disconnects. A client that does not read an answer, or a call that does
/// not end, times out after `patience`.
pub fn serve(session: &Session, offered: Offered, patience: Duration) -> Result<(), Failure> {
    let session = Session { json: false, screen: None, via: Via::Mcp, ..session.clone() };
    let server = Server::new(Identity::new(session), offered);
    // One thread for the protocol; the engine uses the blocking pool.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .max_blocking_threads(BLOCKING_THREADS)
        .thread_keep_alive(THREAD_KEPT)
        .build()
        .map_err(|error| failed(&error))?;
    let served = runtime.block_on(answer(server, patience));
    // A running call may finish; one that exceeds the timeout is dropped.
    runtime.shutdown_timeout(patience);
    served
}

/// Calls run one after another and need one thread; the second is for calls that end late.
const BLOCKING_THREADS: usize = 2;

/// An idle thread costs less than a new one for every call.
const THREAD_KEPT: Duration = Duration::from_secs(600);

async fn answer(server: Server, patience: Duration) -> Result<(), Failure> {
    let (pipes, written) = Pipes::open(patience).map_err(|error| failed(&error))?;
    match server.serve(pipes).await {
        Ok(running) => {
            if let Err(error) = running.waiting().await {
                eprintln!("ambit mcp: {error}");
            }
        }
        // The client disconnected before the handshake.
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
    let hint = "check the limits of this process: threads and open files";
    Failure::new(Kind::Store, format!("cannot start the server: {error}"), hint)
}
