//! The embedded store: one SQLite file. This module opens it and frames transactions; `read` and
//! `write` hold the statements' use, `map` turns rows into data.

mod map;
mod open;
mod read;
mod write;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use ambit_core::{
    Answer, Ask, Decision, Fresh, Hash, Millis, Rejection, State, VaultState, create_vault,
};
use rusqlite::{Connection, Params, Row, TransactionBehavior};

use crate::statements::statements;
use crate::{Error, KEY_LIFE_MS, NEEDS_MAX, Result, Snapshot, Store, VaultInfo};

/// SQLite numbers its parameters `?1`, not `$1`.
static SQL: LazyLock<HashMap<&'static str, String>> =
    LazyLock::new(|| statements(|text| text.replace('$', "?")));

/// How a store is opened.
#[derive(Clone, Debug)]
pub struct Options {
    /// How long to wait for another process's lock.
    pub wait_ms: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options { wait_ms: 30_000 }
    }
}

/// A store in a SQLite file.
pub struct Sqlite {
    connection: Mutex<Connection>,
    path: PathBuf,
    wait_ms: u64,
}

impl Sqlite {
    /// Opens a store that is there, bringing its schema up to date.
    pub fn open(path: &Path, options: &Options) -> Result<Sqlite> {
        open::open(path, options, false)
    }

    /// Opens a store, creating it where there is none.
    pub fn create(path: &Path, options: &Options) -> Result<Sqlite> {
        open::open(path, options, true)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Every statement with its plan's lines, so that a test can look for full scans.
    pub fn plans(&self) -> Result<Vec<(&'static str, Vec<String>)>> {
        let connection = self.lock();
        let mut plans = Vec::new();
        for (name, text) in SQL.iter() {
            let mut statement = connection
                .prepare(&format!("EXPLAIN QUERY PLAN {text}"))
                .map_err(|error| self.failed(error))?;
            let count = statement.parameter_count();
            let nulls = vec![rusqlite::types::Null; count];
            let lines = statement
                .query_map(rusqlite::params_from_iter(nulls), |row| row.get(3))
                .and_then(|rows| rows.collect())
                .map_err(|error| self.failed(error))?;
            plans.push((*name, lines));
        }
        Ok(plans)
    }

    /// How this connection keeps what it is given, so that a test can see it is safe.
    pub fn pragmas(&self) -> Result<Vec<(&'static str, String)>> {
        let connection = self.lock();
        let names = ["journal_mode", "synchronous", "foreign_keys"];
        let get = |name| {
            let value = |row: &Row<'_>| row.get::<_, rusqlite::types::Value>(0);
            let value = connection.pragma_query_value(None, name, value);
            let text = match value.map_err(|error| self.failed(error))? {
                rusqlite::types::Value::Integer(number) => number.to_string(),
                rusqlite::types::Value::Text(text) => text,
                other => format!("{other:?}"),
            };
            Ok((name, text))
        };
        names.into_iter().map(get).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        // A panic inside a transaction rolls it back; the connection stays usable.
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a step in a transaction that is rolled back unless it succeeds.
    fn within<T>(
        &self,
        behavior: TransactionBehavior,
        step: impl FnOnce(&Connection) -> Result<T>,
    ) -> Result<T> {
        let mut connection = self.lock();
        let transaction =
            connection.transaction_with_behavior(behavior).map_err(|error| self.failed(error))?;
        let done = step(&transaction).map_err(|error| match error {
            Error::Database(error) => self.failed(error),
            other => other,
        })?;
        transaction.commit().map_err(|error| self.failed(error))?;
        Ok(done)
    }

    fn failed(&self, error: rusqlite::Error) -> Error {
        open::failed(error, &self.path, self.wait_ms)
    }
}

/// A connection inside a transaction, at one vault.
pub(crate) struct At<'a> {
    connection: &'a Connection,
    vault: i64,
}

impl<'a> At<'a> {
    fn exec(&self, name: &str, params: impl Params) -> Result<()> {
        exec(self.connection, name, params)
    }

