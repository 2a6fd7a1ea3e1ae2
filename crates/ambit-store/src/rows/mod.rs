//! All rows of a vault, one file per noun. Memory keeps its rows this way, and `verify` rebuilds
//! them from the log to compare.
//!
//! Each file says how every store applies the changes of its noun ([`Rows`] in memory, `At` by
//! SQL), whether the changes of a foreign log are possible ([`Sound`]), and how its tables are read
//! and written ([`Table`]). `tables!` is the only list of tables.

mod actor;
mod forget;
mod fork;
mod frame;
mod item;
mod message;
mod note;
mod object;
mod scope;
mod setting;
mod view;

use std::collections::BTreeMap;

use ambit_core::{
    ActiveScopesRow, ActorNo, ActorRow, Change, DeltaRow, FrameRow, ItemNo, ItemRow, Logged,
    NoteRow, ObjectRow, OpenCallRow, PlaceRow, PresenceRow, ScopeNo, ScopeRow, SettingRow,
    StreamRow, TurnRow, VaultState, VersionRow, ViewNo, ViewRow, VisitRow, changes,
};

use crate::sound::{Checked, Sound};
use crate::tables::{At, Got, Reader, Row};
use crate::{Error, Result};

/// A table whose rows follow from the log.
pub(crate) trait Table: Sized {
    type Key;
    const NAME: &'static str;
    /// The statement that reads all rows of a vault.
    const ALL: &'static str;
    /// The statement that deletes them.
    const DELETE: &'static str;
    /// The statement that finds a row by its name, if the rows have unique names.
    const BY_NAME: Option<&'static str> = None;

    fn key(&self) -> Self::Key;

    /// Returns the row's unique name, if it has one.
    fn name(&self) -> Option<&str> {
        None
    }

    fn insert(&self, at: &mut At<'_>) -> Result<()>;

    /// Returns the event that the row comes from, where that is known.
    fn event(&self, origins: &Origins<'_>) -> Option<i64>;

    /// Reads a row, in the column order of the statements in `sql/`.
    fn read(row: &dyn Row) -> Got<Self>;
}

/// What the log says about the origin of rows.
pub struct Origins<'a> {
    pub rebuilt: &'a Rows,
    /// The events that settings come from.
    pub settings: &'a BTreeMap<(ScopeNo, String), i64>,
}

/// A table with a row that does not follow from the log.
pub struct Difference {
    pub table: &'static str,
    /// The earliest event whose row is missing or altered. None where a row is too many.
    pub event: Option<i64>,
}

macro_rules! tables {
    ($($field:ident: $key:ty => $row:ty,)+) => {
        /// Every table of a vault except the log and its contents, by primary key.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct Rows {
            pub vault: VaultState,
            $(pub $field: BTreeMap<$key, $row>,)+
            /// Problems with rows that could not be read.
            pub unreadable: Vec<String>,
        }

        /// The statements that delete all rows of a vault, in the order of `tables!`.
        const DELETES: &[&str] = &[$(<$row>::DELETE),+];

        /// Returns the statement that finds a row of a table by its name.
        pub(crate) fn by_name(table: &str) -> Result<&'static str> {
            let statement = match table {
                $(<$row>::NAME => <$row>::BY_NAME,)+
                _ => None,
            };
            statement.ok_or_else(|| Error::Damaged(format!("rows of {table} have no unique names")))
        }

        impl Rows {
            /// Returns whether a row of a table has this name.
            pub(crate) fn has_name(&self, table: &str, name: &str) -> Result<bool> {
                by_name(table)?;
                let named = [$(
                    <$row>::NAME == table
                        && self.$field.values().any(|row| Table::name(row) == Some(name))
                ),+];
                Ok(named.contains(&true))
            }

            /// Returns the number of rows beside the vault's own.
            pub fn count(&self) -> i64 {
                (0 $(+ self.$field.len())+) as i64
            }

            /// Reads all rows of a vault. A row that cannot be read is left out and reported.
            pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Rows> {
                let mut rows = Rows { vault: reader.vault.clone(), ..Rows::default() };
                $(rows.$field = reader.all(&mut rows.unreadable)?;)+
                Ok(rows)
            }

            /// Inserts all rows. `done` is called for each.
            pub(crate) fn insert(&self, at: &mut At<'_>, done: &mut dyn FnMut()) -> Result<()> {
                $(for row in self.$field.values() {
                    row.insert(at)?;
                    done();
                })+
                Ok(())
            }

