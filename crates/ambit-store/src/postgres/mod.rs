//! The store for teams: a PostgreSQL server. This module begins and ends transactions and recovers
//! from lost connections; the statements in between are shared with SQLite (`tables`).

mod address;
mod batch;
mod errors;
mod health;
mod link;
mod merge;
mod migrate;
mod name_lock;
mod pool;
mod session;
mod tls;
mod value;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use ambit_core::{Answer, Ask, Millis, VaultState};

use crate::tables::{self, Batch, Link, Reader, Writers, values};
use crate::{
    Decide, Error, Finding, Garbage, Import, NameLock, Rebuilt, Result, SCRUB_WAIT_MS, Snapshot,
    Store, Sweep, VaultInfo,
};
use address::Address;
use link::{PgLink, Written};
use pool::{Pool, Taken};
use session::{READ, WRITE};

/// How a store on a server is opened.
#[derive(Clone, Debug)]
pub struct PostgresOptions {
    /// How long to wait for a lock, and for an unreachable server.
    pub wait_ms: u64,
    /// The largest number of connections of this process.
    pub connections_max: usize,
    /// How long a single statement, or a pause inside a transaction, may take.
    pub statement_ms: u64,
}

impl Default for PostgresOptions {
    fn default() -> Self {
        PostgresOptions { wait_ms: 30_000, connections_max: 16, statement_ms: 600_000 }
    }
}

/// The pause before a retry of a transaction that conflicted with another.
const PAUSE: Duration = Duration::from_millis(20);

/// How long opening a store waits for the server to start.
const OPEN_WAIT: Duration = Duration::from_secs(3);

/// A store on a PostgreSQL server.
pub struct Postgres {
    pool: Arc<Pool>,
    wait: Duration,
    writers: Writers,
    /// How many commands this process has written.
    kept: AtomicU64,
}

/// The number of concurrent write transactions of this process. Commands that arrive meanwhile are
/// grouped, across vaults too: a server is faster with few large transactions.
fn writers_max() -> usize {
    std::thread::available_parallelism()
        .map_or(WRITERS[0], |it| it.get())
        .clamp(WRITERS[0], WRITERS[1])
}

const WRITERS: [usize; 2] = [2, 8];

/// The number of commands after which statistics are updated, and again after ten times as many: a
/// young store grows faster than the server's own schedule updates the planner's statistics.
const STATISTICS_AFTER: u64 = 200;

impl Postgres {
    /// Opens an existing store and migrates its schema. Returns `None` if there is no store.
    pub fn open(
        address: &str,
        env: &dyn Fn(&str) -> Option<String>,
        options: &PostgresOptions,
    ) -> Result<Option<Postgres>> {
        let (store, found) = Postgres::reach(address, env, options)?;
        match found {
            None => Ok(None),
            Some(_) => {
                store.migrate(found)?;
                store.index_all();
                Ok(Some(store))
            }
        }
    }

    /// Opens a store without migrating it. Returns `None` if there is no store, or if its schema is
    /// not current.
    pub fn peek(
        address: &str,
        env: &dyn Fn(&str) -> Option<String>,
        options: &PostgresOptions,
    ) -> Result<Option<Postgres>> {
        let (store, found) = Postgres::reach(address, env, options)?;
        Ok((found == Some(crate::MIGRATIONS.len() as i64)).then_some(store))
    }

    /// Opens a store, and creates it if it does not exist. Returns true if it was created.
    pub fn create(
        address: &str,
        env: &dyn Fn(&str) -> Option<String>,
        options: &PostgresOptions,
    ) -> Result<(Postgres, bool)> {
        let (store, found) = Postgres::reach(address, env, options)?;
        store.migrate(found)?;
        store.index_all();
        Ok((store, found.is_none()))
    }

    /// Indexes the texts that are older than the search index. An error does not keep the store
    /// from being opened: the rest is indexed when it is opened again.
    fn index_all(&self) {
        let missing = || self.within(READ, |link| tables::index_is_incomplete(link));
        while let Ok(true) = missing() {
            if self.within(WRITE, |link| tables::index_more(link)).is_err() {
                return;
            }
        }
    }

