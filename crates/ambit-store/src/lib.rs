//! Ambit's stores: rows, not rules. A store keeps the log and the rows that follow from it, has
//! commands decided inside its write transaction, and offers snapshots to read from.
//!
//! [`Memory`] is the reference, simple on purpose; [`Sqlite`] is what a person uses, and
//! [`Postgres`] what a team does. All pass the one suite in `tests/contract.rs`.

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
pub use rows::Rows;
pub use sound::Sound;
pub use sqlite::{Options, Sqlite};
pub use statements::MIGRATIONS;

/// A vault, as it is listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VaultInfo {
    pub name: String,
    pub head_seq: i64,
    pub time: Millis,
}

/// Decides a command on a State. It may be asked several times, and by whichever thread writes.
pub type Decide = Box<dyn FnMut(&State) -> Decision + Send>;

/// A lock on a name: dropping it releases the name.
pub type NameLock = Box<dyn Send>;

/// The contract.
pub trait Store: Send + Sync {
    /// All vaults by name, but for those that are being imported.
    fn vaults(&self) -> Result<Vec<VaultInfo>>;

    /// Creates a vault. False where there is one of that name: then nothing changes.
    fn create(&self, vault: &str, now: Millis, seed: [u8; 32]) -> Result<bool>;

    /// Has a command decided inside the write transaction and keeps what follows from it. When it
    /// returns, the events are durable. A rejection changes nothing.
    fn transact(&self, ask: Ask, decide: Decide) -> Result<Answer>;

    /// Reads within one snapshot of a vault.
    fn read(
        &self,
        vault: &str,
        reader: &mut dyn FnMut(&mut dyn Snapshot) -> Result<()>,
    ) -> Result<()>;

    /// Takes one step of an import and gives the vault's row after it. Each step is durable.
    fn import(&self, vault: &str, step: Import) -> Result<VaultState>;

    /// Takes what was deleted out of the store's files, as far as it can. False where somebody was
    /// in the way: then it has to be done again.
    fn scrub(&self) -> Result<bool>;

    /// What `scrub` cannot reach, in words.
    fn cannot_scrub(&self) -> &'static [&'static str];

    /// Puts the rows that follow from the log in the place of those that are there, all or none.
    /// Refuses where the log itself is damaged. `progress` is told how many events were read and
    /// how many rows were written.
    fn rebuild(&self, vault: &str, progress: &dyn Fn(i64, i64)) -> Result<Rebuilt>;

    /// Finds what nothing refers to, and removes it if told to. `progress` is told how many events
    /// were read.
    fn collect(
        &self,
        vault: &str,
        now: Millis,
        sweep: Sweep,
        progress: &dyn Fn(i64),
    ) -> Result<Garbage>;

    /// Copies the whole store to a file, as it is at one moment; the file appears when it is whole,
    /// in the place of one that is there. Gives its size. `progress` is told how many bytes of how
    /// many are copied.
    fn backup(&self, to: &Path, progress: &dyn Fn(u64, u64)) -> Result<i64>;

    /// Locks a name until the lock is dropped, and at most as long as the process
    /// lives. None where it is locked already. The name is a short word of letters and
    /// digits. A store that ends with its process has nobody to share names with.
    fn lock_name(&self, _name: &str) -> Result<Option<NameLock>> {
        Ok(Some(Box::new(())))
    }

    /// What can be seen of the store and what it stands on. It writes nothing that stays.
    fn health(&self) -> Result<Vec<Finding>>;
}

/// How a vault comes in from outside. Until it is finished nothing else can be done with it.
#[derive(Clone, Debug)]
pub enum Import {
    /// Makes an empty vault, or goes on with one that was begun from the same source.
    Begin { source: Hash },
    /// Keeps events, their rows and the texts they name, all or none.
    Load { contents: Vec<Content>, events: Vec<Logged> },
    /// The vault is one like any other from now on.
    Finish,
    /// Removes what was loaded.
    Abandon,
}

/// How far `collect` goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sweep {
    Look,
    Remove,
    /// Removes, and gives free room back to the disk.
    Vacuum,
}

/// What nothing refers to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Garbage {
    /// Idempotency keys that ran out.
    pub keys: i64,
    /// Texts that no event names.
    pub contents: i64,
    /// What they take.
    pub bytes: i64,
    /// What the whole store takes on disk.
    pub disk_before: i64,
    pub disk_after: i64,
}

/// What a rebuild came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rebuilt {
    pub events: i64,
    pub rows: i64,
}

/// A vault at one moment.
pub trait Snapshot: Places<Error = Error> + History {
    /// The vault's own row.
    fn vault(&self) -> &VaultState;

    fn state(&mut self, needs: &Needs) -> Result<State>;

    /// The blocks that an event made, wherever they are shown.
    fn blocks(&mut self, turn: i64) -> Result<Vec<Shown>>;

    /// The message blocks that a scope showed right after an event, before a position: what came
    /// there later need not be walked over.
    fn messages_at(&mut self, scope: ScopeNo, seq: i64, before: i64) -> Result<Vec<Shown>>;

    /// Up to two notes whose hash begins with these hexadecimal digits.
    fn notes_by_hash(&mut self, prefix: &str) -> Result<Vec<NoteShown>>;

    /// Events after a sequence, in order.
    fn events(&mut self, after: i64, limit: i64) -> Result<Vec<Stored>>;

    /// Contents after a number, in order.
    fn contents(&mut self, after: ContentNo, limit: i64) -> Result<Vec<Content>>;

    /// The items that have a place in a scope, or had one.
    fn items_in(&mut self, scope: ScopeNo) -> Result<BTreeSet<ItemNo>>;

    /// The search index, as far as these parts of it are concerned.
    fn index(&mut self, parts: &BTreeSet<i64>) -> Result<Index>;

    /// How many rows of the search index are not as the texts say.
    fn index_faults(&mut self) -> Result<i64>;

    /// Where texts or items stand, in sight or not. Of a text that many bear, the last few.
    fn bearers(&mut self, sought: &[Sought]) -> Result<Vec<Bearer>>;

    /// Every row that follows from the log. One that cannot be read is left out, and told of.
    fn rows(&mut self) -> Result<Rows>;
}

/// How long `scrub` waits for those who still read what was deleted.
const SCRUB_WAIT_MS: u64 = 5_000;

/// How often `decide` may ask for more State within one transaction.
const NEEDS_MAX: usize = 8;

/// How long an idempotency key is kept.
const KEY_LIFE_MS: Millis = 7 * 24 * 3600 * 1000;
