//! Objects and their versions: how their changes are applied and checked, and how their tables are
//! read and written.

use ambit_core::object::Change;
use ambit_core::{ItemNo, ObjectRow, VersionRow, check_object};

use super::{Origins, Rows, Table};
use crate::Result;
use crate::sound::{Checked, Sound, ensure, label};
use crate::tables::map::{int, string};
use crate::tables::{At, Got, Row, values};

impl Rows {
    pub(crate) fn change_object(&mut self, change: Change) {
        match change {
            Change::Created(row) => drop(self.objects.insert(row.item, row)),
            Change::Version(row) => {
                if let Some(object) = self.objects.get_mut(&row.object) {
                    object.versions = row.version;
                    (object.latest, object.latest_seq) = (row.item, row.seq);
                }
                self.versions.insert((row.object, row.version), row);
            }
        }
    }
}

impl At<'_> {
    pub(crate) fn write_object(&mut self, change: &Change) -> Result<()> {
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

    pub(crate) fn insert_object(&mut self, row: &ObjectRow) -> Result<()> {
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

    pub(crate) fn insert_version(&mut self, row: &VersionRow) -> Result<()> {
        let row = values![self.vault, row.object.0, row.version, row.seq, row.item.0];
        self.exec("version_insert", &row)
    }
}

/// The longest name of an object under any setting.
const OBJECT_CHARS_MAX: i64 = 4_096;

impl Sound {
    pub(crate) fn check_object(&mut self, change: &Change) -> Checked {
        let rows = &self.rows;
        match change {
            Change::Created(row) => {
                ensure(rows.items.contains_key(&row.item), "its text does not exist")?;
                check_object(&row.name, OBJECT_CHARS_MAX).map_err(|error| error.to_string())?;
                label("type", &row.kind)?;
                self.id(&row.id, "obj_")?;
                self.name(row)
            }
            Change::Version(row) => {
                let next = rows.objects.get(&row.object).is_some_and(|object| {
                    let first = object.latest_seq == row.seq && row.version == 1;
                    first || object.versions + 1 == row.version
                });
                ensure(next && rows.items.contains_key(&row.item), "its version is not the next")
            }
        }
    }
}

impl Table for ObjectRow {
    type Key = ItemNo;
    const NAME: &'static str = "object";
    const ALL: &'static str = "all_objects";
    const DELETE: &'static str = "all_object_delete";
    const BY_NAME: Option<&'static str> = Some("object_by_name");

    fn key(&self) -> Self::Key {
        self.item
    }

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn insert(&self, at: &mut At<'_>) -> Result<()> {
        at.insert_object(self)
    }

    fn event(&self, _origins: &Origins<'_>) -> Option<i64> {
        Some(self.created_seq)
    }

    fn read(row: &dyn Row) -> Got<Self> {
        Ok(ObjectRow {
            item: ItemNo(int(row, 0)?),
            id: string(row, 1)?,
            name: string(row, 2)?,
            kind: string(row, 3)?,
            created_seq: int(row, 4)?,
            versions: int(row, 5)?,
            latest: ItemNo(int(row, 6)?),
            latest_seq: int(row, 7)?,
        })
    }
}

impl Table for VersionRow {
    type Key = (ItemNo, i64);
    const NAME: &'static str = "version";
    const ALL: &'static str = "all_versions";
    const DELETE: &'static str = "all_version_delete";

    fn key(&self) -> Self::Key {
        (self.object, self.version)
    }

    fn insert(&self, at: &mut At<'_>) -> Result<()> {
        at.insert_version(self)
    }

    fn event(&self, _origins: &Origins<'_>) -> Option<i64> {
        Some(self.seq)
    }

    fn read(row: &dyn Row) -> Got<Self> {
        let (object, item) = (ItemNo(int(row, 0)?), ItemNo(int(row, 3)?));
        Ok(VersionRow { object, version: int(row, 1)?, seq: int(row, 2)?, item })
    }
}
