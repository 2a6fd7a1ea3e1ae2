//! The invariants of frames, captures, forks, breaks and what becomes of old views.

use std::collections::BTreeSet;

use ambit_core::{
    Container, Displaced, Fate, Forked, ItemNo, Logged, Noted, ObjectPut, Placed, Rejoined,
    ScopeNo, Tidied, ViewRow, What,
};

use super::invariants::{Holds, Look, held, hold, pin_of};
use super::scripts::Op;
use super::walk::Held;

/// Proves S0-16, S0-17, S0-18, D0-7: the scope that a changed thing belongs to is the one captured
/// from, else its actor's own frame; never more than the frame holds.
pub fn inv_03_primary_context_capture(look: &Look) -> Holds {
    let inv = "INV-3";
    for (before, logged) in look.new {
        let event = &logged.event;
        let Some((context, frame)) = event.body.what.capture() else { continue };
        let pin = pin_of(before, event);
        let expected = match &event.body.what {
            What::Put(ObjectPut { place: Some(place), .. }) => place.scope,
            What::Put(ObjectPut { object, .. })
            | What::Placed(Placed { object, .. })
            | What::Displaced(Displaced { object, .. }) => {
                before.capture_frame(event.actor, *object, pin)
            }
            What::Noted(Noted { scope, visited, .. }) if !visited.is_empty() => *scope,
            // The notes of a fork and of a rejoin: of the scope that was forked from.
            _ => frame,
        };
        hold(inv, frame == expected, || {
            format!("event {} is captured from {frame:?}, not {expected:?}", event.seq)
        })?;
        let size = before.size(frame);
        hold(inv, context.len() <= size, || {
            format!("event {} captures {} of {size}", event.seq, context.len())
        })?;
        let mind = before.mind(frame);
        let stray = context.iter().find(|item| !mind.iter().any(|held| held.item == **item));
        hold(inv, stray.is_none(), || format!("event {} captures {stray:?}", event.seq))?;
    }
    Ok(())
}

/// Proves S0-19, D0-12: every change captures all that its frame held before it, since its actor's
/// last break; and the rows tell of it.
pub fn inv_04_automatic_capture(look: &Look) -> Holds {
    let inv = "INV-4";
    for (before, logged) in look.new {
        let event = &logged.event;
        let Some((context, frame)) = event.body.what.capture() else { continue };
        let broke = before.who(event.actor).broke;
        let mind = before.mind(frame).iter().take(before.size(frame));
        let expected: Vec<_> = mind.filter(|it| it.seq > broke).map(|it| it.item).collect();
        hold(inv, context == expected, || {
            format!("event {} captures {context:?}, not {expected:?}", event.seq)
        })?;
        let kept = look.rows.deltas.contains_key(&(frame, event.seq));
        hold(inv, kept, || format!("event {} left no delta", event.seq))?;
    }
    Ok(())
}

fn as_held(containers: &[Container]) -> Vec<Held> {
    containers.iter().map(|it| Held { item: it.item, seq: it.last_seq }).collect()
}

/// Proves S0-20, S0-21, S0-22: a fork's frames are new, copies of those it comes from, and go their
/// own way.
pub fn inv_05_fork_inheritance(look: &Look) -> Holds {
    let inv = "INV-5";
    for (before, logged) in look.new {
        let event = &logged.event;
        if let Some((_, changes)) = event.body.what.visit() {
            let own = before.who(event.actor).home;
            let homes: BTreeSet<_> = before.actors.values().map(|who| who.home).collect();
            let other = changes.iter().find(|it| it.frame != own && homes.contains(&it.frame));
            hold(inv, other.is_none(), || format!("event {} visits for another", event.seq))?;
        }
        let What::Forked(Forked { child, scope, from, .. }) = &event.body.what else { continue };
        let new = !look.before.scopes.contains_key(&child.home);
        hold(inv, new, || "a fork has a frame that was there".into())?;
        let parent = before.mind(before.who(event.actor).home);
        let found = as_held(&child.mind);
        hold(inv, found == parent, || format!("a fork has {found:?} in mind, not {parent:?}"))?;
        let origin = before.mind(*from);
        let found = as_held(&child.scope_mind);
        hold(inv, found == origin, || format!("its scope has {found:?}, not {origin:?}"))?;
        for (frame, mind) in [(child.home, parent), (*scope, origin)] {
            let expected: Vec<_> = mind.iter().map(|it| (it.item, it.seq)).collect();
            let found = held(look.rows, frame);
            hold(inv, found == expected, || format!("{frame:?} begins with {found:?}"))?;
        }
    }
    Ok(())
}

/// Proves S0-27: a merge changes nobody's frame but the one that it ends.
pub fn inv_07_no_automatic_inheritance(look: &Look) -> Holds {
    let ended: BTreeSet<_> = look
        .new
        .iter()
        .filter_map(|(_, logged)| match &logged.event.body.what {
            What::Rejoined(Rejoined { home, .. }) => Some(*home),
            _ => None,
        })
        .collect();
    if ended.is_empty() {
        return Ok(());
    }
    for frame in frames(look) {
        let same = held(look.before, frame) == held(look.rows, frame);
        hold("INV-7", same || ended.contains(&frame), || {
            format!("a merge left {:?} in {frame:?}", held(look.rows, frame))
        })?;
    }
    Ok(())
}

