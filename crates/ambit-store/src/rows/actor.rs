//! Actors: how their changes are applied and checked, and how their tables are read and written.

use ambit_core::actor::Change;
use ambit_core::{ActorKind, ActorNo, ActorRow, Fate, ScopeNo, ViewNo};

use super::{Origins, Rows, Table};
use crate::Result;
use crate::sound::{Checked, Sound, ensure, label};
use crate::tables::map::{flag, int, maybe_int, maybe_text, string, word};
use crate::tables::{At, Got, Row, Unfit, values};

impl Rows {
    pub(crate) fn change_actor(&mut self, change: Change) {
        match change {
            Change::Registered(row) => drop(self.actors.insert(row.actor, *row)),
            Change::Ended { actor, fate, seq } => {
                if let Some(row) = self.actors.get_mut(&actor) {
                    row.fate = Some((fate, seq));
                }
            }
        }
    }
}

impl At<'_> {
    pub(crate) fn write_actor(&mut self, change: &Change) -> Result<()> {
        match change {
            Change::Registered(row) => self.insert_actor(row),
            Change::Ended { actor, fate, seq } => {
                self.exec("actor_fate", &values![self.vault, actor.0, fate.as_str(), seq])
            }
        }
    }

    pub(crate) fn insert_actor(&mut self, row: &ActorRow) -> Result<()> {
        self.exec(
            "actor_insert",
            &values![
                self.vault,
                row.actor.0,
                &row.id,
                &row.name,
                row.kind.as_str(),
                row.home.0,
                row.primary.map(|scope| scope.0),
                row.view.map(|view| view.0),
                row.view_open,
                row.view_pin.map(|scope| scope.0),
                row.view_capture.map(|scope| scope.0),
                row.view_time,
                row.break_seq,
                row.parent.map(|actor| actor.0),
                row.forked_from.map(|scope| scope.0),
                row.forked_into.map(|scope| scope.0),
                row.depth,
                row.fate.map(|(fate, _)| fate.as_str()),
                row.fate.map(|(_, seq)| seq),
            ],
        )
    }
}

impl Sound {
    pub(crate) fn check_actor(&mut self, change: &Change) -> Checked {
        match change {
            Change::Registered(row) => {
                ensure(!self.rows.actors.contains_key(&row.actor), "its number is taken")?;
                self.scope_there(row.home)?;
                self.id(&row.id, "act_")?;
                label("actor", &row.name)?;
                self.name(&**row)
            }
            Change::Ended { actor, .. } => self.actor_there(*actor),
        }
    }

    pub(crate) fn actor_there(&self, actor: ActorNo) -> Checked {
        ensure(self.rows.actors.contains_key(&actor), "its actor does not exist")
    }
}

impl Table for ActorRow {
    type Key = ActorNo;
    const NAME: &'static str = "actor";
    const ALL: &'static str = "all_actors";
    const DELETE: &'static str = "all_actor_delete";
    const BY_NAME: Option<&'static str> = Some("actor_by_name");

    fn key(&self) -> Self::Key {
        self.actor
    }

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn insert(&self, at: &mut At<'_>) -> Result<()> {
        at.insert_actor(self)
    }

    fn event(&self, origins: &Origins<'_>) -> Option<i64> {
        // An actor is registered together with its home.
        origins.rebuilt.scopes.get(&self.home).map(|row| row.created_seq)
    }

    fn read(row: &dyn Row) -> Got<Self> {
        Ok(ActorRow {
            actor: ActorNo(int(row, 0)?),
            id: string(row, 1)?,
            name: string(row, 2)?,
            kind: word(row, 3, ActorKind::parse)?,
            home: ScopeNo(int(row, 4)?),
            primary: maybe_int(row, 5)?.map(ScopeNo),
            view: maybe_int(row, 6)?.map(ViewNo),
            view_open: flag(row, 7)?,
            view_pin: maybe_int(row, 8)?.map(ScopeNo),
            view_capture: maybe_int(row, 9)?.map(ScopeNo),
            view_time: int(row, 10)?,
            break_seq: int(row, 11)?,
            parent: maybe_int(row, 12)?.map(ActorNo),
            forked_from: maybe_int(row, 13)?.map(ScopeNo),
            forked_into: maybe_int(row, 14)?.map(ScopeNo),
            depth: int(row, 15)?,
            fate: match (maybe_text(row, 16)?, maybe_int(row, 17)?) {
                (None, None) => None,
                (Some(_), Some(seq)) => Some((word(row, 16, Fate::parse)?, seq)),
                (fate, _) => return Err(Unfit::new(16, format!("{fate:?}"))),
            },
        })
    }
}
