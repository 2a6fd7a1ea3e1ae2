//! The 26 invariants of attention, each a function over a store's rows and log after a step; here
//! the table of them, and those of views and streams.

use std::collections::{BTreeMap, BTreeSet};

use ambit_core::{Entered, Event, ItemNo, Logged, Rejoined, ScopeNo, ViewNo, What};
use ambit_store::Rows;

use super::scripts::Step;
use super::walk::Walk;
use super::{inv_frames as frames, inv_rules as rules};

/// What there is to look at after a step.
pub struct Look<'a> {
    pub step: &'a Step,
    pub accepted: bool,
    pub before: &'a Rows,
    pub rows: &'a Rows,
    pub log: &'a [Logged],
    /// The step's events, each with what held before it.
    pub new: &'a [(Walk, Logged)],
    /// What holds now.
    pub walk: &'a Walk,
}

pub type Holds = Result<(), String>;

/// An invariant's name in the specification, and its check.
type Invariant = (&'static str, fn(&Look) -> Holds);

pub const INVARIANTS: &[Invariant] = &[
    ("INV-1", inv_01_unique_view_id),
    ("INV-2", inv_02_synchronized_append),
    ("INV-3", frames::inv_03_primary_context_capture),
    ("INV-4", frames::inv_04_automatic_capture),
    ("INV-5", frames::inv_05_fork_inheritance),
    ("INV-6", inv_06_merge_termination),
    ("INV-7", frames::inv_07_no_automatic_inheritance),
    ("INV-8", inv_08_suspension_on_leave),
    ("INV-9", inv_09_linked_list),
    ("INV-10", inv_10_view_merge),
    ("INV-11", rules::inv_11_explicit_scope_control),
    ("INV-11a", rules::inv_11a_focus_separation),
    ("INV-11b", rules::inv_11b_implied_focus),
    ("INV-12", frames::inv_12_lru_limit),
    ("INV-13", frames::inv_13_tunable_size),
    ("INV-14", frames::inv_14_persistence),
    ("INV-15", frames::inv_15_persistent_users_only),
    ("INV-16", frames::inv_16_context_break),
    ("INV-17", rules::inv_17_substantive_or_primitive),
    ("INV-18", rules::inv_18_type_based),
    ("INV-19", rules::inv_19_hardcoded_types),
    ("INV-20", rules::inv_20_one_frame_per_owner),
    ("INV-21", rules::inv_21_subordinate_ownership),
    ("INV-22", rules::inv_22_action_grouping),
    ("INV-23", rules::inv_23_coalescence_boundaries),
    ("INV-24", frames::inv_24_compression),
    ("INV-25", frames::inv_25_contexts_are_kept),
    ("INV-26", rules::inv_26_no_shared_frame),
];

pub fn hold(invariant: &str, holds: bool, why: impl FnOnce() -> String) -> Holds {
    if holds { Ok(()) } else { Err(format!("{invariant}: {}", why())) }
}

/// The scope that was pinned for an event.
pub fn pin_of(before: &Walk, event: &Event) -> Option<ScopeNo> {
    match &event.body.opens {
        Some(opens) => opens.pin,
        None => event.view.and_then(|view| before.views.get(&view)).and_then(|seen| seen.pin),
    }
}

/// A frame's containers as the rows have them, most recent first.
pub fn held(rows: &Rows, frame: ScopeNo) -> Vec<(ItemNo, i64)> {
    let range = rows.frames.range((frame, ItemNo(i64::MIN))..=(frame, ItemNo(i64::MAX)));
    let mut held: Vec<_> = range.map(|(_, row)| (row.item, row.last_seq)).collect();
    held.sort_by_key(|(_, seq)| std::cmp::Reverse(*seq));
    held
}

/// The frames whose streams an event's view is in.
fn frames_of(before: &Walk, event: &Event) -> BTreeSet<ScopeNo> {
    match (&event.body.opens, event.view) {
        (Some(opens), _) => opens.streams.iter().map(|entry| entry.frame).collect(),
        (None, Some(view)) => {
            before.views.get(&view).map(|it| it.frames.clone()).unwrap_or_default()
        }
        (None, None) => BTreeSet::new(),
    }
}

fn entering(event: &Event) -> Option<ScopeNo> {
    match event.body.what {
        What::Entered(Entered { scope, .. }) => Some(scope),
        _ => None,
    }
}

/// Proves S0-12, S0-13: a view has one id and one row, and the same number is in all its
/// streams.
pub fn inv_01_unique_view_id(look: &Look) -> Holds {
    let inv = "INV-1";
    let ids: BTreeSet<_> = look.rows.views.values().map(|row| &row.id).collect();
    hold(inv, ids.len() == look.rows.views.len(), || "two views have one id".into())?;
    let mut standing: BTreeMap<ViewNo, usize> = BTreeMap::new();
    for row in look.rows.streams.values() {
        *standing.entry(row.view).or_default() += 1;
        let known = look.rows.views.contains_key(&row.view);
        hold(inv, known, || format!("a stream names a view that is not there: {row:?}"))?;
    }
    for (before, logged) in look.new {
        let event = &logged.event;
        let Some(view) = event.view else { continue };
        let row = look.rows.views.get(&view);
        let own = row.is_some_and(|row| row.actor == event.actor);
        hold(inv, own, || format!("event {} is in another's view", event.seq))?;
        let Some(opens) = &event.body.opens else { continue };
        let new = opens.view == view && !before.views.contains_key(&view);
        hold(inv, new, || format!("view {view:?} opens twice"))?;
        let all = opens
            .streams
            .iter()
            .all(|entry| look.rows.streams.contains_key(&(entry.frame, event.seq, view)));
        let count = standing.get(&view).copied().unwrap_or(0) == opens.streams.len();
        hold(inv, all && count, || format!("view {view:?} stands elsewhere than it says"))?;
    }
    Ok(())
}

/// Proves S0-14, S0-15: one view for a visit, in the actor's stream and in those of all active
/// scopes.
pub fn inv_02_synchronized_append(look: &Look) -> Holds {
    let inv = "INV-2";
    for (before, logged) in look.new {
        let event = &logged.event;
        let pin = pin_of(before, event);
        let mut expected = before.in_mind(event.actor, pin);
        if event.body.opens.is_some() {
            let found = frames_of(before, event);
            expected.extend(entering(event));
            hold(inv, found == expected, || format!("a view in {found:?}, not {expected:?}"))?;
        }
        let Some((_, changes)) = event.body.what.visit() else { continue };
        let found: BTreeSet<_> = changes.iter().map(|change| change.frame).collect();
        hold(inv, found == expected, || {
            format!("event {} visits in {found:?}, not {expected:?}", event.seq)
        })?;
        let once = found.len() == changes.len();
        hold(inv, once, || format!("event {} visits twice in one frame", event.seq))?;
        let rows = found.iter().all(|frame| look.rows.visits.contains_key(&(*frame, event.seq)));
        hold(inv, rows, || format!("event {}: a frame did not see its visit", event.seq))?;
        let streams = frames_of(before, event);
        hold(inv, streams.is_superset(&found), || {
            format!("event {} visits frames that its view does not stand in", event.seq)
        })?;
    }
    Ok(())
}

/// Proves S0-23, S0-24, S0-25, S0-26: a merge is in both streams; the subagent's frame goes,
/// its stream ends there, and its views stay.
pub fn inv_06_merge_termination(look: &Look) -> Holds {
    let inv = "INV-6";
    for (before, logged) in look.new {
        let ended = before.who(logged.event.actor).rejoined.is_some();
        hold(inv, !ended, || format!("event {} after its actor's end", logged.event.seq))?;
    }
    for (actor, who) in &look.walk.actors {
        let Some(seq) = who.rejoined else { continue };
        let frame = held(look.rows, who.home).is_empty();
        hold(inv, frame, || format!("{actor:?} rejoined, and its frame is there"))?;
        let merges = look.rows.views.values().filter(|row| row.merges == Some(who.home));
        let merges: Vec<_> = merges.map(|row| row.view).collect();
        hold(inv, merges.len() == 1, || format!("{actor:?} rejoined by {merges:?}"))?;
        let parent = who.parent.map(|parent| look.walk.who(parent).home);
        let expected: BTreeSet<_> = parent.into_iter().chain([who.home]).collect();
        let rows = look.rows.streams.values().filter(|row| row.view == merges[0]);
        let found: BTreeSet<_> = rows.map(|row| row.frame).collect();
        hold(inv, found == expected, || {
            format!("the merge of {actor:?} is in {found:?}, not {expected:?}")
        })?;
        let mut stream = look.rows.streams.values().filter(|row| row.frame == who.home);
        let last = stream.next_back();
        let ends = last.is_some_and(|row| row.view == merges[0] && row.position <= seq);
        hold(inv, ends, || format!("the stream of {actor:?} goes on: {last:?}"))?;
    }
    let kept = look.before.views.keys().all(|view| look.rows.views.contains_key(view));
    hold(inv, kept, || "a view is gone".into())
}

/// Proves S0-29, S0-30, D0-6: who has left a scope adds nothing to its stream, and goes on in its
/// own.
pub fn inv_08_suspension_on_leave(look: &Look) -> Holds {
    let inv = "INV-8";
    for (before, logged) in look.new {
        let event = &logged.event;
        if event.view.is_none() {
            continue;
        }
        let streams = frames_of(before, event);
        let pin = pin_of(before, event);
        let mut inside = before.in_mind(event.actor, pin);
        inside.extend(entering(event));
        let outside: Vec<_> = streams.difference(&inside).collect();
        hold(inv, outside.is_empty(), || {
            format!("event {} goes on in {outside:?}, where its actor is not", event.seq)
        })?;
        let closed: Vec<_> = streams.intersection(&before.closed).collect();
        hold(inv, closed.is_empty(), || {
            format!("event {} goes on in {closed:?}, which are closed", event.seq)
        })?;
        let home = before.who(event.actor).home;
        hold(inv, streams.contains(&home), || {
            format!("event {} is not in its actor's own stream", event.seq)
        })?;
    }
    Ok(())
}

/// Proves S0-9, S0-31, D0-1: a stream is a list, by its rows' `prev`; an actor's own begins again
/// only by a break.
pub fn inv_09_linked_list(look: &Look) -> Holds {
    let inv = "INV-9";
    let mut last: BTreeMap<ScopeNo, ViewNo> = BTreeMap::new();
    for row in look.rows.streams.values() {
        let before = last.insert(row.frame, row.view);
        let home = look.rows.scopes.get(&row.frame).is_some_and(|scope| scope.name.is_none());
        let linked = row.prev == before || (home && row.prev.is_none());
        hold(inv, linked, || format!("{row:?} follows {before:?}"))?;
        hold(inv, row.prev < Some(row.view), || format!("{row:?} goes in a circle"))?;
    }
    for (before, logged) in look.new {
        let Some(opens) = &logged.event.body.opens else { continue };
        let who = before.who(logged.event.actor);
        hold(inv, opens.previous == who.last, || {
            format!("{:?} follows {:?}, not {:?}", opens.view, opens.previous, who.last)
        })?;
        let row = look.rows.views.get(&opens.view).and_then(|row| row.previous);
        hold(inv, row == opens.previous, || format!("the row of {:?}: {row:?}", opens.view))?;
    }
    let all = look.before.streams.iter().all(|(key, row)| look.rows.streams.get(key) == Some(row));
    hold(inv, all, || "a stream's past has changed".into())
}

/// Proves S0-32, S0-33, D0-2: a merge follows its parent's last view, has no actions, and names the
/// stream whose views it merges: all of the subagent's.
pub fn inv_10_view_merge(look: &Look) -> Holds {
    let inv = "INV-10";
    for (before, logged) in look.new {
        let event = &logged.event;
        let What::Rejoined(Rejoined { child, home, merge, .. }) = &event.body.what else {
            continue;
        };
        let opened = event.body.opens.as_ref().map(|opens| opens.view);
        let own = opened.filter(|_| event.actor == merge.parent);
        let expected = own.or(before.who(merge.parent).last);
        hold(inv, merge.previous == expected, || {
            format!("the merge follows {:?}, not {expected:?}", merge.previous)
        })?;
        let Some(row) = look.rows.views.get(&merge.view) else {
            return hold(inv, false, || "the merge has no row".into());
        };
        let sound = row.previous == expected
            && row.merges == Some(*home)
            && (row.started_seq, row.ended_seq) == (event.seq, Some(event.seq))
            && Some(row.actor) == before.who(*child).parent;
        hold(inv, sound, || format!("the merge of {child:?}: {row:?}"))?;
        let actions = look.log.iter().filter(|it| it.event.view == Some(merge.view)).count();
        hold(inv, actions == 0, || "a merge has actions".into())?;
        let streamed = |view: ViewNo| {
            look.rows.streams.values().any(|it| it.frame == *home && it.view == view)
        };
        let mut own = look.rows.views.values().filter(|it| it.actor == *child);
        hold(inv, own.all(|it| streamed(it.view)), || {
            format!("a view of {child:?} is not in the stream that is merged")
        })?;
    }
    Ok(())
}
