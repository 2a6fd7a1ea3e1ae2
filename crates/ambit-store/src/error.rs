//! The errors of a store.

use std::sync::Arc;

use ambit_core::Refusal;

pub type Result<T> = std::result::Result<T, Error>;

#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// The core refused the command; nothing was written.
    #[error(transparent)]
    Refused(#[from] Refusal),

    #[error("invalid server address: {why}")]
    Address { why: String },

    #[error("cannot copy the store onto itself: {path}")]
    CopyOntoItself { path: String },

    #[error("cannot copy the store to {path}: a store is in use there")]
    CopyInUse { path: String },

    #[error("cannot back up a store in memory: it has no file to copy")]
    MemoryBackup,

    #[error("cannot back up a store on a PostgreSQL server: the server's own tools do that")]
    ServerBackup,

    #[error("there is no vault named {0:?}")]
    NoVault(String),

    #[error("a vault named {0:?} already exists")]
    VaultThere(String),

    /// Another process held the lock for longer than the time-out.
    #[error("the store is busy: another process held it for {waited_ms} ms")]
    Busy { waited_ms: u64 },

    #[error("{path}: {why}")]
    Unusable { path: String, why: String },

    #[error("{path}: the disk is full; nothing was written")]
    Full { path: String },

    #[error("the store's schema is version {found}; this program knows up to {known}")]
    Newer { found: i64, known: i64 },

    /// The stored data contradicts itself.
    #[error("the store is damaged: {0}")]
    Damaged(String),

    #[error("the vault {0:?} is still being imported")]
    Importing(String),

    /// The vault was removed and created again under another number.
    #[error("the vault was replaced during a write")]
    Moved,

    /// A conflict with another transaction: a retry may succeed.
    #[error("conflict with another transaction: {0}")]
    Again(String),

    /// A snapshot was open for too long: it keeps the database from reclaiming old row versions.
    #[error("cannot continue reading: the snapshot was open for longer than {limit_ms} ms")]
    SnapshotOver { limit_ms: u64 },

    /// The connection was lost while an answer was being read.
    #[error("reading was interrupted: {0}")]
    Interrupted(String),

    /// The server could not be reached, or did not answer in time.
    #[error("the database server cannot be reached: {0}")]
    Unreachable(String),

    /// The server answers, but refuses the connection or the request.
    #[error("the database server refused the request: {0}")]
    Server(String),

    /// A commit failed or was not answered, and its outcome could not be determined.
    #[error("connection lost during commit: the outcome is unknown")]
    Lost,

    #[error("the store failed: {0}")]
    Database(#[source] Arc<dyn std::error::Error + Send + Sync>),
}

impl Error {
    pub(crate) fn database(error: impl std::error::Error + Send + Sync + 'static) -> Error {
        Error::Database(Arc::new(error))
    }

    /// Returns whether the error is transient, so a retry may succeed.
    pub(crate) fn is_transient(&self) -> bool {
        matches!(self, Error::Unreachable(_) | Error::Again(_))
    }

    /// Returns whether a single command may have caused the error of its whole transaction: then
    /// the others are tried without it.
    pub(crate) fn may_be_one_commands(&self) -> bool {
        !matches!(
            self,
            Error::NoVault(_)
                | Error::Busy { .. }
                | Error::Importing(_)
                | Error::Unreachable(_)
                | Error::Lost
        )
    }
}
