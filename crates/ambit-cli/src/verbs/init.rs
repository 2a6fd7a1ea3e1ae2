//! `init`: a store, and a vault in it.

use ambit::{Engine, Location};
use clap::Args;
use serde_json::json;

use crate::failure::Failure;
use crate::output::{Output, clean};
use crate::session::{Session, here};

/// Create a store here, or the one that --store names; repeated, it changes nothing
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n\
\x20 ambit init\n\
\x20 ambit init --vault team\n\
\x20 ambit init --store sqlite:/data/ambit.db")]
pub struct Init {}

impl Init {
    pub fn run(&self, session: &Session) -> Result<Output, Failure> {
        Engine::check_vault_name(&session.vault)?;
        let location = match &session.store {
            Some(store) => Location::parse(store)?,
            None => Location::within(&here()?),
        };
        let (engine, created) = Engine::create(&location)?;
        let vault_created = engine.create_vault(&session.vault)?;
        let answer = json!({
            "store": location.to_string(),
            "vault": session.vault,
            "created": created,
            "vault_created": vault_created,
        });
        let (place, vault) = (clean(&location.to_string()), clean(&session.vault));
        let text = match (created, vault_created) {
            (true, _) => format!("Created {place} with the vault {vault:?}.\n"),
            (false, true) => format!("Created the vault {vault:?} in {place}.\n"),
            (false, false) => format!("{place} is there already; nothing changed.\n"),
        };
        let next = "Next: ambit append --role user \"hello\", ambit compose, ambit where.\n";
        Output::new(&answer, text + if vault_created { next } else { "" })
    }
}
