//! Errors as callers see them: a kind, a message that names the cause, and a hint what to do.

use ambit_core::{Code, Rejection};

pub type Result<T> = std::result::Result<T, Error>;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Store(#[from] ambit_store::Error),

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

impl From<Rejection> for Error {
    fn from(rejection: Rejection) -> Self {
        Error::Store(rejection.into())
    }
}

impl Error {
    pub(crate) fn io(what: impl Into<String>, source: std::io::Error) -> Self {
        Error::Io { what: what.into(), source }
    }

    pub fn kind(&self) -> Kind {
        use ambit_store::Error as S;
        match self {
            Error::Store(S::Rejected(rejection)) => match rejection.code {
                Code::Usage => Kind::Usage,
                Code::NotFound => Kind::NotFound,
                Code::Conflict => Kind::Conflict,
                Code::Refused => Kind::Refused,
            },
            Error::Store(S::NoVault(_)) | Error::NoStore | Error::NoStoreAt(_) => Kind::NotFound,
            Error::Store(S::Busy { .. }) => Kind::Busy,
            Error::Store(S::Importing(_) | S::VaultThere(_)) => Kind::Conflict,
            Error::Store(_) => Kind::Store,
            Error::Io { .. } => Kind::Store,
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> String {
        use ambit_store::Error as S;
        match self {
            Error::Store(S::Rejected(rejection)) => rejection.hint.clone(),
            Error::Store(S::NoVault(name)) => format!("`ambit init --vault {name}` creates it"),
            Error::NoStoreAt(location) => format!("`ambit init --store '{location}'` creates it"),
            Error::NoStore => {
                "`ambit init` creates one here; --store or AMBIT_STORE names another".into()
            }
            Error::Store(S::Busy { .. }) => "nothing was changed: try again".into(),
            Error::Store(S::Full { .. }) => {
                "make room on that disk and try again: what was stored before is all there".into()
            }
            Error::Store(S::Newer { .. }) => "upgrade ambit: the store is left as it is".into(),
            Error::Store(S::Damaged(_)) => {
                "`ambit verify` says what is wrong: `ambit rebuild` mends rows, a backup all else"
                    .into()
            }
            Error::Store(S::Unusable { .. }) => {
                "check the path, its permissions and the disk; `ambit init` creates a store".into()
            }
            Error::Store(S::Importing(name)) => format!(
                "finish it with the same `ambit import`, or remove what is there of it: \
                 `ambit import --abandon --vault {name}`"
            ),
            Error::Store(S::VaultThere(_)) => {
                "import it into a new one: `ambit import FILE --vault NAME`".into()
            }
            Error::Store(S::Unreachable(_)) => {
                "check the address and that the server runs; nothing was changed".into()
            }
            Error::Store(S::Server(_)) => {
                "nothing was changed: check user, password, database, sslmode and the role's \
                 rights; docs/operations.md says which it needs"
                    .into()
            }
            Error::Store(S::Lost) => {
                "`ambit log` shows whether it is there; with --key the call can be repeated safely"
                    .into()
            }
            Error::Store(S::Moved | S::Again(_) | S::Interrupted(_)) => {
                "nothing was changed: try again".into()
            }
            Error::Store(S::SnapshotOver { .. }) => {
                "nothing was changed; read less at a time, or when the machine is less busy".into()
            }
            Error::Store(S::Database(_)) => "nothing was changed; `ambit verify` checks it".into(),
            Error::Io { .. } => "check the path, its permissions and the disk".into(),
        }
    }
}
