//! Rebuild: replaces all rows of a vault by those derived from its log, and repairs the search
//! index, which is derived from the texts.

use super::{At, Link, map, one, values};
use crate::{Error, PAGE, Rebuilt, Result, Rows, walk};

/// Every table that is derived from the log, referencing tables first.
pub(super) const TABLES: [&str; 17] = [
    "all_open_call_delete",
    "all_frame_delete",
    "all_stream_delete",
    "all_visit_delete",
    "all_note_delete",
    "all_place_delete",
    "all_presence_delete",
    "all_turn_delete",
    "all_view_delete",
    "all_stand_delete",
    "all_delta_delete",
    "all_version_delete",
    "all_object_delete",
    "all_item_delete",
    "all_actor_delete",
    "all_setting_delete",
    "all_scope_delete",
];

/// Replays the log and replaces all rows by the result. If the log is damaged, nothing changes.
/// `progress` receives how many events were read and how many rows were written.
pub(crate) fn rebuild(
    link: &mut dyn Link,
    name: &str,
    progress: &dyn Fn(i64, i64),
) -> Result<Rebuilt> {
    let no_vault = || Error::NoVault(name.to_string());
    let vault = one(link, "vault_number", values![name], map::number)?.ok_or_else(no_vault)?;
    // Only these columns are read: the others may be damaged.
    let found = one(link, "vault_to_rebuild", values![vault], map::vault_to_rebuild)?;
    match found.ok_or_else(no_vault)? {
        (locked, _) if locked != name => return Err(Error::Moved),
        (_, Some(_)) => return Err(Error::Importing(name.to_string())),
        (_, None) => {}
    }
    let mut at = At { link, vault };
    let mut rows = Rows::default();
    let read = |after: i64| {
        progress(after.max(0), 0);
        at.many("events", values![vault, after, PAGE], map::stored)
    };
    if let Some(found) = walk(read, |logged| rows.apply(&logged))? {
        return Err(Error::Damaged(format!("{}; rows cannot be rebuilt from that", found.problem)));
    }
    if rows.vault.head_seq == 0 {
        return Err(Error::Damaged("event 1 is missing; rows cannot be rebuilt from that".into()));
    }
    TABLES.iter().try_for_each(|statement| at.exec(statement, &values![vault]))?;
    let count = at.insert_rows(&rows, progress)?;
    at.update_vault(&rows.vault)?;
    at.repair_index(&rows.vault)?;
    at.exec("vault_changed", &values![vault])?;
    Ok(Rebuilt { events: rows.vault.head_seq, rows: count })
}

impl At<'_> {
    /// Inserts all rows, referenced tables first.
    fn insert_rows(&mut self, rows: &Rows, progress: &dyn Fn(i64, i64)) -> Result<i64> {
        // An exhaustive pattern: a new table does not compile until it is handled here.
        let Rows {
            vault: _,
            scopes,
            actors,
            presences,
            items,
            places,
            turns,
            notes,
            objects,
            versions,
            visits,
            deltas,
            stands,
            views,
            streams,
            frames,
            calls,
            settings,
            unreadable: _,
        } = rows;
        let events = rows.vault.head_seq;
        let mut count = 0;
        let mut done = || {
            count += 1;
            if count % PAGE == 0 {
                progress(events, count);
            }
        };
        macro_rules! each {
            ($table:expr, $row:ident => $insert:expr) => {
                for $row in $table {
                    $insert?;
                    done();
                }
            };
        }
        each!(scopes.values(), row => self.insert_scope(row));
        each!(actors.values(), row => self.insert_actor(row));
        each!(presences.values(), row => self.insert_presence(row));
        each!(items.values(), row => self.insert_item(row));
        each!(places.values(), row => self.insert_place(row));
        each!(turns.values(), row => self.insert_turn(row));
        each!(notes.values(), row => self.insert_note(row));
        each!(objects.values(), row => self.insert_object(row));
        each!(versions.values(), row => self.insert_version(row));
        each!(visits.values(), row => self.insert_visit(row));
        each!(deltas.values(), row => self.insert_delta(row));
        each!(stands.values(), row => self.insert_stand(row));
        each!(views.values(), row => self.insert_view(row));
        each!(streams.values(), row => self.insert_stream(row));
        each!(frames.values(), row => self.insert_frame(row));
        each!(calls.values(), row => self.insert_call(row));
        each!(settings, row => self.set(row.0.0, &row.0.1, row.1));
        Ok(count)
    }

    fn insert_presence(&mut self, row: &ambit_core::PresenceRow) -> Result<()> {
        self.exec(
            "presence_insert",
            &values![
                self.vault,
                row.actor.0,
                row.scope.0,
                row.entered_seq,
                row.last_time,
                row.boundary,
                row.fold,
                row.fold_seq,
                row.answered,
                row.answered_seq,
            ],
        )
    }
}