    fn reach(
        address: &str,
        env: &dyn Fn(&str) -> Option<String>,
        options: &PostgresOptions,
    ) -> Result<(Postgres, Option<i64>)> {
        let address = Address::parse(address, env, options)?;
        let store = Postgres {
            pool: Arc::new(Pool::new(address, options.connections_max)),
            wait: Duration::from_millis(options.wait_ms),
            writers: Writers::new(writers_max()),
            kept: AtomicU64::new(0),
        };
        // Keep this short: a person may be waiting, and the address may have a typo.
        let mut taken = store.pool.take(store.wait.min(OPEN_WAIT))?;
        let found = migrate::version(taken.session()?, &store.pool.address.schema)?;
        taken.give_back();
        Ok((store, found))
    }

    /// Migrates the schema. A lost connection is replaced: the next attempt finds out whether the
    /// last one was committed.
    fn migrate(&self, found: Option<i64>) -> Result<()> {
        if found == Some(crate::MIGRATIONS.len() as i64) {
            return Ok(());
        }
        let until = Instant::now() + self.wait;
        loop {
            let mut taken = self.pool.take(until.saturating_duration_since(Instant::now()))?;
            match migrate::migrate(taken.session()?, &self.pool.address.schema) {
                Err(error) if error.is_transient() && Instant::now() < until => sleep(PAUSE),
                Err(error) => return Err(error),
                Ok(()) => {
                    taken.give_back();
                    return Ok(());
                }
            }
        }
    }

    /// Updates the server's statistics from time to time, in the background.
    fn count(&self) {
        let mut kept = self.kept.fetch_add(1, Ordering::Relaxed) + 1;
        while kept > STATISTICS_AFTER && kept.is_multiple_of(10) {
            kept /= 10;
        }
        if kept == STATISTICS_AFTER {
            let (pool, wait) = (self.pool.clone(), self.wait);
            // Nothing depends on the result, so an error is ignored.
            std::thread::spawn(move || refresh_statistics(&pool, wait));
        }
    }

    /// Updates the server's statistics of all tables.
    pub fn refresh_statistics(&self) -> Result<()> {
        refresh_statistics(&self.pool, self.wait)
    }

    /// Returns the address without its password.
    pub fn shown(address: &str) -> String {
        address::shown(address)
    }

    /// Returns the query plan of every statement, for tests that look for full scans.
    pub fn plans(&self) -> Result<Vec<(&'static str, Vec<String>)>> {
        let mut taken = self.pool.take(self.wait)?;
        let session = taken.session()?;
        let mut plans = Vec::new();
        for (name, text) in session::texts() {
            let count = session::parameters(text);
            let nulls = if count == 0 { String::new() } else { vec!["NULL"; count].join(", ") };
            let nulls = if count == 0 { nulls } else { format!("({nulls})") };
            session.plain(&format!("PREPARE plan AS {text}"))?;
            let rows = session.ask(&format!("EXPLAIN EXECUTE plan{nulls}"), &[])?;
            session.plain("DEALLOCATE plan")?;
            plans.push((name, rows.iter().map(|row| row.get(0)).collect()));
        }
        taken.give_back();
        Ok(plans)
    }

    /// Runs any query, for tests that read the server's catalogue.
    pub fn ask(&self, text: &str) -> Result<Vec<Vec<Option<String>>>> {
        let mut taken = self.pool.take(self.wait)?;
        let rows = taken.session()?.ask(text, &[])?;
        let columns = |row: &tokio_postgres::Row| (0..row.len()).map(|it| row.get(it)).collect();
        let rows = rows.iter().map(columns).collect();
        taken.give_back();
        Ok(rows)
    }

