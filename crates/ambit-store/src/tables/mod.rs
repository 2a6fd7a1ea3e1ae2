//! The code that both databases share: it runs statements by name and converts data to and from
//! rows. Each database implements [`Link`].

mod collect;
mod forget;
mod import;
mod index;
mod job;
pub(crate) mod map;
mod map_history;
mod past;
mod read;
mod read_history;
mod rebuild;
mod recent;
mod value;
mod write;
mod writers;

use ambit_core::{ActorRow, Answer, Ask, Hash, Refusal, VaultState};

use crate::rows::Table;
use crate::{Error, KEY_LIFE_MS, Result};

pub(crate) use collect::{look, remove};
pub(crate) use import::{bags, import};
pub(crate) use index::{index_is_incomplete, index_more};
pub(crate) use job::{Batch, Job, Outcome, Outcomes, create, run};
pub(crate) use map::vault_info;
pub(crate) use read::Reader;
pub(crate) use rebuild::rebuild;
pub(crate) use recent::Recent;
pub(crate) use value::{Cell, Got, Row, Unfit, Value, values};
pub(crate) use write::OPEN;
pub(crate) use writers::Writers;

/// A statement by name, with its parameters.
pub(crate) type Query<'a> = (&'static str, Vec<Value<'a>>);

/// A connection inside a transaction.
pub(crate) trait Link {
    /// Runs the statements of one step. They are independent, so all may be sent before the first
    /// answer arrives. `each` receives every row with the index of its statement.
    fn fetch(
        &mut self,
        step: &[Query<'_>],
        each: &mut dyn FnMut(usize, &dyn Row) -> Result<()>,
    ) -> Result<()>;

    /// Runs a statement that returns no rows, at the latest before the next `fetch` or the commit.
    fn exec(&mut self, name: &'static str, values: &[Value<'_>]) -> Result<()>;

    /// Records an event of this transaction. If the event is found later, the commit succeeded.
    fn wrote(&mut self, _vault: i64, _seq: i64, _hash: &Hash) {}
}

/// The queries of one step, each with the purpose of its rows.
pub(crate) struct Step<'q, P> {
    parts: Vec<P>,
    queries: Vec<Query<'q>>,
}

impl<'q, P: Copy> Step<'q, P> {
    pub fn new() -> Self {
        Step { parts: Vec::new(), queries: Vec::new() }
    }

    pub fn ask(&mut self, part: P, name: &'static str, values: impl Into<Vec<Value<'q>>>) {
        self.parts.push(part);
        self.queries.push((name, values.into()));
    }

    /// Returns the purposes of the queries, in order.
    pub fn parts(&self) -> &[P] {
        &self.parts
    }

    /// Sends all queries; `each` receives every row with its purpose. An invalid row is reported as
    /// damage of the table it is read from.
    pub fn send(
        self,
        link: &mut dyn Link,
        mut each: impl FnMut(P, &dyn Row) -> Got<()>,
    ) -> Result<()> {
        if self.queries.is_empty() {
            return Ok(());
        }
        link.fetch(&self.queries, &mut |index, row| {
            each(self.parts[index], row).map_err(|unfit| unfit.of(self.queries[index].0))
        })
    }
}

/// A vault's row as it was read.
pub(crate) struct VaultFound {
    pub vault: i64,
    pub state: VaultState,
    pub name: String,
    /// The source of the import, while the vault is being imported.
    pub importing: Option<String>,
    /// How many times the rows were rebuilt.
    pub rebuilt: i64,
}

impl VaultFound {
    /// Fails if the vault is still being imported.
    pub fn usable(&self) -> Result<()> {
        match &self.importing {
            None => Ok(()),
            Some(_) => Err(Error::Importing(self.name.clone())),
        }
    }
}

/// A link together with the vault that its statements are for.
pub(crate) struct At<'a> {
    pub link: &'a mut dyn Link,
    pub vault: i64,
}

impl<'a> At<'a> {
    /// Finds a vault by name, for reading.
    pub fn read(link: &'a mut dyn Link, name: &str) -> Result<(At<'a>, VaultFound)> {
        let found = one(link, "vault", values![name], map::vault)?;
        At::usable(link, found, name)
    }

    /// Finds a vault by name and locks its row, for writing.
    pub fn lock(link: &'a mut dyn Link, name: &str) -> Result<(At<'a>, VaultFound)> {
        let found = lock_vault(link, name)?;
        At::usable(link, found, name)
    }

    fn usable(
        link: &'a mut dyn Link,
        found: Option<VaultFound>,
        name: &str,
    ) -> Result<(At<'a>, VaultFound)> {
        let found = found.ok_or_else(|| Error::NoVault(name.to_string()))?;
        found.usable()?;
        Ok((At { link, vault: found.vault }, found))
    }

