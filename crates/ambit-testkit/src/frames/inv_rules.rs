//! The invariants of standings, types, owners, and of when a view goes on.

use std::collections::{BTreeMap, BTreeSet};

use ambit_core::{
    ActiveScopes, Displaced, Entered, Event, Forked, ItemNo, Millis, ObjectPut, Placed, Registered,
    ScopeNo, Visited, What,
};

use super::inv_frames::in_mind;
use super::invariants::{Holds, Look, hold, pin_of};
use super::scripts::Op;
use super::walk::{Seen, Walk};

const IDLE_MS: Millis = 300_000;

/// Proves S0-34, S0-35, S0-36, S0-37: only a verb of its actor makes a scope active or inactive,
/// and the rows agree.
pub fn inv_11_explicit_scope_control(look: &Look) -> Holds {
    let inv = "INV-11";
    let moves = matches!(
        look.step.op,
        Op::Enter { .. } | Op::Leave { .. } | Op::Scope { .. } | Op::Goto { .. }
    );
    for (_, logged) in look.new {
        let moved = matches!(logged.event.body.what, What::Entered(_) | What::Left(_));
        hold(inv, !moved || moves, || {
            format!("event {} moves by {:?}", logged.event.seq, look.step.op)
        })?;
    }
    for (actor, who) in &look.walk.actors {
        let rows = look.rows.presences.values().filter(|row| row.actor == *actor);
        let mut found: Vec<_> =
            rows.filter_map(|row| Some((row.entered_seq?, row.scope))).collect();
        found.sort_by(|a, b| b.cmp(a));
        let found: Vec<_> = found.into_iter().map(|(_, scope)| scope).collect();
        hold(inv, found == who.active, || {
            format!("{actor:?} is in {found:?}, and said {:?}", who.active)
        })?;
        let primary = look.rows.actors.get(actor).and_then(|row| row.primary);
        let active = primary.is_none_or(|primary| who.active.contains(&primary));
        hold(inv, active, || format!("{actor:?} has {primary:?} in focus, which is not active"))?;
    }
    Ok(())
}

/// Proves S0-41, D0-3: to enter is not to focus.
pub fn inv_11a_focus_separation(look: &Look) -> Holds {
    let inv = "INV-11a";
    let focuses = matches!(look.step.op, Op::Focus { .. } | Op::Scope { .. } | Op::Goto { .. });
    for (before, logged) in look.new {
        let event = &logged.event;
        match &event.body.what {
            What::Focused(_) => {
                hold(inv, focuses, || format!("event {} focuses by {:?}", event.seq, look.step.op))?
            }
            What::Entered(Entered { stands, .. }) => {
                let was = before.who(event.actor).primary;
                let is = stands.as_ref().and_then(|stands| stands.primary);
                hold(inv, is == was, || format!("entering made {is:?} of {was:?}"))?;
            }
            _ => {}
        }
    }
    let Op::Enter { .. } = look.step.op else { return Ok(()) };
    for (actor, row) in &look.before.actors {
        let now = look.rows.actors.get(actor).and_then(|row| row.primary);
        hold(inv, now == row.primary, || format!("{} now has {now:?} in focus", row.name))?;
    }
    Ok(())
}

/// Proves S0-42, S0-43: who is first seen, or forked, has its one scope in focus.
pub fn inv_11b_implied_focus(look: &Look) -> Holds {
    let inv = "INV-11b";
    for (_, logged) in look.new {
        let (actor, scope) = match &logged.event.body.what {
            What::Registered(Registered { actor, main, .. }) => (*actor, *main),
            What::Forked(Forked { child, scope, .. }) => (child.actor, *scope),
            _ => continue,
        };
        let expected = ActiveScopes { primary: Some(scope), active: vec![scope] };
        let stood = look.rows.stands.get(&(actor, logged.event.seq)).map(|row| &row.stands);
        hold(inv, stood == Some(&expected), || format!("{actor:?} begins at {stood:?}"))?;
        let moved = look.new.iter().any(|(_, it)| {
            let what = &it.event.body.what;
            let moves = matches!(what, What::Left(_) | What::Focused(_));
            it.event.actor == actor && moves
        });
        let primary = look.rows.actors.get(&actor).and_then(|row| row.primary);
        hold(inv, moved || primary == Some(scope), || {
            format!("{actor:?} begins with {primary:?} in focus")
        })?;
    }
    Ok(())
}

/// The types that never come to mind, as the specification names them.
const PRIMITIVE: &[&str] = &["schema", "config", "metadata"];