            /// Returns the difference from the rebuilt rows that goes back to the earliest event.
            pub fn first_difference(&self, origins: &Origins<'_>) -> Option<Difference> {
                let rebuilt = origins.rebuilt;
                let head = Some(rebuilt.vault.head_seq);
                let vault = Difference { table: "vault", event: head };
                let vault = (self.vault != rebuilt.vault).then_some(vault);
                let tables = [$(differs(&self.$field, &rebuilt.$field, origins)),+];
                let found = vault.into_iter().chain(tables.into_iter().flatten());
                found.min_by_key(|it| it.event.unwrap_or(i64::MAX))
            }
        }
    };
}

// Tables that others refer to come first.
tables! {
    scopes: ScopeNo => ScopeRow,
    actors: ActorNo => ActorRow,
    presences: (ActorNo, ScopeNo) => PresenceRow,
    items: ItemNo => ItemRow,
    places: (ScopeNo, i64) => PlaceRow,
    turns: i64 => TurnRow,
    notes: (ScopeNo, i64) => NoteRow,
    objects: ItemNo => ObjectRow,
    versions: (ItemNo, i64) => VersionRow,
    visits: (ScopeNo, i64) => VisitRow,
    deltas: (ScopeNo, i64) => DeltaRow,
    stands: (ActorNo, i64) => ActiveScopesRow,
    views: ViewNo => ViewRow,
    streams: (ScopeNo, i64, ViewNo) => StreamRow,
    frames: (ScopeNo, ItemNo) => FrameRow,
    calls: (ScopeNo, ItemNo) => OpenCallRow,
    settings: (ScopeNo, String) => SettingRow,
}

/// Returns the statements that delete all rows of a vault, tables that refer to others first.
pub(crate) fn deletes() -> impl Iterator<Item = &'static str> {
    DELETES.iter().rev().copied()
}

fn differs<T: Table<Key: Ord> + PartialEq>(
    stored: &BTreeMap<T::Key, T>,
    rebuilt: &BTreeMap<T::Key, T>,
    origins: &Origins<'_>,
) -> Option<Difference> {
    if stored == rebuilt {
        return None;
    }
    let wrong = rebuilt.iter().filter(|(key, row)| stored.get(key) != Some(row));
    let event = wrong.filter_map(|(_, row)| row.event(origins)).min();
    Some(Difference { table: T::NAME, event })
}

impl At<'_> {
    /// Writes the rows that a change comes down to.
    pub(crate) fn write_change(&mut self, change: &Change) -> Result<()> {
        match change {
            // The vault's own row is written once, after the last event.
            Change::Vault(_) => Ok(()),
            Change::Actor(change) => self.write_actor(change),
            Change::Scope(change) => self.write_scope(change),
            Change::Item(change) => self.write_item(change),
            Change::Message(change) => self.write_message(change),
            Change::Note(change) => self.write_note(change),
            Change::Object(change) => self.write_object(change),
            Change::Frame(change) => self.write_frame(change),
            Change::View(change) => self.write_view(change),
            Change::Setting(change) => self.write_setting(change),
            Change::Forget(change) => self.write_forget(change),
        }
    }
}

impl Sound {
    /// Checks that a change of a foreign log is possible.
    pub(crate) fn check(&mut self, change: &Change) -> Checked {
        match change {
            // The vault's row follows the event itself.
            Change::Vault(_) => Ok(()),
            Change::Actor(change) => self.check_actor(change),
            Change::Scope(change) => self.check_scope(change),
            Change::Item(change) => self.check_item(change),
            Change::Message(change) => self.check_message(change),
            Change::Note(change) => self.check_note(change),
            Change::Object(change) => self.check_object(change),
            Change::Frame(change) => self.check_frame(change),
            Change::View(change) => self.check_view(change),
            Change::Setting(change) => self.check_setting(change),
            Change::Forget(change) => self.check_forget(change),
        }
    }
}

impl Rows {
    /// Applies one event.
    pub fn apply(&mut self, logged: &Logged) {
        self.vault.follow(logged);
        for change in changes(&logged.event) {
            self.change(change);
        }
    }

    pub(crate) fn change(&mut self, change: Change) {
        match change {
            // The vault's own row is updated from the event itself.
            Change::Vault(_) => {}
            Change::Actor(change) => self.change_actor(change),
            Change::Scope(change) => self.change_scope(change),
            Change::Item(change) => self.change_item(change),
            Change::Message(change) => self.change_message(change),
            Change::Note(change) => self.change_note(change),
            Change::Object(change) => self.change_object(change),
            Change::Frame(change) => self.change_frame(change),
            Change::View(change) => self.change_view(change),
            Change::Setting(change) => self.change_setting(change),
            Change::Forget(change) => self.change_forget(change),
        }
    }

    /// Returns a scope's open places, in order.
    pub fn open_places(&self, scope: ScopeNo) -> impl DoubleEndedIterator<Item = &PlaceRow> {
        let range = self.places.range((scope, 0)..=(scope, i64::MAX));
        range.map(|(_, row)| row).filter(|row| row.to_seq.is_none())
    }
}
