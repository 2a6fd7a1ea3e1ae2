//! Moments: an event's sequence, or a time, as the sequence of the last event up to it.

use ambit_core::{Millis, Rejection, ScopeRow, moment, moment_through};
use ambit_store::Snapshot;

use super::Read;

/// The event that `--at` means: never one to come.
pub(super) fn event_at(snapshot: &mut dyn Snapshot, at: &str, now: Millis) -> Read<i64> {
    let head = snapshot.vault().head_seq;
    let future = |what: String| {
        Rejection::usage(
            format!("{what} is yet to come"),
            "ask for a moment that was: 3d, or an event",
        )
    };
    if let Ok(seq) = at.parse::<i64>() {
        return match seq {
            _ if seq < 1 => {
                Err(Rejection::usage("events are counted from 1", "`ambit log` shows them").into())
            }
            _ if seq > head => Err(future(format!("event {seq} (the last is {head})")).into()),
            _ => Ok(seq),
        };
    }
    let time = moment_through(at, now).ok_or_else(|| {
        let error = not_a_moment(at);
        Rejection { hint: format!("{}; or an event's number", error.hint), ..error }
    })?;
    if moment(at, now).is_none_or(|first| first > now) {
        return Err(future(at.to_string()).into());
    }
    last_until(snapshot, time)
}

/// Refuses to tell of a scope at a moment when it was not there.
pub(super) fn was_there(row: &ScopeRow, at: i64) -> Result<(), Rejection> {
    match row.created_seq <= at {
        true => Ok(()),
        false => Err(Rejection::not_found(
            format!("{:?} was not there at event {at}", row.name.as_deref().unwrap_or_default()),
            format!("it was opened by event {}; --scope names another", row.created_seq),
        )),
    }
}

pub(super) fn not_a_moment(text: &str) -> Rejection {
    Rejection::usage(
        format!("{text:?} is no moment"),
        "write 2026-11-15, 2026-11-15T10:00Z, or how long ago: 30m, 12h, 3d, 2w",
    )
}

/// The last event up to a time; 0 before the first. Times never go back, so halves are enough.
pub(super) fn last_until(snapshot: &mut dyn Snapshot, time: Millis) -> Read<i64> {
    let (mut low, mut high) = (0, snapshot.vault().head_seq);
    while low < high {
        let middle = low + (high - low + 1) / 2;
        match snapshot.time_of(middle)?.is_some_and(|found| found <= time) {
            true => low = middle,
            false => high = middle - 1,
        }
    }
    Ok(low)
}
