//! One run of the program: which store, which vault, who acts, and how to answer.

use std::ffi::OsString;
use std::path::PathBuf;

use ambit::{ActorKind, Caller, Engine, Location, Via, rfc3339};

use crate::cli::Globals;
use crate::failure::Failure;

/// The environment variables that are heeded.
pub const STORE: &str = "AMBIT_STORE";
pub const VAULT: &str = "AMBIT_VAULT";
pub const ACTOR: &str = "AMBIT_ACTOR";
pub const SCOPE: &str = "AMBIT_SCOPE";

/// What flags and environment come to, flags first.
#[derive(Clone)]
pub struct Session {
    pub json: bool,
    pub store: Option<String>,
    pub vault: String,
    pub actor: String,
    /// Whether somebody said who acts, or it is only the user's name.
    pub named: bool,
    /// What the actor becomes at its first change, where it was said.
    pub kind: Option<ActorKind>,
    pub via: Via,
    /// From the flag, or from the environment.
    pub scope: Option<String>,
    /// From the flag alone: a setting of a scope is never changed by what the environment says.
    pub scope_flag: Option<String>,
    /// The store, where it stays open from one verb to the next.
    pub opened: Option<Engine>,
}

impl Session {
    /// A variable of ours that is no text is refused: to pass over it would be to work elsewhere
    /// than asked. Where a flag says otherwise, none is looked at.
    pub fn new(
        globals: &Globals,
        env: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Session, Failure> {
        let env = |name: &str| env(name).filter(|value| !value.is_empty());
        let flag = |flag: &Option<String>, name: &str| match (flag, env(name)) {
            (Some(flag), _) => Ok(Some(flag.clone())),
            (None, Some(value)) => value.into_string().map(Some).map_err(|_| {
                let hint = format!("set {name} to a text, or unset it");
                Failure::usage(format!("the variable {name} is not UTF-8"), hint)
            }),
            (None, None) => Ok(None),
        };
        // These are not ours: one that is no text names nobody.
        let name = |name: &&str| env(name)?.into_string().ok();
        let user = || ["USER", "LOGNAME", "USERNAME"].iter().find_map(name);
        let actor = flag(&globals.actor, ACTOR)?;
        let kind = globals.kind.as_deref().and_then(ActorKind::parse);
        Ok(Session {
            json: globals.json,
            store: flag(&globals.store, STORE)?,
            vault: flag(&globals.vault, VAULT)?.unwrap_or_else(|| "default".into()),
            named: actor.is_some(),
            actor: actor.or_else(user).unwrap_or_else(|| "operator".into()),
            kind,
            via: Via::Cli,
            scope: flag(&globals.scope, SCOPE)?,
            scope_flag: globals.scope.clone(),
            opened: None,
        })
    }

    /// Where the store lies: as named, or found upwards from here.
    pub fn location(&self) -> Result<Location, Failure> {
        match &self.store {
            Some(store) => Ok(Location::parse(store)?),
            None => Ok(Location::find(&here()?)?),
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

    /// What an actor is was settled by its first change: to pass over another word would be to give
    /// it rights that nobody meant.
    fn check_kind(&self, engine: &Engine) -> Result<(), Failure> {
        let Some(kind) = self.kind else { return Ok(()) };
        let here = engine.where_am_i(&Caller { scope: None, ..self.caller() });
        match here {
            Ok(here) if here.registered && here.kind != kind.as_str() => Err(Failure {
                kind: ambit::Kind::Conflict,
                message: format!("{:?} is {}, not {}", here.actor, here.kind, kind.as_str()),
                hint: "its first change settled that: leave out --kind, or choose another name"
                    .into(),
            }),
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

    /// The envelope's time.
    pub fn timestamp(&self) -> String {
        rfc3339(ambit::Outside::real().now())
    }
}

/// The folder the program was started in.
pub fn here() -> Result<PathBuf, Failure> {
    std::env::current_dir().map_err(|error| Failure {
        kind: ambit::Kind::Store,
        message: format!("the current folder cannot be found: {error}"),
        hint: "change to a folder that exists".into(),
    })
}
