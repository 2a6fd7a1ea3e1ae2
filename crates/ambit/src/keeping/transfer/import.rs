//! Loading an export that was checked, in batches, into a vault that nobody can use until the last.

use std::io::{Read, Seek};

use ambit_core::{Content, Logged, VaultState};
use ambit_store::{Error as StoreError, Import};
use serde::Serialize;

use super::CheckedExport;
use super::line::Line;
use super::lines::Lines;
use crate::{Engine, Error, FileRefusal, Result};

/// How much goes into one transaction.
const LOAD_EVENTS: usize = 500;
const LOAD_BYTES: usize = 4 << 20;

/// What was loaded.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct ImportAnswer {
    pub vault: String,
    pub events: i64,
    pub contents: i64,
    pub forgotten: i64,
    pub head: String,
    /// How many events an interrupted run had loaded before.
    pub resumed: i64,
}

impl Engine {
    /// Loads a checked export into a new vault, or goes on where the same import was interrupted.
    /// `progress` is given how many events are done.
    pub fn import(
        &self,
        vault: &str,
        checked: &CheckedExport,
        source: &mut (impl Read + Seek),
        progress: &dyn Fn(i64),
    ) -> Result<ImportAnswer> {
        Engine::check_vault_name(vault)?;
        let begin = Import::Begin { source: checked.manifest.sha256 };
        let state = self.store.import(vault, begin).map_err(|error| self.there(error, checked))?;
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
            // It can never be finished: what is there of it goes.
            Err(error) if cannot_go_on(&error) => {
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

    /// Removes what an import that was interrupted has left.
    pub fn abandon_import(&self, vault: &str) -> Result<()> {
        self.store.import(vault, Import::Abandon)?;
        Ok(())
    }

    /// A vault that is there may be this very export: then there is nothing left to do.
    fn there(&self, error: StoreError, checked: &CheckedExport) -> Error {
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

/// Whether trying again would end the same way.
fn cannot_go_on(error: &Error) -> bool {
    use StoreError as S;
    let stored = matches!(error, Error::Store(S::Refused(_) | S::Damaged(_) | S::Database(_)));
    stored || matches!(error, Error::File(_))
}

/// A load under way.
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
            let other = || changed("a line that was whole is not any more");
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
                        return Err(changed("it is another export now"));
                    }
                    return self.finish();
                }
            }
        }
        Err(changed("it ends sooner"))
    }

    fn event(&mut self, logged: Logged, before: &VaultState) -> Result<()> {
        let (seq, hash) = (logged.event.seq, logged.hash);
        if seq <= before.head_seq {
            // Loaded by an earlier run: its hash stands for all before it.
            if seq == before.head_seq && hash != before.head_hash {
                return Err(changed("what was loaded before is not its beginning"));
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
