//! Errors as callers see them: a kind, and a sentence that states the cause.

use ambit_core::{Code, Refusal};

use crate::refusal::{FileRefusal, ForgetRefusal, InputRefusal, PartRefusal, QuestionRefusal};

pub type Result<T> = std::result::Result<T, Error>;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Store(#[from] ambit_store::Error),

    #[error(transparent)]
    Question(#[from] QuestionRefusal),

    #[error(transparent)]
    Part(#[from] PartRefusal),

    #[error(transparent)]
    Forget(#[from] ForgetRefusal),

    #[error(transparent)]
    Input(#[from] InputRefusal),

    #[error(transparent)]
    File(#[from] FileRefusal),

    #[error("{what}: {source}")]
    Io { what: String, source: std::io::Error },

    #[error("no store was found here or in a folder above")]
    NoStore,

    #[error("there is no store at {0}")]
    NoStoreAt(crate::Location),
}

/// The kinds of error, one for each exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Bug,
    Usage,
    NotFound,
    Conflict,
    Refused,
    Store,
    Busy,
}

impl From<Code> for Kind {
    fn from(code: Code) -> Self {
        match code {
            Code::Usage => Kind::Usage,
            Code::NotFound => Kind::NotFound,
            Code::Conflict => Kind::Conflict,
            Code::Refused => Kind::Refused,
        }
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        Error::Store(refusal.into())
    }
}

impl Error {
    pub(crate) fn io(what: impl Into<String>, source: std::io::Error) -> Self {
        Error::Io { what: what.into(), source }
    }

    /// Returns the error for stored data that is inconsistent or missing.
    pub(crate) fn damaged(what: impl Into<String>) -> Self {
        Error::Store(ambit_store::Error::Damaged(what.into()))
    }

    pub fn kind(&self) -> Kind {
        match self {
            Error::Store(error) => kind_of(error),
            Error::Question(refusal) => refusal.code().into(),
            Error::Part(_) => Kind::Usage,
            Error::Forget(refusal) => refusal.code().into(),
            Error::Input(refusal) => refusal.code().into(),
            Error::File(refusal) => refusal.code().into(),
            Error::NoStore | Error::NoStoreAt(_) => Kind::NotFound,
            Error::Io { .. } => Kind::Store,
        }
    }
}

fn kind_of(error: &ambit_store::Error) -> Kind {
    use ambit_store::Error as S;
    match error {
        S::Refused(refusal) => refusal.code().into(),
        S::NoVault(_) => Kind::NotFound,
        S::Busy { .. } => Kind::Busy,
        S::Address { .. } | S::CopyOntoItself { .. } => Kind::Usage,
        S::Importing(_) | S::VaultThere(_) | S::CopyInUse { .. } => Kind::Conflict,
        S::MemoryBackup | S::ServerBackup => Kind::Refused,
        S::Unusable { .. }
        | S::Full { .. }
        | S::Newer { .. }
        | S::Damaged(_)
        | S::Moved
        | S::Again(_)
        | S::SnapshotOver { .. }
        | S::Interrupted(_)
        | S::Unreachable(_)
        | S::Server(_)
        | S::Lost
        | S::Database(_) => Kind::Store,
    }
}