    fn one<T>(
        &self,
        name: &str,
        params: impl Params,
        map: fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>> {
        one(self.connection, name, params, map)
    }

    fn many<T>(
        &self,
        name: &str,
        params: impl Params,
        map: fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>> {
        let mut statement = self.connection.prepare_cached(text(name)).map_err(Error::Database)?;
        let rows = statement.query_map(params, map).map_err(Error::Database)?;
        rows.collect::<rusqlite::Result<_>>().map_err(|error| unfit(name, error))
    }
}

/// A row that cannot be what we wrote is damage in the table it is read from; all else is the
/// database's own trouble.
fn unfit(name: &str, error: rusqlite::Error) -> Error {
    use rusqlite::Error as E;
    match error {
        E::FromSqlConversionFailure(..)
        | E::IntegralValueOutOfRange(..)
        | E::InvalidColumnType(..)
        | E::Utf8Error(..) => {
            let from = text(name).split_once("FROM ").map_or("", |(_, rest)| rest);
            let table = from.split_whitespace().next().unwrap_or(name);
            Error::Damaged(format!("a row of {table} cannot be read: {error}"))
        }
        _ => Error::Database(error),
    }
}

fn text(name: &str) -> &'static str {
    SQL.get(name).map(String::as_str).unwrap_or_default()
}

fn exec(connection: &Connection, name: &str, params: impl Params) -> Result<()> {
    let mut statement = connection.prepare_cached(text(name)).map_err(Error::Database)?;
    statement.execute(params).map_err(Error::Database)?;
    Ok(())
}

fn one<T>(
    connection: &Connection,
    name: &str,
    params: impl Params,
    map: fn(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Option<T>> {
    let mut statement = connection.prepare_cached(text(name)).map_err(Error::Database)?;
    let mut rows = statement.query(params).map_err(Error::Database)?;
    match rows.next().map_err(Error::Database)? {
        Some(row) => map(row).map(Some).map_err(|error| unfit(name, error)),
        None => Ok(None),
    }
}

/// The vault's number and row.
fn at_vault<'a>(connection: &'a Connection, name: &str) -> Result<(At<'a>, VaultState)> {
    match one(connection, "vault", [name], map::vault)? {
        Some((vault, state)) => Ok((At { connection, vault }, state)),
        None => Err(Error::NoVault(name.to_string())),
    }
}

impl Store for Sqlite {
    fn vaults(&self) -> Result<Vec<VaultInfo>> {
        self.within(TransactionBehavior::Deferred, |connection| {
            At { connection, vault: 0 }.many("vaults", [], map::vault_info)
        })
    }

    fn create(&self, vault: &str, now: Millis, seed: [u8; 32]) -> Result<bool> {
        self.within(TransactionBehavior::Immediate, |connection| {
            if one(connection, "vault", [vault], map::vault)?.is_some() {
                return Ok(false);
            }
            let last = one(connection, "vault_last", [], |row| row.get::<_, i64>(0))?;
            let at = At { connection, vault: last.unwrap_or(0) + 1 };
            let first = create_vault(now, &mut Fresh::new(seed, now));
            let mut state = VaultState::default();
            state.follow(&first);
            at.insert_vault(vault, &state)?;
            at.write_event(&first)?;
            Ok(true)
        })
    }

    fn transact(&self, ask: &Ask, decide: &mut dyn FnMut(&State) -> Decision) -> Result<Answer> {
        self.within(TransactionBehavior::Immediate, |connection| {
            let (at, vault) = at_vault(connection, &ask.vault)?;
            if let Some(answer) = at.repeated(ask)? {
                return Ok(answer);
            }
            let mut needs = ask.needs.clone();
            for _ in 0..NEEDS_MAX {
                let state = at.read_state(vault.clone(), &needs)?;
                match decide(&state) {
                    Decision::Rejected(rejection) => return Err(rejection.into()),
                    Decision::Need(more) => needs.reach = needs.reach.and(more),
                    Decision::Done(done) => {
                        at.write(&done)?;
                        at.remember_key(ask, &done)?;
                        return Ok(done.answer);
                    }
                }
            }
            Err(Error::Damaged("a command could not be decided".into()))
        })
    }

    fn read(
        &self,
        vault: &str,
        reader: &mut dyn FnMut(&mut dyn Snapshot) -> Result<()>,
    ) -> Result<()> {
        self.within(TransactionBehavior::Deferred, |connection| {
            let (at, state) = at_vault(connection, vault)?;
            reader(&mut read::Reader { at, vault: state })
        })
    }

    fn import(&self, _: &str, _: crate::Import) -> Result<VaultState> {
        Err(Error::Damaged("later".into()))
    }

    fn scrub(&self) -> Result<bool> {
        Ok(true)
    }
}

impl At<'_> {
    /// The first answer to a key, if the same command was given before under it. Nothing else is
    /// read for it: whatever came since, the answer stands.
    fn repeated(&self, ask: &Ask) -> Result<Option<Answer>> {
        let Some((key, digest)) = &ask.key else {
            return Ok(None);
        };
        let Some(actor) = self.actor(&ask.context.actor)? else {
            return Ok(None);
        };
        let map = |row: &Row<'_>| Ok((map::hash(row, 0)?, row.get::<_, String>(1)?));
        let since = ask.context.now - KEY_LIFE_MS;
        match self.one("key", (self.vault, actor.actor.0, key, since), map)? {
            None => Ok(None),
            Some((first, answer)) if first == *digest => serde_json::from_str(&answer)
                .map(Some)
                .map_err(|error| Error::Damaged(format!("the answer kept for a key: {error}"))),
            Some(_) => Err(Rejection::key_reused(key).into()),
        }
    }

    fn remember_key(&self, ask: &Ask, done: &ambit_core::Done) -> Result<()> {
        let (Some((key, digest)), Some(actor)) = (&ask.key, &done.state.actor) else {
            return Ok(());
        };
        let now = ask.context.now;
        self.exec("key_expire", (self.vault, now - KEY_LIFE_MS))?;
        let answer = serde_json::to_string(&done.answer).unwrap_or_default();
        let digest = digest.0.as_slice();
        self.exec("key_insert", (self.vault, actor.actor.0, key, now, digest, answer))
    }
}

/// A hash's bytes as a parameter.
fn bytes(hash: &Hash) -> &[u8] {
    hash.0.as_slice()
}
