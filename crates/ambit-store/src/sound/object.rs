//! Checks objects and their versions in a log.

use ambit_core::check_object;
use ambit_core::object::Change;

use super::{Checked, Sound, ensure, label};

/// The longest name of an object under any setting.
const OBJECT_CHARS_MAX: i64 = 4_096;

impl Sound {
    pub(super) fn check_object(&mut self, change: &Change) -> Checked {
        let rows = &self.rows;
        match change {
            Change::Created(row) => {
                ensure(rows.items.contains_key(&row.item), "its text does not exist")?;
                check_object(&row.name, OBJECT_CHARS_MAX).map_err(|error| error.to_string())?;
                label("type", &row.kind)?;
                self.id(&row.id, "obj_")?;
                ensure(self.object_names.insert(row.name.clone()), "its object's name is taken")
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
