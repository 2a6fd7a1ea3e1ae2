//! What a server's errors mean: whether to try again, and what to tell the person who sees them.

use tokio_postgres::error::SqlState;

use crate::Error;

/// What an error of the driver means.
pub(super) fn failed(error: tokio_postgres::Error) -> Error {
    let Some(db) = error.as_db_error() else {
        return without_word(error);
    };
    let server = |why: &str| Error::Server(format!("{why}: {}", db.message()));
    let code = db.code();
    if code.code().starts_with("08") {
        return Error::Unreachable(db.message().to_string());
    }
    match *code {
        // It is going down, coming up, full for the moment, or a standby that may be promoted.
        SqlState::ADMIN_SHUTDOWN
        | SqlState::CRASH_SHUTDOWN
        | SqlState::CANNOT_CONNECT_NOW
        | SqlState::TOO_MANY_CONNECTIONS
        | SqlState::READ_ONLY_SQL_TRANSACTION
        | SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT => {
            Error::Unreachable(db.message().to_string())
        }
        SqlState::T_R_SERIALIZATION_FAILURE | SqlState::T_R_DEADLOCK_DETECTED => {
            Error::Again(db.message().to_string())
        }
        SqlState::LOCK_NOT_AVAILABLE => Error::Busy { waited_ms: 0 },
        SqlState::QUERY_CANCELED => server("it took too long"),
        SqlState::DISK_FULL => server("its disk is full; nothing was written"),
        SqlState::INVALID_PASSWORD | SqlState::INVALID_AUTHORIZATION_SPECIFICATION => {
            server("it does not let us in")
        }
        SqlState::INVALID_CATALOG_NAME => server("there is no such database"),
        SqlState::INSUFFICIENT_PRIVILEGE => server("the role may not do this"),
        _ => Error::database(error),
    }
}

/// The driver names the kinds of its errors in their texts alone.
const CONNECTION: [&str; 5] = [
    "connection closed",
    "error communicating with the server",
    "error connecting to server",
    "timeout waiting for server",
    "unexpected message from server",
];

/// An error that is not the server's: the connection itself, or ours.
fn without_word(error: tokio_postgres::Error) -> Error {
    let text = error.to_string();
    if error.is_closed() || CONNECTION.iter().any(|kind| text.starts_with(kind)) {
        return Error::Unreachable(said(&error));
    }
    if text.starts_with("error performing TLS handshake") {
        return Error::Server(format!("it cannot be spoken to privately: {}", said(&error)));
    }
    Error::database(error)
}

/// An error with its cause: the driver's own text says little.
fn said(error: &tokio_postgres::Error) -> String {
    match std::error::Error::source(error) {
        Some(source) => source.to_string(),
        None => error.to_string(),
    }
}
