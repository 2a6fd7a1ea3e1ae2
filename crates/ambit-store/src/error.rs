//! What can go wrong in a store.

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

    #[error("there is a vault named {0:?} already")]
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

    /// What is stored does not fit together.
    #[error("the store is damaged: {0}")]
    Damaged(String),

    #[error("the vault {0:?} is still being imported")]
    Importing(String),

    /// The vault was removed and created again under another number.
    #[error("the vault was replaced in the middle of a write")]
    Moved,

    /// Another transaction was in the way: the same again may well succeed.
    #[error("another transaction was in the way: {0}")]
    Again(String),

    /// A snapshot keeps what others have written since from being put in its place.
    #[error("reading took longer than {limit_ms} ms, and was ended")]
    SnapshotOver { limit_ms: u64 },

    /// The connection broke in the middle of an answer.
    #[error("reading was interrupted: {0}")]
    Interrupted(String),

    /// The server could not be reached for this long, or never answered.
    #[error("the database server cannot be reached: {0}")]
    Unreachable(String),

    /// The server answers, and turns us away.
    #[error("the database server turns this down: {0}")]
    Server(String),

    /// A commit failed or was not answered, and it cannot be found out whether it was made.
    #[error("connection lost during commit: the outcome is unknown")]
    Lost,

    #[error("the store failed: {0}")]
    Database(#[source] Arc<dyn std::error::Error + Send + Sync>),
}

impl Error {
    pub(crate) fn database(error: impl std::error::Error + Send + Sync + 'static) -> Error {
        Error::Database(Arc::new(error))
    }

    /// Whether it passes by itself, so that the same may be tried again.
    pub(crate) fn passes(&self) -> bool {
        matches!(self, Error::Unreachable(_) | Error::Again(_))
    }

    /// Whether one command of several in a transaction may have brought it about, so that the
    /// others should be tried without it.
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
