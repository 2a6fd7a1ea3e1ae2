//! Writing rows of turns and of open calls.

use ambit_core::message::Change;
use ambit_core::{OpenCallRow, TurnRow};

use super::{At, values};
use crate::Result;

impl At<'_> {
    pub(super) fn write_message(&mut self, change: &Change) -> Result<()> {
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

    pub(in crate::tables) fn insert_turn(&mut self, row: &TurnRow) -> Result<()> {
        self.exec("turn_insert", &values![self.vault, row.turn, row.shape.0])
    }

    pub(in crate::tables) fn insert_call(&mut self, row: &OpenCallRow) -> Result<()> {
        let (scope, item, actor) = (row.scope.0, row.item.0, row.actor.0);
        let row = values![self.vault, scope, item, actor, row.anchor, row.call_id];
        self.exec("call_insert", &row)
    }
}
