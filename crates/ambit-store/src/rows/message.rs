//! Turns and open calls: how their changes are applied and checked, and how their tables are read
//! and written.

use ambit_core::message::Change;
use ambit_core::{ActorNo, ContentNo, ItemNo, OpenCallRow, PlaceRow, ScopeNo, TurnRow};

use super::{Origins, Rows, Table};
use crate::Result;
use crate::sound::{Checked, Sound, ensure};
use crate::tables::map::int;
use crate::tables::{At, Got, Row, values};

impl Rows {
    pub(crate) fn change_message(&mut self, change: Change) {
        match change {
            Change::Shape(row) => drop(self.turns.insert(row.turn, row)),
            Change::CallOpened(row) => drop(self.calls.insert((row.scope, row.item), row)),
            Change::CallAnswered { scope, item } => drop(self.calls.remove(&(scope, item))),
            Change::CallsGivenUp { scope, actor } => {
                self.calls.retain(|_, row| (row.scope, row.actor) != (scope, actor));
            }
            Change::Hidden { scope, from, to, seq } => self.hide(scope, from, to, seq),
        }
    }

    fn hide(&mut self, scope: ScopeNo, from: i64, to: i64, seq: i64) {
        let closes = |row: &PlaceRow| {
            row.kind.in_window() && row.to_seq.is_none() && (from..=to).contains(&row.anchor)
        };
        let rows = self.places.range_mut((scope, from)..=(scope, i64::MAX));
        rows.filter(|(_, row)| closes(row)).for_each(|(_, row)| row.to_seq = Some(seq));
        self.calls.retain(|_, row| row.scope != scope || !(from..=to).contains(&row.anchor));
    }
}

impl At<'_> {
    pub(crate) fn write_message(&mut self, change: &Change) -> Result<()> {
        let vault = self.vault;
        match change {
            Change::Shape(row) => self.insert_turn(row),
            Change::CallOpened(row) => self.insert_call(row),
            Change::CallAnswered { scope, item } => {
                self.exec("call_answered", &values![vault, scope.0, item.0])
            }
            Change::CallsGivenUp { scope, actor } => {
                self.exec("calls_give_up", &values![vault, scope.0, actor.0])
            }
            Change::Hidden { scope, from, to, seq } => {
                self.exec("places_close", &values![vault, scope.0, from, to, seq])?;
                self.exec("calls_close", &values![vault, scope.0, from, to])
            }
        }
    }

    pub(crate) fn insert_turn(&mut self, row: &TurnRow) -> Result<()> {
        self.exec("turn_insert", &values![self.vault, row.turn, row.shape.0])
    }

    pub(crate) fn insert_call(&mut self, row: &OpenCallRow) -> Result<()> {
        let (scope, item, actor) = (row.scope.0, row.item.0, row.actor.0);
        let row = values![self.vault, scope, item, actor, row.anchor, row.call_id];
        self.exec("call_insert", &row)
    }
}

impl Sound {
    pub(crate) fn check_message(&mut self, change: &Change) -> Checked {
        match change {
            Change::Shape(row) => {
                ensure(!self.rows.turns.contains_key(&row.turn), "its number is taken")?;
                self.uses_text(row.shape)
            }
            Change::CallOpened(row) => {
                let key = (row.scope, row.item);
                ensure(!self.rows.calls.contains_key(&key), "its call is already open")
            }
            Change::CallAnswered { scope, .. }
            | Change::CallsGivenUp { scope, .. }
            | Change::Hidden { scope, .. } => self.scope_there(*scope),
        }
    }
}

impl Table for TurnRow {
    type Key = i64;
    const NAME: &'static str = "turn";
    const ALL: &'static str = "all_turns";
    const DELETE: &'static str = "all_turn_delete";

    fn key(&self) -> Self::Key {
        self.turn
    }

    fn insert(&self, at: &mut At<'_>) -> Result<()> {
        at.insert_turn(self)
    }

    fn event(&self, _origins: &Origins<'_>) -> Option<i64> {
        Some(self.turn)
    }

    fn read(row: &dyn Row) -> Got<Self> {
        Ok(TurnRow { turn: int(row, 0)?, shape: ContentNo(int(row, 1)?) })
    }
}

impl Table for OpenCallRow {
    type Key = (ScopeNo, ItemNo);
    const NAME: &'static str = "open_call";
    const ALL: &'static str = "all_calls";
    const DELETE: &'static str = "all_open_call_delete";

    fn key(&self) -> Self::Key {
        (self.scope, self.item)
    }

    fn insert(&self, at: &mut At<'_>) -> Result<()> {
        at.insert_call(self)
    }

    fn event(&self, origins: &Origins<'_>) -> Option<i64> {
        origins.rebuilt.items.get(&self.item).map(|row| row.turn)
    }

    fn read(row: &dyn Row) -> Got<Self> {
        Ok(OpenCallRow {
            scope: ScopeNo(int(row, 0)?),
            actor: ActorNo(int(row, 1)?),
            anchor: int(row, 2)?,
            item: ItemNo(int(row, 3)?),
            call_id: int(row, 4)?,
        })
    }
}
