//! `related` and `suggest`: which items were in mind together, derived from visits alone.

use std::collections::{BTreeMap, BTreeSet};

use ambit_core::{ItemNo, Key, Needs, ScopeNo, State};
use ambit_store::{Run, Snapshot};

use crate::engine::read_state;
use crate::lookup::find;
use crate::names::{Names, missing};
use crate::objects::limit;
use crate::{Caller, Engine, RelatedAnswer, RelatedLine, Result, SuggestAnswer, Suggestion};

const LIMIT: i64 = 20;

/// The number of last visits that `suggest` examines, and how many of them must agree.
const SUGGEST_OF: i64 = 5;
const SUGGEST_FROM: usize = 3;

/// The number of items in mind that a search examines, and of last visits of each.
const MIND_MAX: i64 = 7;
const MIND_VISITS: i64 = 8;

impl Engine {
    /// Returns the items that were in mind together with an item, counted over its last visits.
    pub fn related(
        &self,
        caller: &Caller,
        named: &str,
        count: Option<i64>,
    ) -> Result<RelatedAnswer> {
        let needs = Needs::of(&self.context(caller));
        self.read(caller, &mut |snapshot| {
            let state = read_state(snapshot, &needs)?;
            let item = find(snapshot, named)?.item();
            let count = limit(count, LIMIT)?;
            let most = state.settings.get(ScopeNo::VAULT, Key::RelatedVisitsMax);
            let size = state.settings.get(ScopeNo::VAULT, Key::FrameSize);
            let (visits, together) = count_together(snapshot, item, most, size)?;
            let mut ranked: Vec<_> = together.into_iter().collect();
            // Of equally frequent items, the newer comes first.
            ranked.sort_by_key(|(item, together)| std::cmp::Reverse((*together, *item)));
            ranked.truncate(count as usize);
            let mut names = Names::default();
            names.load_things(snapshot, ranked.iter().map(|(item, _)| *item).chain([item]))?;
            let related = ranked.into_iter().filter_map(|(item, together)| {
                Some(RelatedLine { thing: names.thing(item)?.clone(), together })
            });
            let related = related.collect();
            let of = names.thing(item).ok_or_else(|| missing("item", item))?;
            let (id, name) = (of.id.clone(), of.name.clone());
            Ok(RelatedAnswer { id, name, visits, related })
        })
    }

    /// Suggests inactive scopes that the last visits belong to. Read-only.
    pub fn suggest(&self, caller: &Caller) -> Result<SuggestAnswer> {
        let needs = Needs::of(&self.context(caller));
        self.read(caller, &mut |snapshot| {
            let state = read_state(snapshot, &needs)?;
            let Some(actor) = &state.actor else {
                return Ok(SuggestAnswer { suggestions: Vec::new() });
            };
            let last = snapshot.visits(&[(actor.home, Run::Before(i64::MAX))], SUGGEST_OF)?;
            let last = last.into_iter().flatten().collect::<Vec<_>>();
            let active: BTreeSet<_> = state.active_scopes().into_iter().collect();
            let mut scopes: BTreeMap<ScopeNo, Vec<ItemNo>> = BTreeMap::new();
            for visit in &last {
                for place in snapshot.object_places(visit.item)? {
                    // Insights are in the vault's own scope, which no actor can enter.
                    if !active.contains(&place.scope) && place.scope != ScopeNo::VAULT {
                        scopes.entry(place.scope).or_default().push(visit.item);
                    }
                }
            }
            let mut names = Names::default();
            let mut suggestions = Vec::new();
            for (scope, items) in scopes.into_iter().filter(|(_, it)| it.len() >= SUGGEST_FROM) {
                let distinct: BTreeSet<_> = items.iter().copied().collect();
                names.load_things(snapshot, distinct.iter().copied())?;
                suggestions.push(Suggestion {
                    scope: names.scope(snapshot, scope)?.1.unwrap_or_default(),
                    visits: items.len() as i64,
                    of: last.len() as i64,
                    things: distinct.iter().filter_map(|it| names.thing(*it).cloned()).collect(),
                });
            }
            suggestions.sort_by_key(|it| std::cmp::Reverse(it.visits));
            Ok(SuggestAnswer { suggestions })
        })
    }
}

/// Returns how often items were in mind together with an actor's current frame, relative to the
/// most frequent: from 0 to 1. Reads few visits, because every search calls it.
pub(crate) fn related_to_frame(
    snapshot: &mut dyn Snapshot,
    state: &State,
) -> Result<BTreeMap<ItemNo, f64>> {
    let Some(actor) = &state.actor else {
        return Ok(BTreeMap::new());
    };
    let size = state.settings.get(ScopeNo::VAULT, Key::FrameSize).min(MIND_MAX);
    let last = snapshot.visits(&[(actor.home, Run::Before(i64::MAX))], size)?;
    let mind: BTreeSet<_> = last.into_iter().flatten().map(|visit| visit.item).collect();
    let mut counts: BTreeMap<ItemNo, i64> = BTreeMap::new();
    for item in mind {
        for (other, times) in count_together(snapshot, item, MIND_VISITS, size)?.1 {
            *counts.entry(other).or_default() += times;
        }
    }
    let most = counts.values().copied().max().unwrap_or(1) as f64;
    Ok(counts.into_iter().map(|(item, times)| (item, times as f64 / most)).collect())
}

/// Counts, for each other item, at how many of an item's last visits it was in the visitor's
/// frame: among the visits just before and just after, as many as a frame holds.
pub(crate) fn count_together(
    snapshot: &mut dyn Snapshot,
    item: ItemNo,
    most: i64,
    size: i64,
) -> Result<(i64, BTreeMap<ItemNo, i64>)> {
    let visits = snapshot.visits_of(item, i64::MAX, most)?;
    let mut counts: BTreeMap<ItemNo, i64> = BTreeMap::new();
    let runs: Vec<_> = visits
        .iter()
        .flat_map(|it| [(it.frame, Run::Before(it.seq)), (it.frame, Run::After(it.seq))])
        .collect();
    let around = snapshot.visits(&runs, (size - 1).max(1))?;
    for beside in around.chunks(2) {
        let others: BTreeSet<_> = beside.iter().flatten().map(|it| it.item).collect();
        for other in others.into_iter().filter(|other| *other != item) {
            *counts.entry(other).or_default() += 1;
        }
    }
    Ok((visits.len() as i64, counts))
}