/// Every frame there is, or was before the step.
fn frames(look: &Look) -> BTreeSet<ScopeNo> {
    look.rows.frames.keys().chain(look.before.frames.keys()).map(|(frame, _)| *frame).collect()
}

/// Proves S0-44, S0-45, S0-46, S0-47: the least recent goes, in each frame by itself, and rows are
/// what visits make of them.
pub fn inv_12_lru_limit(look: &Look) -> Holds {
    let inv = "INV-12";
    for (before, logged) in look.new {
        let event = &logged.event;
        let Some((item, changes)) = event.body.what.visit() else { continue };
        for change in changes {
            let size = before.size(change.frame);
            let others = before.mind(change.frame).iter().map(|held| held.item);
            let mut behind: Vec<_> = others.filter(|it| *it != item).collect();
            let evicted = behind.split_off(behind.len().min(size - 1));
            hold(inv, change.evicted == evicted, || {
                format!("event {} evicts {:?}, not {evicted:?}", event.seq, change.evicted)
            })?;
            hold(inv, change.behind.as_ref() == Some(&behind), || {
                format!("event {} leaves {:?}, not {behind:?}", event.seq, change.behind)
            })?;
        }
    }
    for frame in frames(look) {
        let mind = look.walk.mind(frame);
        let expected: Vec<_> = mind.iter().map(|it| (it.item, it.seq)).collect();
        let found = held(look.rows, frame);
        hold(inv, found == expected, || format!("{frame:?} holds {found:?}, not {expected:?}"))?;
    }
    Ok(())
}

/// Proves S0-2, S0-48: a visited frame is as full as the setting in force lets it be.
pub fn inv_13_tunable_size(look: &Look) -> Holds {
    for (before, logged) in look.new {
        let Some((item, changes)) = logged.event.body.what.visit() else { continue };
        for change in changes {
            let mind = before.mind(change.frame);
            let others = mind.iter().filter(|held| held.item != item).count();
            let size = before.size(change.frame);
            let expected = (others + 1).min(size);
            let found = 1 + change.behind.as_ref().map_or(0, Vec::len);
            hold("INV-13", found == expected, || {
                let seq = logged.event.seq;
                format!("after event {seq} {found} things are in mind, not {expected} of {size}")
            })?;
        }
    }
    Ok(())
}

/// Proves S0-49, S0-50: nothing but visits, forks and the ends of subagents changes a frame: not
/// time, not a restart. Where nothing happened, everything is as it was.
pub fn inv_14_persistence(look: &Look) -> Holds {
    let inv = "INV-14";
    if look.new.is_empty() {
        let same = look.before == look.rows;
        return hold(inv, same, || format!("{:?} changed rows without an event", look.step.op));
    }
    let mut touched = BTreeSet::new();
    for (_, logged) in look.new {
        let what = &logged.event.body.what;
        touched.extend(what.visit().into_iter().flat_map(|(_, all)| all).map(|it| it.frame));
        match what {
            What::Forked(Forked { child, scope, .. }) => touched.extend([child.home, *scope]),
            What::Rejoined(Rejoined { home, .. }) => drop(touched.insert(*home)),
            What::Tidied(Tidied { frames, .. }) => touched.extend(frames),
            _ => {}
        }
    }
    for frame in frames(look).difference(&touched) {
        let (was, is) = (held(look.before, *frame), held(look.rows, *frame));
        hold(inv, was == is, || format!("{frame:?} held {was:?}, and by itself {is:?}"))?;
    }
    Ok(())
}

/// Proves S0-51: frames of operators and agents stay; a subagent's goes with its merge, or is
/// cleared away after it was given up.
pub fn inv_15_persistent_users_only(look: &Look) -> Holds {
    let inv = "INV-15";
    for row in look.rows.actors.values() {
        let subagent = row.parent.is_some();
        hold(inv, subagent || row.fate.is_none(), || format!("{} has ended", row.name))?;
        if let Some((Fate::Rejoined, seq)) = row.fate {
            let found = held(look.rows, row.home);
            hold(inv, found.is_empty(), || {
                format!("{} rejoined with event {seq} and has {found:?} in mind", row.name)
            })?;
        }
    }
    for (before, logged) in look.new {
        let What::Tidied(Tidied { frames, .. }) = &logged.event.body.what else { continue };
        for frame in frames {
            let owner = before.actors.values().find(|who| who.home == *frame);
            let given_up = owner.is_some_and(|who| who.abandoned.is_some());
            hold(inv, given_up, || format!("{frame:?} was cleared away"))?;
        }
    }
    Ok(())
}

