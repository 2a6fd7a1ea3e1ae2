//! Compares histories with the log: everything in a stream is listed once, latest first, in pages
//! of any length; a history of changes lists only the changes.

use ambit::{Caller, Engine, HistoryRequest};
use ambit_core::{Logged, ScopeNo};
use ambit_store::Rows;

/// Compares all histories of a vault, in pages of a given length.
pub fn histories(
    engine: &Engine,
    me: &Caller,
    rows: &Rows,
    log: &[Logged],
    page: i64,
) -> Result<(), String> {
    let homes = rows.actors.values().map(|row| (Some(row.name.clone()), None, row.home));
    let named = rows.scopes.values().filter(|row| row.name.is_some());
    let scopes = named.map(|row| (None, row.name.clone(), row.scope));
    for (actor, scope, frame) in homes.chain(scopes) {
        for changes in [false, true] {
            let (actor, scope) = (actor.clone(), scope.clone());
            let limit = Some(page);
            let request =
                HistoryRequest { actor, scope, changes, limit, ..HistoryRequest::default() };
            let listed = expected(rows, log, frame, changes);
            check((engine, me), request, &listed)?;
        }
    }
    for row in rows.objects.values() {
        let named = Some(row.id.clone());
        let request = HistoryRequest { named, limit: Some(page), ..HistoryRequest::default() };
        let of =
            |it: &&Logged| it.event.body.what.visit().is_some_and(|(item, _)| item == row.item);
        let seen: Vec<_> = log.iter().rev().filter(of).map(|it| it.event.seq).collect();
        let changed: Vec<_> = rows.deltas.values().filter(|it| it.item == row.item).collect();
        let changed = |seq: i64| changed.iter().any(|it| it.seq == seq);
        let all = log.iter().rev().map(|it| it.event.seq);
        let all: Vec<_> = all.filter(|seq| seen.contains(seq) || changed(*seq)).collect();
        check((engine, me), request.clone(), &all)?;
        let alone: Vec<_> = all.into_iter().filter(|seq| changed(*seq)).collect();
        check((engine, me), HistoryRequest { changes: true, ..request }, &alone)?;
    }
    Ok(())
}

/// Returns the events in a stream or captured from its frame, latest first.
fn expected(rows: &Rows, log: &[Logged], frame: ScopeNo, changes: bool) -> Vec<i64> {
    let mut listed = Vec::new();
    for Logged { event, .. } in log.iter().rev() {
        let capture = event.body.what.capture();
        let captured = capture.is_some_and(|(_, from)| from == frame);
        let streamed =
            rows.streams.values().any(|it| it.frame == frame && Some(it.view) == event.view);
        if (captured || streamed) && (capture.is_some() || !changes) {
            listed.push(event.seq);
        }
    }
    listed
}

fn check(
    (engine, me): (&Engine, &Caller),
    request: HistoryRequest,
    expected: &[i64],
) -> Result<(), String> {
    let mut found = Vec::new();
    let mut before = None;
    loop {
        let request = HistoryRequest { before, ..request.clone() };
        let answer = engine.history(me, &request).map_err(|it| it.to_string())?;
        found.extend(answer.entries.iter().map(|it| it.event));
        before = answer.next;
        if before.is_none() {
            break;
        }
    }
    match found == expected {
        true => Ok(()),
        false => Err(format!("{request:?} tells {found:?}, not {expected:?}")),
    }
}
