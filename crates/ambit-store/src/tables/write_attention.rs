//! Writing what events of attention change: objects, frames, forks and their ends.

use ambit_core::{Change, DeltaRow, FrameRow, ObjectRow, ScopeNo, StandRow, VersionRow};

use super::{At, map, values};
use crate::Result;

impl At<'_> {
    pub(super) fn write_attention(&mut self, change: &Change) -> Result<()> {
        let vault = self.vault;
        match change {
            Change::Stand(row) => self.insert_stand(row),
            Change::Delta(row) => self.insert_delta(row),
            Change::Object(row) => self.insert_object(row),
            Change::Version(row) => {
                if row.version > 1 {
                    let (version, item) = (row.version, row.item.0);
                    let next = values![vault, row.object.0, version, item, row.seq];
                    self.exec("object_next", &next)?;
                }
                self.insert_version(row)
            }
            Change::Frame(row) => self.insert_frame(row),
            Change::DropFrame { frame } => self.exec("frame_drop", &values![vault, frame.0]),
            Change::Break { actor, seq } => self.exec("actor_break", &values![vault, actor.0, seq]),
            Change::Fate { actor, fate, seq } => {
                self.exec("actor_fate", &values![vault, actor.0, fate.as_str(), seq])
            }
            Change::LastView { actor, view } => {
                self.exec("actor_last_view", &values![vault, actor.0, view.0])
            }
            Change::Fossil { view, ended_seq, seq } => {
                self.exec("view_fossil", &values![vault, view.0, seq, ended_seq])
            }
            Change::CloseScope { scope, seq } => self.close_scope(*scope, *seq),
            other => self.write_forgotten(other),
        }
    }

    fn close_scope(&mut self, scope: ScopeNo, seq: i64) -> Result<()> {
        let key = values![self.vault, scope.0];
        let known = self.many("presences", key.to_vec(), map::presence)?;
        for row in known.iter().filter(|row| row.entered_seq.is_some()) {
            self.exec("actor_out", &values![self.vault, row.actor.0, scope.0])?;
        }
        self.exec("presences_leave", &key)?;
        self.exec("scope_close", &values![self.vault, scope.0, seq])
    }

    pub(super) fn insert_object(&mut self, row: &ObjectRow) -> Result<()> {
        let (item, latest) = (row.item.0, row.latest.0);
        let (created, latest_seq) = (row.created_seq, row.latest_seq);
        self.exec(
            "object_insert",
            &values![
                self.vault,
                item,
                &row.id,
                &row.name,
                &row.kind,
                created,
                row.versions,
                latest,
                latest_seq,
            ],
        )
    }

    pub(super) fn insert_version(&mut self, row: &VersionRow) -> Result<()> {
        let row = values![self.vault, row.object.0, row.version, row.seq, row.item.0];
        self.exec("version_insert", &row)
    }

    pub(super) fn insert_delta(&mut self, row: &DeltaRow) -> Result<()> {
        self.exec("delta_insert", &values![self.vault, row.frame.0, row.seq, row.item.0])
    }

    pub(super) fn insert_stand(&mut self, row: &StandRow) -> Result<()> {
        let primary = row.stands.primary.map(|scope| scope.0);
        let active: Vec<_> = row.stands.active.iter().map(ToString::to_string).collect();
        let active = active.join(",");
        self.exec("stand_insert", &values![self.vault, row.actor.0, row.seq, primary, &active])
    }

    pub(super) fn insert_frame(&mut self, row: &FrameRow) -> Result<()> {
        let row = values![self.vault, row.scope.0, row.item.0, row.last_seq, row.visits];
        self.exec("frame_insert", &row)
    }
}