    /// Returns a link to an unused vault number.
    pub fn fresh(link: &'a mut dyn Link) -> Result<At<'a>> {
        let last = one(link, "vault_last", [], map::number)?;
        Ok(At { link, vault: last.unwrap_or(0) + 1 })
    }

    pub(crate) fn exec(&mut self, name: &'static str, values: &[Value<'_>]) -> Result<()> {
        self.link.exec(name, values)
    }

    pub(crate) fn one<'q, T>(
        &mut self,
        name: &'static str,
        values: impl Into<Vec<Value<'q>>>,
        map: fn(&dyn Row) -> Got<T>,
    ) -> Result<Option<T>> {
        one(self.link, name, values, map)
    }

    pub(crate) fn many<'q, T>(
        &mut self,
        name: &'static str,
        values: impl Into<Vec<Value<'q>>>,
        map: fn(&dyn Row) -> Got<T>,
    ) -> Result<Vec<T>> {
        many(self.link, name, values, map)
    }

    fn actor(&mut self, name: &str) -> Result<Option<ActorRow>> {
        self.one(actor_by(name), values![self.vault, name], ActorRow::read)
    }

    /// Returns the first answer for an idempotency key, if the command was given before. The answer
    /// stays valid regardless of later events.
    fn repeated(&mut self, ask: &Ask) -> Result<Option<Answer>> {
        let Some((key, digest)) = &ask.key else {
            return Ok(None);
        };
        let Some(actor) = self.actor(&ask.context.actor)? else {
            return Ok(None);
        };
        let since = ask.context.now - KEY_LIFE_MS;
        let values = values![self.vault, actor.actor.0, key, since];
        first_answer(self.one("key", values, map::key)?, digest)
    }

    fn remember_key(&mut self, ask: &Ask, done: &ambit_core::Done) -> Result<()> {
        let (Some((key, digest)), Some(actor)) = (&ask.key, &done.state.actor) else {
            return Ok(());
        };
        let now = ask.context.now;
        self.exec("key_expire", &values![self.vault, now - KEY_LIFE_MS])?;
        let answer = serde_json::to_string(&done.answer).unwrap_or_default();
        let values = values![self.vault, actor.actor.0, key, now, bytes(digest), &answer];
        self.exec("key_insert", &values)
    }
}

/// Finds a vault's number by its name, then locks its row by that number, because a lock must go
/// to the one server that holds the vault. Returns `None` if no vault has that name.
fn lock_vault(link: &mut dyn Link, name: &str) -> Result<Option<VaultFound>> {
    let Some(vault) = one(link, "vault_number", values![name], map::number)? else {
        return Ok(None);
    };
    let found = one(link, "vault_locked", values![vault], map::vault)?;
    match found {
        Some(found) if found.name != name => Err(Error::Moved),
        found => Ok(found),
    }
}

pub(crate) fn many<'q, T>(
    link: &mut dyn Link,
    name: &'static str,
    values: impl Into<Vec<Value<'q>>>,
    map: fn(&dyn Row) -> Got<T>,
) -> Result<Vec<T>> {
    let mut rows = Vec::new();
    link.fetch(&[(name, values.into())], &mut |_, row| {
        rows.push(map(row).map_err(|unfit| unfit.of(name))?);
        Ok(())
    })?;
    Ok(rows)
}

/// Returns the first row, if any.
pub(crate) fn one<'q, T>(
    link: &mut dyn Link,
    name: &'static str,
    values: impl Into<Vec<Value<'q>>>,
    map: fn(&dyn Row) -> Got<T>,
) -> Result<Option<T>> {
    let mut found = None;
    link.fetch(&[(name, values.into())], &mut |_, row| {
        if found.is_none() {
            found = Some(map(row).map_err(|unfit| unfit.of(name))?);
        }
        Ok(())
    })?;
    Ok(found)
}

/// Returns the hash of an event, if it exists.
pub(crate) fn event_hash(link: &mut dyn Link, vault: i64, seq: i64) -> Result<Option<Hash>> {
    one(link, "event_hash", values![vault, seq], map::first_hash)
}

/// Returns the stored answer for a key, if it belongs to a command with this digest.
fn first_answer(kept: Option<(Hash, String)>, digest: &Hash) -> Result<Option<Answer>> {
    match kept {
        None => Ok(None),
        Some((first, answer)) if first == *digest => serde_json::from_str(&answer)
            .map(Some)
            .map_err(|error| Error::Damaged(format!("the answer kept for a key: {error}"))),
        Some(_) => Err(Refusal::KeyReused.into()),
    }
}

/// Returns the statement that finds an actor, by id or by name.
fn actor_by(name: &str) -> &'static str {
    if name.starts_with("act_") { "actor_by_id" } else { "actor_by_name" }
}

/// Returns a hash's bytes as a parameter.
pub(crate) fn bytes(hash: &Hash) -> &[u8] {
    hash.0.as_slice()
}
