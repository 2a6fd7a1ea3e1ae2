//! Compares stored rows with the rows that follow from the log. Finds the first difference and the
//! event that the damaged row comes from.

use std::collections::BTreeMap;

use ambit_core::{ItemNo, ScopeNo};
use ambit_store::Rows;

/// The rows and settings that follow from the log.
pub(crate) struct Known<'a> {
    pub rebuilt: &'a Rows,
    /// The events that set the settings.
    pub settings: &'a BTreeMap<(ScopeNo, String), i64>,
}

/// A row that differs from the log.
pub(crate) struct Difference {
    pub table: &'static str,
    /// The event that the row comes from, if known. A surplus row has no event.
    pub event: Option<i64>,
}

/// Returns the difference with the earliest event.
pub(crate) fn first_difference(stored: &Rows, known: &Known<'_>) -> Option<Difference> {
    let Known { rebuilt, settings } = known;
    let mut found = Vec::new();
    let mut add = |table, event: Option<Option<i64>>| {
        found.extend(event.map(|event| Difference { table, event }));
    };
    let created = |scope: &ScopeNo| rebuilt.scopes.get(scope).map(|row| row.created_seq);
    let made = |item: &ItemNo| rebuilt.items.get(item).map(|row| row.turn);
    // Exhaustive: a new table does not compile until it is compared.
    let Rows {
        vault,
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
        settings: stored_settings,
        unreadable: _,
    } = stored;
    add("vault", (*vault != rebuilt.vault).then_some(Some(rebuilt.vault.head_seq)));
    add("scope", differs(scopes, &rebuilt.scopes, |_, row| Some(row.created_seq)));
    // An actor is registered together with its home scope.
    add("actor", differs(actors, &rebuilt.actors, |_, row| created(&row.home)));
    add("presence", differs(presences, &rebuilt.presences, |_, row| row.entered_seq));
    add("item", differs(items, &rebuilt.items, |_, row| Some(row.turn)));
    add("place", differs(places, &rebuilt.places, |_, row| Some(row.from_seq)));
    add("turn", differs(turns, &rebuilt.turns, |turn, _| Some(*turn)));
    add("note", differs(notes, &rebuilt.notes, |_, row| Some(row.seq)));
    add("object", differs(objects, &rebuilt.objects, |_, row| Some(row.created_seq)));
    add("version", differs(versions, &rebuilt.versions, |_, row| Some(row.seq)));
    add("delta", differs(deltas, &rebuilt.deltas, |_, row| Some(row.seq)));
    add("stand", differs(stands, &rebuilt.stands, |_, row| Some(row.seq)));
    add("visit", differs(visits, &rebuilt.visits, |_, row| Some(row.seq)));
    add("view", differs(views, &rebuilt.views, |_, row| Some(row.started_seq)));
    add("stream", differs(streams, &rebuilt.streams, |_, row| Some(row.position)));
    add("frame", differs(frames, &rebuilt.frames, |_, row| Some(row.last_seq)));
    add("open_call", differs(calls, &rebuilt.calls, |_, row| made(&row.item)));
    let set = |key: &(ScopeNo, String)| settings.get(key).copied();
    add("setting", differs(stored_settings, &rebuilt.settings, |key, _| set(key)));
    found.into_iter().min_by_key(|it| it.event.unwrap_or(i64::MAX))
}

/// Returns None if both are equal, otherwise the earliest event of the missing or altered rows.
fn differs<K: Ord, T: PartialEq>(
    stored: &BTreeMap<K, T>,
    rebuilt: &BTreeMap<K, T>,
    event: impl Fn(&K, &T) -> Option<i64>,
) -> Option<Option<i64>> {
    if stored == rebuilt {
        return None;
    }
    let wrong = rebuilt.iter().filter(|(key, row)| stored.get(key) != Some(row));
    Some(wrong.filter_map(|(key, row)| event(key, row)).min())
}
