//! Reads what a scope showed at an earlier event. Places that are still open are one range scan.
//! Places that were closed since are found through the events that closed them, because they are
//! stored among those that were closed before.

use ambit_core::ScopeNo;
use ambit_core::compose::Shown;

use super::{Reader, Step, map, values};
use crate::Result;

/// How many closed places are scanned one after the other.
const SCANNED_MAX: i64 = 256;

/// How many closing events are followed in one step.
const CLOSINGS_AT_ONCE: i64 = 64;

/// The end from which blocks are taken if there are more than the limit.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    First,
    Last,
}

/// The places that one event closed, from one position up to another.
struct Hidden {
    by: i64,
    from: i64,
    to: i64,
}

impl Reader<'_> {
    /// Returns the first or last message blocks that a scope showed at an event, below a position
    /// that was taken by then. The block nearest to that end comes first.
    pub(super) fn shown_then(
        &mut self,
        scope: ScopeNo,
        at: i64,
        (before, limit): (i64, i64),
        end: End,
    ) -> Result<Vec<Shown>> {
        let limit = limit.max(0);
        let open = Hidden { by: 0, from: 0, to: before };
        let mut shown = self.shown_of(scope, &[open], limit, end)?;
        // Closed places beyond the requested open ones are not needed.
        let last = shown.last().filter(|_| shown.len() as i64 == limit).map(|it| it.position);
        let within = match (last, end) {
            (Some(last), End::Last) => (last, before),
            (Some(last), End::First) => (0, last),
            (None, _) => (0, before),
        };
        shown.append(&mut self.hidden_since(scope, at, within, limit, end)?);
        shown.sort_by_key(|block| block.position);
        if end == End::Last {
            shown.reverse();
        }
        shown.truncate(usize::try_from(limit).unwrap_or(0));
        Ok(shown)
    }

    /// Returns the blocks that were closed after the event. Scans a limited number of closed
    /// places, including those closed before; beyond that, follows the closing events one by one.
    fn hidden_since(
        &mut self,
        scope: ScopeNo,
        at: i64,
        (from, to): (i64, i64),
        limit: i64,
        end: End,
    ) -> Result<Vec<Shown>> {
        let statement = if end == End::Last { "closed_last" } else { "closed_first" };
        let key = values![self.at.vault, scope.0, from, to, SCANNED_MAX];
        let looked = self.at.many(statement, key, map::pair)?;
        let mut runs: Vec<Hidden> = Vec::new();
        for (position, by) in looked.iter().copied().filter(|(_, by)| *by > at) {
            match runs.last_mut().filter(|run| run.by == by) {
                Some(run) => {
                    (run.from, run.to) = (run.from.min(position), run.to.max(position + 1))
                }
                None => runs.push(Hidden { by, from: position, to: position + 1 }),
            }
        }
        let mut shown = self.shown_of(scope, &runs, limit, end)?;
        let full = looked.len() as i64 == SCANNED_MAX && (shown.len() as i64) < limit;
        let Some((last, _)) = looked.last().copied().filter(|_| full) else {
            return Ok(shown);
        };
        let (from, to) = if end == End::Last { (from, last) } else { (last + 1, to) };
        let mut after = at;
        loop {
            let key = values![self.at.vault, scope.0, after, CLOSINGS_AT_ONCE];
            let closings = self.at.many("closings", key, map::number)?;
            let Some(last) = closings.last().copied() else {
                return Ok(shown);
            };
            let runs: Vec<_> = closings.iter().map(|by| Hidden { by: *by, from, to }).collect();
            shown.append(&mut self.shown_of(scope, &runs, limit, end)?);
            after = last;
        }
    }

    fn shown_of(
        &mut self,
        scope: ScopeNo,
        runs: &[Hidden],
        limit: i64,
        end: End,
    ) -> Result<Vec<Shown>> {
        let statement = if end == End::Last { "shown_last" } else { "shown_first" };
        let mut step = Step::new();
        for Hidden { by, from, to } in runs {
            step.ask((), statement, values![self.at.vault, scope.0, *by, *from, *to, limit]);
        }
        let mut shown = Vec::new();
        step.send(self.at.link, |(), row| {
            shown.push(map::shown(row)?);
            Ok(())
        })?;
        Ok(shown)
    }
}
