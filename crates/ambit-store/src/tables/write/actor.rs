//! Writing rows of actors.

use ambit_core::ActorRow;
use ambit_core::actor::Change;

use super::{At, values};
use crate::Result;

impl At<'_> {
    pub(super) fn write_actor(&mut self, change: &Change) -> Result<()> {
        match change {
            Change::Registered(row) => self.insert_actor(row),
            Change::Ended { actor, fate, seq } => {
                self.exec("actor_fate", &values![self.vault, actor.0, fate.as_str(), seq])
            }
        }
    }

    pub(in crate::tables) fn insert_actor(&mut self, row: &ActorRow) -> Result<()> {
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
