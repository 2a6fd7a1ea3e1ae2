//! What can go wrong in a store.

use ambit_core::Rejection;

pub type Result<T> = std::result::Result<T, Error>;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The command was turned down; nothing was written.
    #[error(transparent)]
    Rejected(#[from] Rejection),

    #[error("there is no vault named {0:?}")]
    NoVault(String),

    /// It is being imported.
    #[error("the vault {0:?} is being imported")]
    Importing(String),

    #[error("there is a vault named {0:?} already")]
    VaultThere(String),

    /// Another process held the lock for longer than the time-out.
    #[error("the store is busy: another process held it for {waited_ms} ms")]
    Busy { waited_ms: u64 },

    #[error("{path}: {why}")]
    Unusable { path: String, why: String },

    #[error("the store's schema is version {found}; this program knows up to {known}")]
    Newer { found: i64, known: i64 },

    /// What is stored does not fit together.
    #[error("the store is damaged: {0}")]
    Damaged(String),

    #[error("the store failed: {0}")]
    Database(#[source] rusqlite::Error),
}
