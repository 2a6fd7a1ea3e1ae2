//! Writing rows of objects and their versions.

use ambit_core::object::Change;
use ambit_core::{ObjectRow, VersionRow};

use super::{At, values};
use crate::Result;

impl At<'_> {
    pub(super) fn write_object(&mut self, change: &Change) -> Result<()> {
        match change {
            Change::Created(row) => self.insert_object(row),
            Change::Version(row) => {
                if row.version > 1 {
                    let (version, item) = (row.version, row.item.0);
                    let next = values![self.vault, row.object.0, version, item, row.seq];
                    self.exec("object_next", &next)?;
                }
                self.insert_version(row)
            }
        }
    }

    pub(in crate::tables) fn insert_object(&mut self, row: &ObjectRow) -> Result<()> {
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

    pub(in crate::tables) fn insert_version(&mut self, row: &VersionRow) -> Result<()> {
        let row = values![self.vault, row.object.0, row.version, row.seq, row.item.0];
        self.exec("version_insert", &row)
    }
}
