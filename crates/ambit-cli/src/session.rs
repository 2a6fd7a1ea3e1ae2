//! The session of the command line: flags first, then the environment.

use std::ffi::OsString;
use std::sync::Arc;

use ambit::{ActorKind, Via};
use ambit_verbs::{Failure, Session};

use crate::cli::Globals;
use crate::output;
use crate::progress::Bars;

/// The environment variables that are used.
pub const STORE: &str = "AMBIT_STORE";
pub const VAULT: &str = "AMBIT_VAULT";
pub const ACTOR: &str = "AMBIT_ACTOR";
pub const SCOPE: &str = "AMBIT_SCOPE";

/// Creates a session from flags, then variables. Refuses an AMBIT_* variable that is not UTF-8:
/// ignoring it could select another store or actor than the user asked for. A flag overrides its
/// variable, whatever it holds.
pub fn new(
    globals: &Globals,
    bars: &Arc<Bars>,
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
    // Other programs' variables: one that is not UTF-8 is ignored.
    let name = |name: &&str| env(name)?.into_string().ok();
    let user = || ["USER", "LOGNAME", "USERNAME"].iter().find_map(name);
    let actor = flag(&globals.actor, ACTOR)?;
    let bars = Arc::clone(bars);
    Ok(Session {
        json: globals.json,
        screen: output::screen(),
        folder: std::env::current_dir().ok(),
        store: flag(&globals.store, STORE)?,
        vault: flag(&globals.vault, VAULT)?.unwrap_or_else(|| "default".into()),
        named: actor.is_some(),
        actor: actor.or_else(user).unwrap_or_else(|| "operator".into()),
        kind: globals.kind.as_deref().and_then(ActorKind::parse),
        via: Via::Cli,
        scope: flag(&globals.scope, SCOPE)?,
        scope_flag: globals.scope.clone(),
        opened: None,
        progress: Some(Arc::new(move |progress| bars.show(progress))),
    })
}