    /// Runs a step in a transaction, and retries transient errors until the time-out. A failed
    /// transaction is rolled back by closing its connection.
    fn within<T>(
        &self,
        begin: &'static str,
        mut step: impl FnMut(&mut PgLink<'_>) -> Result<T>,
    ) -> Result<T> {
        let until = Instant::now() + self.wait;
        loop {
            match self.attempt(begin, until, &mut step) {
                Err(error) if error.is_transient() && Instant::now() < until => sleep(PAUSE),
                done => return done,
            }
        }
    }

    fn attempt<T>(
        &self,
        begin: &'static str,
        until: Instant,
        step: &mut impl FnMut(&mut PgLink<'_>) -> Result<T>,
    ) -> Result<T> {
        let mut taken = self.pool.take(until.saturating_duration_since(Instant::now()))?;
        let mut link = PgLink::new(taken.session()?, begin);
        let done = step(&mut link).map_err(|error| self.seen(error));
        let done = match done {
            Ok(done) => done,
            Err(error) => {
                self.roll_back(taken, &error);
                return Err(error);
            }
        };
        let (committed, written) = (link.commit(), link.written());
        match committed.map_err(|error| self.seen(error)) {
            Ok(()) => {
                taken.give_back();
                Ok(done)
            }
            Err(_) if !written.changes => Ok(done),
            Err(error) => {
                drop(taken);
                match self.settle(&written, until) {
                    Ok(true) => Ok(done),
                    Ok(false) => Err(error),
                    Err(_) => Err(Error::Lost),
                }
            }
        }
    }

    fn roll_back(&self, mut taken: Taken<'_>, error: &Error) {
        let rolled_back = match error {
            // A connection that was lost, or lost its settings, is closed.
            Error::Unreachable(_) | Error::Server(_) => false,
            _ => taken.session().is_ok_and(|session| session.plain("ROLLBACK").is_ok()),
        };
        if rolled_back {
            taken.give_back();
        }
    }

    /// Handles an error: if one connection is lost, the unused ones are closed too.
    fn seen(&self, error: Error) -> Error {
        match error {
            Error::Unreachable(_) => self.pool.clear(),
            // This is the server's own time-out for locks.
            Error::Busy { .. } => return Error::Busy { waited_ms: self.wait.as_millis() as u64 },
            _ => {}
        }
        error
    }

    /// Finds out whether a transaction was committed although its commit failed or was not
    /// answered. Fails if that cannot be known. A transaction id would not help: behind a pooler,
    /// after a failover or on a distributed server it names another transaction, or none.
    fn settle(&self, written: &Written, until: Instant) -> Result<bool> {
        loop {
            match self.look_for(written, until) {
                Err(error) if error.is_transient() && Instant::now() < until => sleep(PAUSE),
                found => return found,
            }
        }
    }

    /// Updates the row of each vault, which waits for a transaction that is still open, or makes it
    /// fail; then checks whether the last event of each vault exists.
    fn look_for(&self, written: &Written, until: Instant) -> Result<bool> {
        let mut taken = self.pool.take(until.saturating_duration_since(Instant::now()))?;
        let mut link = PgLink::new(taken.session()?, WRITE);
        let mut found = 0;
        for (vault, (seq, hash)) in &written.events {
            link.exec("vault_changed", &values![*vault])?;
            let kept = tables::event_hash(&mut link, *vault, *seq)?;
            found += usize::from(kept.as_ref() == Some(hash));
        }
        link.commit().map_err(|error| self.seen(error))?;
        taken.give_back();
        match found {
            0 if !written.events.is_empty() => Ok(false),
            _ if found == written.events.len() && found > 0 => Ok(true),
            _ => Err(Error::Lost),
        }
    }
}

fn refresh_statistics(pool: &Pool, wait: Duration) -> Result<()> {
    let mut taken = pool.take(wait)?;
    let session = taken.session()?;
    let tables = session.ask(
        "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables
         WHERE schemaname = current_schema()",
        &[],
    )?;
    for table in &tables {
        session.plain(&format!("ANALYZE {}", table.get::<_, String>(0)))?;
    }
    taken.give_back();
    Ok(())
}

impl Store for Postgres {
    fn vaults(&self) -> Result<Vec<VaultInfo>> {
        self.within(READ, |link| tables::many(link, "vaults", [], tables::vault_info))
    }

    fn create(&self, vault: &str, now: Millis, seed: [u8; 32]) -> Result<bool> {
        let lock = migrate::lock(&self.pool.address.schema);
        self.within(WRITE, |link| {
            // Only this lock keeps the names and numbers of vaults unique.
            link.lock(&lock);
            tables::create(link, vault, now, seed)
        })
    }

    fn transact(&self, ask: Ask, decide: Decide) -> Result<Answer> {
        let answer = self.writers.submit(ask, decide, |batches: &mut [Batch], wait| {
            self.within(WRITE, |link| {
                let outcomes = tables::run(link, batches, wait);
                if outcomes.is_err() {
                    batches.iter_mut().for_each(|batch| batch.recent.forget());
                }
                outcomes
            })
        });
        if answer.is_ok() {
            self.count();
        }
        answer
    }

    fn read(
        &self,
        vault: &str,
        reader: &mut dyn FnMut(&mut dyn Snapshot) -> Result<()>,
    ) -> Result<()> {
        self.within(READ, |link| {
            let mut snapshot = Reader::new(link, vault)?;
            // A reader must not see rows of two snapshots: from here on nothing is retried.
            reader(&mut snapshot).map_err(|error| match error.is_transient() {
                true => Error::Interrupted(error.to_string()),
                false => error,
            })
        })
    }

    fn import(&self, vault: &str, step: Import) -> Result<VaultState> {
        let (lock, bags) = (migrate::lock(&self.pool.address.schema), tables::bags(&step));
        self.within(WRITE, |link| {
            if matches!(step, Import::Begin { .. }) {
                link.lock(&lock);
            }
            tables::import(link, vault, &step, &bags)
        })
    }

    /// Vacuums the deleted rows. The server keeps those that an older transaction may still read.
    fn scrub(&self) -> Result<bool> {
        let until = Instant::now() + self.wait.min(Duration::from_millis(SCRUB_WAIT_MS));
        let mut taken = self.pool.take(self.wait)?;
        let session = taken.session()?;
        let rows = session.ask("SELECT CAST(pg_current_xact_id() AS TEXT)", &[])?;
        let now: String = rows.first().map(|row| row.get(0)).unwrap_or_default();
        let older = |session: &session::Session| -> Result<bool> {
            Ok(!session.ask(OLDER, &[&now])?.is_empty())
        };
        let mut in_the_way = older(session)?;
        while in_the_way && Instant::now() < until {
            sleep(PAUSE);
            in_the_way = older(session)?;
        }
        session.plain("VACUUM content, bag, posting")?;
        taken.give_back();
        Ok(!in_the_way)
    }

    fn cannot_scrub(&self) -> &'static [&'static str] {
        &[
            "the server's write-ahead log and its archive",
            "replicas until they have caught up, and earlier backups",
            "free space in the server's files until it is overwritten",
        ]
    }

    fn rebuild(&self, vault: &str, progress: &dyn Fn(i64, i64)) -> Result<Rebuilt> {
        self.within(WRITE, |link| tables::rebuild(link, vault, progress))
    }

    fn collect(
        &self,
        vault: &str,
        now: Millis,
        sweep: Sweep,
        progress: &dyn Fn(i64),
    ) -> Result<Garbage> {
        let disk_before = health::bytes_on_disk(self)?;
        let mut litter = Some(self.within(READ, |link| tables::look(link, vault, now, progress))?);
        if sweep == Sweep::Look {
            let garbage = litter.map(|it| it.garbage).unwrap_or_default();
            return Ok(Garbage { disk_before, disk_after: disk_before, ..garbage });
        }
        let garbage = self.within(WRITE, |link| {
            // A retry reads again: much may have been written since.
            let litter = match litter.take() {
                Some(litter) => litter,
                None => tables::look(link, vault, now, progress)?,
            };
            tables::remove(link, vault, now, litter)
        })?;
        if sweep == Sweep::Vacuum {
            health::vacuum(self)?;
        }
        Ok(Garbage { disk_before, disk_after: health::bytes_on_disk(self)?, ..garbage })
    }

    fn backup(&self, _to: &Path, _progress: &dyn Fn(u64, u64)) -> Result<i64> {
        Err(Error::ServerBackup)
    }

    fn lock_name(&self, name: &str) -> Result<Option<NameLock>> {
        name_lock::lock(&self.pool.address, name)
    }

    fn health(&self) -> Result<Vec<Finding>> {
        health::health(self)
    }
}

/// Selects the connections with a snapshot older than a transaction.
const OLDER: &str = "SELECT 1 FROM pg_stat_activity WHERE pid <> pg_backend_pid() \
    AND age(backend_xmin) > age($1::text::xid8::xid)";
