//! Loads a checked export in batches. The vault cannot be used before the last batch.

use std::io::{Read, Seek};

use ambit_core::{Content, Logged, VaultState};
use ambit_store::{Error as StoreError, Import};
use serde::Serialize;

use super::CheckedExport;
use super::line::Line;
use super::lines::Lines;
use crate::{Engine, Error, FileRefusal, Result};

/// The limits of one transaction.
const LOAD_EVENTS: usize = 500;
const LOAD_BYTES: usize = 4 << 20;

/// Answer of `import`.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct ImportAnswer {
    pub vault: String,
    pub events: i64,
    pub contents: i64,
    pub forgotten: i64,
    pub head: String,
    /// The number of events that an interrupted run had loaded before.
    pub resumed: i64,
}

impl Engine {
    /// Loads a checked export into a new vault, or continues the same import after an
    /// interruption. Calls `progress` with the number of events done.
    pub fn import(
        &self,
        vault: &str,
        checked: &CheckedExport,
        source: &mut (impl Read + Seek),
        progress: &dyn Fn(i64),
    ) -> Result<ImportAnswer> {
        Engine::check_vault_name(vault)?;
        let begin = Import::Begin { source: checked.manifest.sha256 };
        let state =
            self.store.import(vault, begin).map_err(|error| self.existing_vault(error, checked))?;
        let resumed = state.head_seq;
        let loading = Loading {
            engine: self,
            vault,
            checked,
            contents: Vec::new(),
            events: Vec::new(),
            bytes: 0,
            progress,
        };
        match loading.run(state, source) {
            Ok(()) => {}
            // This import can never finish, so the partial vault is removed.
            Err(error) if is_permanent(&error) => {
                self.store.import(vault, Import::Abandon)?;
                return Err(error);
            }
            Err(error) => return Err(error),
        }
        let manifest = &checked.manifest;
        Ok(ImportAnswer {
            vault: vault.to_string(),
            events: manifest.events,
            contents: manifest.contents,
            forgotten: manifest.forgotten,
            head: manifest.head.to_hex(),
            resumed,
        })
    }

    /// Removes a partial vault that an interrupted import left.
    pub fn abandon_import(&self, vault: &str) -> Result<()> {
        self.store.import(vault, Import::Abandon)?;
        Ok(())
    }

    /// Returns the error for an existing vault, which may already hold exactly this export.
    fn existing_vault(&self, error: StoreError, checked: &CheckedExport) -> Error {
        let StoreError::VaultThere(vault) = &error else {
            return error.into();
        };
        let mut head = None;
        let read = self.store.read(vault, &mut |snapshot| {
            head = Some(snapshot.state(&Default::default())?.vault.head_hash);
            Ok(())
        });
        match (read, head == Some(checked.manifest.head)) {
            (Ok(()), true) => FileRefusal::SameExport { vault: vault.clone() }.into(),
            _ => error.into(),
        }
    }
}

/// Returns whether a retry would fail the same way.
fn is_permanent(error: &Error) -> bool {
    use StoreError as S;
    let stored = matches!(error, Error::Store(S::Refused(_) | S::Damaged(_) | S::Database(_)));
    stored || matches!(error, Error::File(_))
}

/// An import in progress.
struct Loading<'a> {
    engine: &'a Engine,
    vault: &'a str,
    checked: &'a CheckedExport,
    contents: Vec<Content>,
    events: Vec<Logged>,
    bytes: usize,
    progress: &'a dyn Fn(i64),
}

impl Loading<'_> {
    fn run(mut self, before: VaultState, source: &mut (impl Read + Seek)) -> Result<()> {
        let mut lines = Lines::new(source)?;
        while let Some(text) = lines.next()? {
            let other = || changed("a checked line is no longer valid");
            match Line::read(text).map_err(|_| other())? {
                Line::Header(_) => {}
                Line::Content(line) => {
                    self.bytes += line.text.len();
                    self.contents.push(line.stored().map_err(|_| other())?);
                }
                Line::Event(line) => {
                    self.bytes += line.body.get().len();
                    let logged = line.stored().parse().map_err(|_| other())?;
                    self.event(logged, &before)?;
                }
                Line::Manifest(manifest) => {
                    if manifest != self.checked.manifest || lines.sha256() != manifest.sha256 {
                        return Err(changed("it is a different export now"));
                    }
                    return self.finish();
                }
            }
        }
        Err(changed("it is shorter now"))
    }

    fn event(&mut self, logged: Logged, before: &VaultState) -> Result<()> {
        let (seq, hash) = (logged.event.seq, logged.hash);
        if seq <= before.head_seq {
            // An earlier run loaded this event. Its hash covers all events before it.
            if seq == before.head_seq && hash != before.head_hash {
                return Err(changed("it does not begin with the events loaded before"));
            }
            self.contents.clear();
            self.bytes = 0;
            return Ok(());
        }
        self.events.push(logged);
        if self.events.len() >= LOAD_EVENTS || self.bytes >= LOAD_BYTES {
            self.load()?;
        }
        Ok(())
    }

    fn load(&mut self) -> Result<()> {
        let contents = std::mem::take(&mut self.contents);
        let events = std::mem::take(&mut self.events);
        self.bytes = 0;
        let state = self.engine.store.import(self.vault, Import::Load { contents, events })?;
        (self.progress)(state.head_seq);
        Ok(())
    }

    fn finish(mut self) -> Result<()> {
        if !self.events.is_empty() {
            self.load()?;
        }
        self.engine.store.import(self.vault, Import::Finish)?;
        Ok(())
    }
}

fn changed(how: &'static str) -> Error {
    FileRefusal::Changed { how }.into()
}
