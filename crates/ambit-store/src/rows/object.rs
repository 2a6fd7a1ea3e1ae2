//! Rows of objects and their versions.

use ambit_core::object::Change;

use super::Rows;

impl Rows {
    pub(super) fn change_object(&mut self, change: Change) {
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