/// What an event changes or looks at.
fn target(what: &What) -> Option<ItemNo> {
    match what {
        What::Put(ObjectPut { object, .. })
        | What::Placed(Placed { object, .. })
        | What::Displaced(Displaced { object, .. }) => Some(*object),
        What::Visited(Visited { item, .. }) => Some(*item),
        _ => None,
    }
}

fn is_primitive(walk: &Walk, item: ItemNo) -> bool {
    walk.kinds.get(&item).is_some_and(|kind| PRIMITIVE.contains(&kind.as_str()))
}

/// Proves S0-56, S0-57: what is primitive is in no frame, and no visit is of it.
pub fn inv_17_substantive_or_primitive(look: &Look) -> Holds {
    let inv = "INV-17";
    for item in in_mind(look) {
        hold(inv, !is_primitive(look.walk, item), || {
            format!("{item:?} is in mind, a {:?}", look.walk.kinds.get(&item))
        })?;
    }
    for (_, logged) in look.new {
        let visit = logged.event.body.what.visit();
        let of = visit.map(|(item, _)| item).filter(|item| is_primitive(look.walk, *item));
        hold(inv, of.is_none(), || format!("event {} visits {of:?}", logged.event.seq))?;
    }
    Ok(())
}

/// Proves S0-58, S0-77, S0-78: a look at a text is a visit where its type is substantive; a look
/// that is to be none, or at something primitive, leaves no trace.
pub fn inv_18_type_based(look: &Look) -> Holds {
    let inv = "INV-18";
    let (no_visit, name) = match &look.step.op {
        Op::Get { no_visit, name } => (*no_visit, Some(name)),
        Op::GetNote { no_visit, .. } => (*no_visit, None),
        _ => return Ok(()),
    };
    let object = look.rows.objects.values().find(|row| Some(&row.name) == name);
    let primitive = object.is_some_and(|row| PRIMITIVE.contains(&row.kind.as_str()));
    let visits = look.new.iter().map(|(_, logged)| &logged.event.body.what);
    let visits: Vec<_> = visits.filter_map(|what| what.visit()).map(|(item, _)| item).collect();
    // Who has come to its end may look, and has no mind for it to come to.
    let own = look.before.actors.values().find(|row| row.name == look.step.actor);
    let ended = own.is_some_and(|row| row.fate.is_some());
    if no_visit || primitive || ended || !look.accepted {
        return hold(inv, look.new.is_empty(), || {
            format!("{:?} left {} events", look.step.op, look.new.len())
        });
    }
    let right = object.is_none_or(|row| visits == [row.item]);
    hold(inv, visits.len() == 1 && right, || format!("{:?} visits {visits:?}", look.step.op))
}

/// Proves S0-59, D0-11: a fixed table decides; what it does not list comes to mind, and messages do
/// not.
pub fn inv_19_hardcoded_types(look: &Look) -> Holds {
    let inv = "INV-19";
    for (_, logged) in look.new {
        let what = &logged.event.body.what;
        if let What::Appended(_) = what {
            let none = what.visit().is_none() && what.capture().is_none();
            hold(inv, none, || "a message came to mind".into())?;
        }
        let Some(item) = target(what) else { continue };
        let Some(kind) = look.walk.kinds.get(&item) else { continue };
        let expected = !PRIMITIVE.contains(&kind.as_str());
        let found = what.visit().is_some();
        hold(inv, found == expected, || {
            format!("event {}: a {kind:?} came to mind: {found}", logged.event.seq)
        })?;
    }
    Ok(())
}

/// Proves S0-3, S0-4, S0-60: every actor has one home of its own, every home one actor; scopes have
/// one row each, and there are no frames of anything else.
pub fn inv_20_one_frame_per_owner(look: &Look) -> Holds {
    let inv = "INV-20";
    let names: BTreeSet<_> = look.rows.actors.values().map(|row| &row.name).collect();
    hold(inv, names.len() == look.rows.actors.len(), || "two actors have one name".into())?;
    let mut owners = BTreeMap::new();
    for row in look.rows.actors.values() {
        let home = look.rows.scopes.get(&row.home);
        let own = home.is_some_and(|it| it.owner == Some(row.actor) && it.name.is_none());
        hold(inv, own, || format!("the frame of {} is {home:?}", row.name))?;
        let twice = owners.insert(row.home, row.actor);
        hold(inv, twice.is_none(), || format!("{} shares its frame", row.name))?;
    }
    let homes = look.rows.scopes.values().filter(|row| row.name.is_none()).count();
    hold(inv, homes == owners.len(), || format!("{homes} homes of {} actors", owners.len()))?;
    let named: Vec<_> = look.rows.scopes.values().filter_map(|row| row.name.as_ref()).collect();
    let distinct: BTreeSet<_> = named.iter().collect();
    hold(inv, named.len() == distinct.len(), || format!("two scopes of one name: {named:?}"))?;
    let stray = look.rows.frames.keys().find(|(frame, _)| !look.rows.scopes.contains_key(frame));
    hold(inv, stray.is_none(), || format!("a frame of nothing: {stray:?}"))
}

