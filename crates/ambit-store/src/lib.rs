//! Ambit's stores. A store keeps the log and the rows derived from it, runs each command's decision
//! inside its write transaction, and offers snapshots for reading. It holds no rules of its own.
//!
//! [`Memory`] is the reference implementation, simple on purpose; [`Sqlite`] is for one machine,
//! and [`Postgres`] for a team. All pass the same suite, `tests/contract.rs`.

mod error;
mod finding;
mod history;
mod log;
mod memory;
mod postgres;
mod rows;
mod sound;
mod sqlite;
mod statements;
mod tables;

use std::collections::BTreeSet;
use std::path::Path;

use ambit_core::compose::{NoteShown, Places, Shown};
use ambit_core::search::{Bearer, Index, Sought};
use ambit_core::{
    Answer, Ask, Content, ContentNo, Decision, Hash, ItemNo, Logged, Millis, Needs, ScopeNo, State,
    Stored, VaultState,
};

pub use error::{Error, Result};
pub use finding::{Finding, Level, size};
pub use history::{History, Objects, Run, Streamed, Thing, Which};
pub use log::{Break, PAGE, walk};
pub use memory::Memory;
pub use postgres::{Postgres, PostgresOptions};
pub use rows::{Difference, Origins, Rows};
pub use sound::Sound;
pub use sqlite::{Options, Sqlite};
pub use statements::MIGRATIONS;

/// An entry of the list of vaults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VaultInfo {
    pub name: String,
    pub head_seq: i64,
    pub time: Millis,
}

/// Decides a command on a State. It may be called several times, from any thread that writes.
pub type Decide = Box<dyn FnMut(&State) -> Decision + Send>;

/// A lock on a name: dropping it releases the name.
pub type NameLock = Box<dyn Send>;

/// The interface of all stores; `tests/contract.rs` tests it.
pub trait Store: Send + Sync {
    /// Returns all vaults by name, except those that are being imported.
    fn vaults(&self) -> Result<Vec<VaultInfo>>;

    /// Creates a vault. Returns false, and changes nothing, if the name is taken.
    fn create(&self, vault: &str, now: Millis, seed: [u8; 32]) -> Result<bool>;

    /// Decides a command inside the write transaction and stores its events and rows. When this
    /// returns, the events are durable. A refusal changes nothing.
    fn transact(&self, ask: Ask, decide: Decide) -> Result<Answer>;

    /// Reads within one snapshot of a vault.
    fn read(
        &self,
        vault: &str,
        reader: &mut dyn FnMut(&mut dyn Snapshot) -> Result<()>,
    ) -> Result<()>;

    /// Runs one step of an import and returns the vault's row after it. Each step is durable.
    fn import(&self, vault: &str, step: Import) -> Result<VaultState>;

    /// Removes deleted text from the store's files, as far as the store can. Returns false if a
    /// reader or writer prevented it: the caller must scrub again.
    fn scrub(&self) -> Result<bool>;

    /// Describes what `scrub` cannot reach.
    fn cannot_scrub(&self) -> &'static [&'static str];

    /// Replaces all rows by those derived from the log, in one transaction. Fails if the log itself
    /// is damaged. `progress` receives how many events were read and how many rows were written.
    fn rebuild(&self, vault: &str, progress: &dyn Fn(i64, i64)) -> Result<Rebuilt>;

    /// Finds data that nothing references, and removes it if `sweep` says so. `progress` receives
    /// how many events were read.
    fn collect(
        &self,
        vault: &str,
        now: Millis,
        sweep: Sweep,
        progress: &dyn Fn(i64),
    ) -> Result<Garbage>;

    /// Copies a snapshot of the whole store to a file, and returns the file's size. The file
    /// appears when it is complete, and replaces an existing one. `progress` receives how many
    /// bytes are copied, and of how many.
    fn backup(&self, to: &Path, progress: &dyn Fn(u64, u64)) -> Result<i64>;

    /// Locks a name until the lock is dropped or the process ends. Returns `None` if the name is
    /// locked already. A name is a short word of letters and digits. The default suits a store
    /// that ends with its process: no other process can hold a name.
    fn lock_name(&self, _name: &str) -> Result<Option<NameLock>> {
        Ok(Some(Box::new(())))
    }

    /// Examines the store and its environment. Leaves nothing changed.
    fn health(&self) -> Result<Vec<Finding>>;
}

/// A step of importing a vault. Until the import is finished, the vault cannot be used.
#[derive(Clone, Debug)]
pub enum Import {
    /// Creates an empty vault, or resumes an import that was begun from the same source.
    Begin { source: Hash },
    /// Stores events, their rows and the texts they reference, in one transaction.
    Load { contents: Vec<Content>, events: Vec<Logged> },
    /// Makes the vault usable like any other.
    Finish,
    /// Removes everything that was loaded.
    Abandon,
}

/// How far `collect` goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sweep {
    Look,
    Remove,
    /// Removes, and returns free space to the file system.
    Vacuum,
}

/// The amount of data that nothing references.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Garbage {
    /// Expired idempotency keys.
    pub keys: i64,
    /// Texts that no event references.
    pub contents: i64,
    /// The size of those texts.
    pub bytes: i64,
    /// The size of the whole store on disk.
    pub disk_before: i64,
    pub disk_after: i64,
}

/// How much a rebuild read and wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rebuilt {
    pub events: i64,
    pub rows: i64,
}

/// A consistent view of a vault at one moment.
pub trait Snapshot: Places<Error = Error> + History {
    /// The vault's own row.
    fn vault(&self) -> &VaultState;

    fn state(&mut self, needs: &Needs) -> Result<State>;

    /// Returns the blocks that an event created, regardless of where they are shown.
    fn blocks(&mut self, turn: i64) -> Result<Vec<Shown>>;

    /// Returns the message blocks that a scope showed right after an event, below a position. The
    /// position spares the store from reading later places.
    fn messages_at(&mut self, scope: ScopeNo, seq: i64, before: i64) -> Result<Vec<Shown>>;

    /// Returns up to two notes whose hash begins with these hexadecimal digits.
    fn notes_by_hash(&mut self, prefix: &str) -> Result<Vec<NoteShown>>;

    /// Returns the events after a sequence, in order.
    fn events(&mut self, after: i64, limit: i64) -> Result<Vec<Stored>>;

    /// Returns the contents after a number, in order.
    fn contents(&mut self, after: ContentNo, limit: i64) -> Result<Vec<Content>>;

    /// Returns the items that have or had a place in a scope.
    fn items_in(&mut self, scope: ScopeNo) -> Result<BTreeSet<ItemNo>>;

    /// Reads the given parts of the search index.
    fn index(&mut self, parts: &BTreeSet<i64>) -> Result<Index>;

    /// Counts the rows of the search index that do not match the texts.
    fn index_faults(&mut self) -> Result<i64>;

    /// Returns the items that hold the given texts, shown or not. If many items hold the same text,
    /// returns the last few.
    fn bearers(&mut self, sought: &[Sought]) -> Result<Vec<Bearer>>;

    /// Returns every row derived from the log. A row that cannot be read is left out and listed in
    /// `unreadable`.
    fn rows(&mut self) -> Result<Rows>;
}

/// How long `scrub` waits for readers of snapshots that still hold deleted text.
const SCRUB_WAIT_MS: u64 = 5_000;

/// How often `decide` may ask for more State within one transaction.
const NEEDS_MAX: usize = 8;

/// How long an idempotency key is kept.
const KEY_LIFE_MS: Millis = 7 * 24 * 3600 * 1000;
