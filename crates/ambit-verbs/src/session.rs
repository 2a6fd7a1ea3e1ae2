//! A session: which store, which vault, who acts, who asks, and how to answer.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ambit::{ActorKind, Caller, Engine, Kind, Location, Via};

use crate::failure::Failure;
use crate::words::Interface;

/// What a verb runs in.
#[derive(Clone)]
pub struct Session {
    /// The answer goes out as JSON.
    pub json: bool,
    /// The width of the terminal that shows the text, 0 if the width is unknown; `None` if the
    /// text does not go to a terminal.
    pub screen: Option<u16>,
    /// The folder that paths are relative to and the search for a store starts from.
    pub folder: Option<PathBuf>,
    /// The store, if one was named.
    pub store: Option<String>,
    pub vault: String,
    pub actor: String,
    /// Whether the actor was named, instead of defaulting to the user's name.
    pub named: bool,
    /// The kind of a new actor, if it was named.
    pub kind: Option<ActorKind>,
    pub via: Via,
    /// The scope to work in, from the flag or from the environment.
    pub scope: Option<String>,
    /// The scope from the flag only: the environment never changes a setting of a scope.
    pub scope_flag: Option<String>,
    /// The open store, if it stays open from one verb to the next.
    pub opened: Option<Engine>,
    /// Shows how far a long verb is.
    pub progress: Option<Arc<ShowProgress>>,
}

/// Draws progress, or passes it on.
pub type ShowProgress = dyn Fn(Progress<'_>) + Send + Sync;

/// How far a long verb is.
#[derive(Clone, Copy, Debug)]
pub enum Progress<'a> {
    /// A step whose length is unknown.
    Working(&'a str),
    Bytes {
        what: &'static str,
        done: u64,
        total: u64,
    },
    Events {
        what: &'static str,
        done: i64,
        total: i64,
    },
}

impl Session {
    /// The folder that the session works in.
    pub fn folder(&self) -> Result<&Path, Failure> {
        self.folder.as_deref().ok_or_else(|| {
            let message = "cannot find the current folder";
            Failure::new(Kind::Store, message, "change to a folder that exists")
        })
    }

    /// Where the store is: as named, or found upwards from the session's folder.
    pub fn location(&self) -> Result<Location, Failure> {
        match &self.store {
            Some(store) => Ok(Location::parse(store)?),
            None => Ok(Location::find(self.folder()?)?),
        }
    }

    pub fn engine(&self) -> Result<Engine, Failure> {
        let engine = match &self.opened {
            Some(engine) => engine.clone(),
            None => Engine::open(&self.location()?)?,
        };
        self.check_kind(&engine)?;
        Ok(engine)
    }

    /// Refuses another kind than the actor has: its first change settled the kind, and ignoring
    /// the flag would give the actor rights that nobody meant.
    fn check_kind(&self, engine: &Engine) -> Result<(), Failure> {
        let Some(kind) = self.kind else { return Ok(()) };
        let here = engine.where_am_i(&Caller { scope: None, ..self.caller() });
        match here {
            Ok(here) if here.registered && here.kind != kind.as_str() => {
                let message = format!("{:?} is {}, not {}", here.actor, here.kind, kind.as_str());
                let hint = "its first change settled that: do not name a kind, or choose another \
                            actor";
                Err(Failure::new(Kind::Conflict, message, hint))
            }
            _ => Ok(()),
        }
    }

    /// Who calls, for verbs that work in a scope.
    pub fn caller(&self) -> Caller {
        let mut caller = Caller::new(&self.actor);
        caller.vault.clone_from(&self.vault);
        caller.kind = self.kind.unwrap_or(match self.via {
            Via::Mcp => ActorKind::Agent,
            _ => ActorKind::Operator,
        });
        caller.via = self.via;
        caller.scope.clone_from(&self.scope);
        caller
    }

    /// Where the answer is shown.
    pub(crate) fn interface(&self) -> Interface {
        self.via.into()
    }

    /// Reports the verb's progress.
    pub fn report(&self, progress: Progress<'_>) {
        if let Some(show) = &self.progress {
            show(progress);
        }
    }
}