/// Proves S0-5, S0-61: a fork's frame is the subagent's, not the scope's, however many fork from
/// one scope.
pub fn inv_21_subordinate_ownership(look: &Look) -> Holds {
    let inv = "INV-21";
    let mut homes: BTreeSet<ScopeNo> = BTreeSet::new();
    for row in look.rows.actors.values().filter(|row| row.parent.is_some()) {
        let owner = look.rows.scopes.get(&row.home).and_then(|home| home.owner);
        hold(inv, owner == Some(row.actor), || {
            format!("the frame of {} is owned by {owner:?}", row.name)
        })?;
        let scope = row.forked_into.and_then(|scope| look.rows.scopes.get(&scope));
        let own = scope.is_some_and(|scope| scope.owner.is_none() && scope.scope != row.home);
        hold(inv, own, || format!("the scope of {} is {scope:?}", row.name))?;
        hold(inv, homes.insert(row.home), || format!("{} shares its frame", row.name))?;
    }
    Ok(())
}

/// Whether nothing ended the view before the event.
fn goes_on(seen: &Seen, event: &Event, pin: Option<ScopeNo>) -> bool {
    let capture = event.body.what.capture().map(|(_, frame)| frame);
    let same = capture.is_none() || seen.capture.is_none() || capture == seen.capture;
    !seen.over && event.time - seen.time <= IDLE_MS && same && seen.pin == pin
}

/// The view that an event's actor opened last.
fn current<'a>(before: &'a Walk, event: &Event) -> Option<&'a Seen> {
    before.who(event.actor).current.and_then(|view| before.views.get(&view))
}

/// Proves S0-62: what is done within the time window is one view.
pub fn inv_22_action_grouping(look: &Look) -> Holds {
    for (before, logged) in look.new {
        let event = &logged.event;
        let Some(opens) = &event.body.opens else { continue };
        let seen = current(before, event).filter(|seen| goes_on(seen, event, opens.pin));
        hold("INV-22", seen.is_none(), || {
            format!("event {} opens a view, where {seen:?} went on", event.seq)
        })?;
    }
    Ok(())
}

/// Proves S0-63, S0-64, S0-65, D0-10: a view ends by a break, by silence, by a change of another
/// scope, and wherever its actor moves, forks or rejoins.
pub fn inv_23_coalescence_boundaries(look: &Look) -> Holds {
    let inv = "INV-23";
    for (before, logged) in look.new {
        let event = &logged.event;
        let Some(view) = event.view.filter(|_| event.body.opens.is_none()) else { continue };
        let pin = pin_of(before, event);
        let seen = current(before, event).filter(|seen| seen.view == view);
        let open = seen.is_some_and(|seen| goes_on(seen, event, pin));
        hold(inv, open, || format!("event {} goes on in {seen:?}, which is over", event.seq))?;
    }
    let ends = matches!(
        look.step.op,
        Op::Enter { .. } | Op::Leave { .. } | Op::Break | Op::Fork { .. } | Op::Rejoin { .. }
    );
    if let Some((_, last)) = look.new.last().filter(|_| ends) {
        let row = look.rows.actors.get(&last.event.actor);
        let over = last.event.body.ends_view && row.is_some_and(|row| !row.view_open);
        hold(inv, over, || format!("{:?} leaves its view open", look.step.op))?;
    }
    Ok(())
}

/// Proves S0-70, S0-71: nobody's frame is another's too; nobody visits, or opens a view, in
/// another's.
pub fn inv_26_no_shared_frame(look: &Look) -> Holds {
    let inv = "INV-26";
    let homes: BTreeSet<_> = look.rows.actors.values().map(|row| row.home).collect();
    hold(inv, homes.len() == look.rows.actors.len(), || "two actors share a frame".into())?;
    for (_, logged) in look.new {
        let event = &logged.event;
        let own = look.rows.actors.get(&event.actor).map(|row| row.home);
        let visited = event.body.what.visit().into_iter().flat_map(|(_, changes)| changes);
        let visited = visited.map(|change| change.frame);
        let opened = event.body.opens.iter().flat_map(|opens| &opens.streams);
        let opened = opened.map(|entry| entry.frame);
        let others = visited.chain(opened).find(|it| homes.contains(it) && Some(*it) != own);
        hold(inv, others.is_none(), || {
            format!("event {} reaches into {others:?}, another's frame", event.seq)
        })?;
    }
    Ok(())
}
