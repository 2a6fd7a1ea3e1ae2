//! `init`: a store, and a vault in it.

use ambit::{Engine, Location};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;
use crate::table::Run;
use crate::text::clean;

/// Create a store in this folder, or the one that --store names; safe to repeat
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n\
\x20 ambit init\n\
\x20 ambit init --vault team\n\
\x20 ambit init --store sqlite:/data/ambit.db")]
pub struct Init {}

#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct InitAnswer {
    store: String,
    vault: String,
    created: bool,
    vault_created: bool,
}

impl Run for Init {
    type Answer = InitAnswer;

    fn run(&self, session: &Session) -> Result<Output<InitAnswer>, Failure> {
        Engine::check_vault_name(&session.vault)?;
        let location = match &session.store {
            Some(store) => Location::parse(store)?,
            None => Location::within(session.folder()?),
        };
        let (engine, created) = Engine::create(&location)?;
        let vault_created = engine.create_vault(&session.vault)?;
        let (store, vault) = (location.to_string(), session.vault.clone());
        let answer = InitAnswer { store, vault, created, vault_created };
        let (place, vault) = (clean(&location.to_string()), clean(&session.vault));
        let text = match (created, vault_created) {
            (true, _) => format!("Created {place} with the vault {vault:?}.\n"),
            (false, true) => format!("Created the vault {vault:?} in {place}.\n"),
            (false, false) => format!("{place} already exists; nothing changed.\n"),
        };
        let next = "Next: ambit append --role user \"hello\", ambit compose, ambit where.\n";
        Ok(Output::new(text + if vault_created { next } else { "" }, answer))
    }
}