/// Proves S0-52, S0-53, S0-54, S0-55, D0-5: after a break the next view has none before it, what is
/// in mind stays, and nothing visited before it is captured.
pub fn inv_16_context_break(look: &Look) -> Holds {
    let inv = "INV-16";
    for (before, logged) in look.new {
        let event = &logged.event;
        let who = before.who(event.actor);
        if let Some((context, frame)) = event.body.what.capture() {
            let old = |it: &&Held| context.contains(&it.item) && it.seq <= who.broke;
            let stale = before.mind(frame).iter().find(old);
            hold(inv, stale.is_none(), || {
                format!("event {} captures {stale:?}, from before {}", event.seq, who.broke)
            })?;
        }
        if let Some(opens) = &event.body.opens
            && who.broke > 0
            && who.last.is_none()
        {
            let own = opens.streams.iter().find(|entry| entry.frame == who.home);
            let first = opens.previous.is_none() && own.is_none_or(|it| it.prev.is_none());
            hold(inv, first, || format!("event {} goes on after a break", event.seq))?;
        }
        if event.body.what == What::Broke {
            hold(inv, event.body.ends_view, || "a break leaves its view open".into())?;
            let same = look.before.frames == look.rows.frames;
            hold(inv, same, || "a break changed what is in mind".into())?;
        }
    }
    let broke = look.new.iter().any(|(_, it)| it.event.body.what == What::Broke);
    let asked = look.step.op == Op::Break && look.accepted;
    hold(inv, broke == asked, || format!("{:?}: a break is {broke}", look.step.op))
}

/// Proves S0-66, S0-67, S0-68: a summary is of a view that is over, keeps what it visited, and
/// leaves every link to it.
pub fn inv_24_compression(look: &Look) -> Holds {
    let inv = "INV-24";
    for (before, logged) in look.new {
        let What::Tidied(Tidied { fossils, .. }) = &logged.event.body.what else { continue };
        for it in fossils {
            let Some(seen) = before.views.get(&it.view) else {
                return hold(inv, false, || format!("a summary of no view: {it:?}"));
            };
            let current = before.who(seen.actor).current == Some(it.view);
            hold(inv, seen.over || !current, || format!("{:?} is still open", it.view))?;
            hold(inv, it.visited == seen.visited, || {
                format!("{:?} visited {:?}, not {:?}", it.view, seen.visited, it.visited)
            })?;
            let actions: i64 = it.actions.iter().map(|(_, count)| count).sum();
            hold(inv, actions == seen.actions, || {
                format!("{:?} had {} actions, not {actions}", it.view, seen.actions)
            })?;
        }
    }
    let bare = |row: &ViewRow| ViewRow { ended_seq: None, fossil_seq: None, ..row.clone() };
    for (view, row) in &look.before.views {
        let now = look.rows.views.get(view);
        let same = now.is_some_and(|now| bare(now) == bare(row));
        hold(inv, same, || format!("{row:?} has become {now:?}"))?;
        let summary = |row: &ViewRow| row.fossil_seq.is_some();
        let for_good = now.is_some_and(|now| !summary(row) || now == row);
        hold(inv, for_good, || format!("a summary changed: {row:?} to {now:?}"))?;
    }
    let linked = |view| look.rows.views.contains_key(&view);
    let all = look.rows.views.values().filter_map(|row| row.previous).all(linked);
    hold(inv, all, || "a link leads nowhere".into())
}

/// Proves S0-69: what a change captured stays as it was captured, whatever becomes of views and
/// frames.
pub fn inv_25_contexts_are_kept(look: &Look) -> Holds {
    let inv = "INV-25";
    for logged in look.log {
        let event = &logged.event;
        let found = event.body.what.capture().map(|(context, frame)| (context.to_vec(), frame));
        let first = look.walk.captured.get(&event.seq);
        hold(inv, found.as_ref() == first, || {
            format!("event {} captured {first:?}, and now {found:?}", event.seq)
        })?;
    }
    let captured = look.walk.captured.iter().map(|(seq, (_, frame))| (*frame, *seq));
    let mut expected: BTreeSet<_> = captured.collect();
    // And the streams tell of it that its view is in.
    for Logged { event, .. } in look.log.iter().filter(|it| it.event.body.what.capture().is_some())
    {
        let streams = look.rows.streams.values().filter(|row| Some(row.view) == event.view);
        expected.extend(streams.map(|row| (row.frame, event.seq)));
    }
    let found: BTreeSet<(ScopeNo, i64)> = look.rows.deltas.keys().copied().collect();
    hold(inv, found == expected, || {
        let odd: Vec<_> = found.symmetric_difference(&expected).collect();
        format!("deltas that were not captured, or captures without one: {odd:?}")
    })?;
    let same = |(key, row)| look.rows.deltas.get(key) == Some(row);
    let all = look.before.deltas.iter().all(same);
    hold(inv, all, || "a delta has changed".into())
}

/// The items that are in mind anywhere.
pub fn in_mind(look: &Look) -> BTreeSet<ItemNo> {
    look.rows.frames.keys().map(|(_, item)| *item).collect()
}
