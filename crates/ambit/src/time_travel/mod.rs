//! Resolves a moment, an event's sequence or a time, to the sequence of the last event until then.

pub(crate) mod composition;
pub(crate) mod standing;

use ambit_core::{Millis, ScopeRow, moment, moment_through};
use ambit_store::Snapshot;

use crate::{QuestionRefusal, Result};

/// Returns the event that `--at` means. Refuses a future one.
pub(crate) fn event_at(snapshot: &mut dyn Snapshot, at: &str, now: Millis) -> Result<i64> {
    let head = snapshot.vault().head_seq;
    if let Ok(seq) = at.parse::<i64>() {
        return match seq {
            _ if seq < 1 => Err(QuestionRefusal::EventNumber { event: seq }.into()),
            _ if seq > head => Err(QuestionRefusal::FutureEvent { event: seq, head }.into()),
            _ => Ok(seq),
        };
    }
    let time = moment_through(at, now).ok_or_else(|| invalid_moment(at))?;
    if moment(at, now).is_none_or(|first| first > now) {
        return Err(QuestionRefusal::FutureTime { text: at.into() }.into());
    }
    last_until(snapshot, time)
}

/// Refuses to describe a scope at a moment before it was opened.
pub(crate) fn require_existed(row: &ScopeRow, event: i64) -> Result<()> {
    let created = row.created_seq;
    match created <= event {
        true => Ok(()),
        false => {
            let name = row.name.clone().unwrap_or_default();
            Err(QuestionRefusal::ScopeNotYet { name, event, created }.into())
        }
    }
}

pub(crate) fn invalid_moment(text: &str) -> QuestionRefusal {
    QuestionRefusal::Moment { text: text.into() }
}

/// Returns the last event until a time; 0 before the first. Times never decrease, so bisection
/// works.
pub(crate) fn last_until(snapshot: &mut dyn Snapshot, time: Millis) -> Result<i64> {
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
