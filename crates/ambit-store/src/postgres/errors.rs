//! Classifies a server's errors: whether to retry, and which message to show.

use std::error::Error as StdError;

use tokio_postgres::Error as PgError;
use tokio_postgres::error::{DbError, SqlState};

use crate::Error;

/// Converts an error of the driver.
pub(super) fn failed(error: PgError) -> Error {
    let Some(db) = error.as_db_error() else {
        return without_state(error);
    };
    let said = said(db);
    let server = |why: &str| Error::Server(format!("{why}: {said}"));
    let code = db.code();
    if code.code().starts_with("08") {
        return Error::Unreachable(said);
    }
    match *code {
        // The server is stopping, starting or full, or is a standby that may be promoted.
        SqlState::ADMIN_SHUTDOWN
        | SqlState::CRASH_SHUTDOWN
        | SqlState::CANNOT_CONNECT_NOW
        | SqlState::TOO_MANY_CONNECTIONS
        | SqlState::READ_ONLY_SQL_TRANSACTION
        | SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT => Error::Unreachable(said),
        SqlState::T_R_SERIALIZATION_FAILURE | SqlState::T_R_DEADLOCK_DETECTED => Error::Again(said),
        SqlState::LOCK_NOT_AVAILABLE => Error::Busy { waited_ms: 0 },
        SqlState::QUERY_CANCELED => server("a statement took too long"),
        SqlState::DISK_FULL => server("its disk is full"),
        SqlState::INVALID_PASSWORD | SqlState::INVALID_AUTHORIZATION_SPECIFICATION => {
            server("it rejects the login")
        }
        SqlState::INVALID_CATALOG_NAME => server("the database does not exist"),
        SqlState::INSUFFICIENT_PRIVILEGE => server("the role may not do this"),
        // The connection has lost its settings or its prepared statements.
        SqlState::UNDEFINED_OBJECT if db.message().contains("ambit.mark") => session_lost(),
        SqlState::INVALID_SQL_STATEMENT_NAME | SqlState::DUPLICATE_PSTATEMENT => session_lost(),
        _ => Error::database(Failed { text: said, source: error }),
    }
}

/// Returns the error for a connection that a pooler replaced between two transactions.
pub(super) fn session_lost() -> Error {
    Error::Server(
        "a connection lost its settings and prepared statements: a pooler in transaction or \
         statement mode is in between; set it to session mode, or connect to the server directly"
            .into(),
    )
}

/// Returns the server's message with its SQLSTATE.
fn said(db: &DbError) -> String {
    let detail = db.detail().map_or_else(String::new, |detail| format!("; {detail}"));
    format!("{}{detail} (SQLSTATE {})", db.message(), db.code().code())
}

/// Converts an error to one with a full message: the driver's own text is only a kind ("db error").
#[derive(Debug, thiserror::Error)]
#[error("{text}")]
struct Failed {
    text: String,
    source: PgError,
}

/// The driver's errors that mean a lost connection. Their text is the only sign of their kind.
const CONNECTION: [&str; 5] = [
    "connection closed",
    "error communicating with the server",
    "error connecting to server",
    "timeout waiting for server",
    "unexpected message from server",
];

/// Converts an error that the server did not send: of the connection, or of the client.
fn without_state(error: PgError) -> Error {
    let text = error.to_string();
    let cause = error.source().map(ToString::to_string);
    if error.is_closed() || CONNECTION.iter().any(|kind| text.starts_with(kind)) {
        return Error::Unreachable(cause.unwrap_or(text));
    }
    if text.starts_with("error performing TLS handshake") {
        let cause = cause.unwrap_or(text);
        return Error::Server(format!("cannot establish a TLS connection: {cause}"));
    }
    let text = cause.map_or_else(|| text.clone(), |cause| format!("{text}: {cause}"));
    Error::database(Failed { text, source: error })
}
