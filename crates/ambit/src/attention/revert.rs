//! `revert`: takes changes back, each by a new version. What others changed since is left alone,
//! and the log keeps all.

use std::collections::BTreeMap;

use ambit_core::{
    ActorNo, ActorRow, Counted, ItemNo, Needs, ObjectRow, Put, Rejection, What, moment,
};
use ambit_store::{Snapshot, Which};

use super::ask::find_actor;
use super::at::{last_until, not_a_moment};
use super::tell::event;
use super::{Read, RevertAnswer, RevertConflict, RevertLine};
use crate::engine::{counted, read_state};
use crate::{Caller, Engine, Result};

/// What to take back.
#[derive(Clone, Debug, Default)]
pub struct RevertRequest {
    /// One change, by its event.
    pub event: Option<i64>,
    /// All changes of an actor since a moment.
    pub actor: Option<String>,
    pub since: Option<String>,
    pub dry_run: bool,
}

/// How many changes are taken back at once.
const CHANGES_MAX: usize = 1_000;

/// How many changes of an actor are looked at in one go.
const CHANGES_PAGE: i64 = 100;

/// One object to bring back to an earlier version.
struct Back {
    row: ObjectRow,
    events: Vec<i64>,
    to: i64,
    text: Counted,
    /// The version that did it already.
    done: Option<i64>,
}

impl Engine {
    pub fn revert(&self, caller: &Caller, request: &RevertRequest) -> Result<RevertAnswer> {
        let context = self.context(caller);
        let needs = Needs::of(&context);
        let (backs, conflicts) = self.read(caller, &mut |snapshot| {
            let state = read_state(snapshot, &needs)?;
            let mut changes = changes(snapshot, request, context.now)?;
            let own = state.actor.as_ref().map(|row| row.actor).filter(|_| caller.key.is_some());
            if let Some(own) = own {
                without_reverts(snapshot, own, &mut changes)?;
            }
            let (mut backs, mut conflicts) = (Vec::new(), Vec::new());
            for (object, events) in changes {
                match back(snapshot, object, events, own)? {
                    Ok(back) => backs.push(back),
                    Err(conflict) => conflicts.push(conflict),
                }
            }
            Ok((backs, conflicts))
        })?;
        let mut answer = RevertAnswer { done: !request.dry_run, reverted: Vec::new(), conflicts };
        for it in backs {
            let version = match (it.done, request.dry_run) {
                (Some(done), _) => Some(done),
                (None, true) => None,
                (None, false) => match self.bring_back(caller, &it) {
                    Ok(version) => Some(version),
                    // Somebody was quicker: that one is left alone, the others are not.
                    Err(error) if error.kind() == crate::Kind::Conflict => {
                        let (id, name, event) = (it.row.id, it.row.name, it.events[0]);
                        let why = error.to_string();
                        answer.conflicts.push(RevertConflict { id, name, event, why });
                        continue;
                    }
                    Err(error) => return Err(error),
                },
            };
            let (id, name, events) = (it.row.id, it.row.name, it.events);
            answer.reverted.push(RevertLine { id, name, events, back_to: it.to, version });
        }
        Ok(answer)
    }

    /// One key cannot stand for several changes: each has its own.
    fn bring_back(&self, caller: &Caller, back: &Back) -> Result<i64> {
        let key = caller.key.as_ref().map(|key| format!("{key}/{}", back.row.item));
        let caller = Caller { key, ..caller.clone() };
        let latest = back.events.first().copied().unwrap_or_default();
        let put = Put {
            object: back.row.id.clone(),
            kind: None,
            text: back.text.clone(),
            scope: None,
            reverts: Some((latest, back.row.versions)),
        };
        Ok(self.put_command(&caller, put)?.version)
    }
}

/// The changes that are meant, by object, the latest first.
fn changes(
    snapshot: &mut dyn Snapshot,
    request: &RevertRequest,
    now: ambit_core::Millis,
) -> Read<BTreeMap<ItemNo, Vec<i64>>> {
    let mut found: BTreeMap<ItemNo, Vec<i64>> = BTreeMap::new();
    match (request.event, &request.actor, &request.since) {
        (Some(seq), None, None) => {
            let logged = if seq > 0 { event(snapshot, seq)? } else { None };
            match logged.map(|it| it.event.body.what) {
                Some(What::Put { object, .. }) => drop(found.insert(object, vec![seq])),
                None => {
                    let message = format!("there is no event {seq}");
                    return Err(Rejection::not_found(message, "`ambit log` shows them").into());
                }
                Some(other) => {
                    let word = other.word();
                    return Err(Rejection::not_found(
                        format!("event {seq} put no version of an object: {word}"),
                        "`ambit history --changes` shows changes with their events",
                    )
                    .into());
                }
            }
        }
        (None, Some(name), Some(since)) => {
            let time = moment(since, now).ok_or_else(|| not_a_moment(since))?;
            let after = last_until(snapshot, time - 1)?;
            let by = find_actor(snapshot, name)?;
            for (object, seq) in put_since(snapshot, &by, after)? {
                found.entry(object).or_default().push(seq);
            }
        }
        _ => {
            return Err(Rejection::usage(
                "what is to be taken back is not said",
                "name an event, or an actor and since when: --by bot --since 1h",
            )
            .into());
        }
    }
    Ok(found)
}

/// What an actor put after an event, the latest first.
fn put_since(snapshot: &mut dyn Snapshot, by: &ActorRow, after: i64) -> Read<Vec<(ItemNo, i64)>> {
    let mut found = Vec::new();
    let mut before = i64::MAX;
    loop {
        let page = snapshot.changes_in(by.home, before, CHANGES_PAGE)?;
        before = page.last().copied().unwrap_or(0);
        for seq in page.into_iter().filter(|seq| *seq > after) {
            let Some(logged) = event(snapshot, seq)? else { continue };
            if let What::Put { object, .. } = logged.event.body.what
                && logged.event.actor == by.actor
            {
                found.push((object, seq));
            }
        }
        if found.len() > CHANGES_MAX {
            return Err(Rejection::refused(
                format!("more than {CHANGES_MAX} changes at once"),
                "take them back in parts: a later --since first",
            )
            .into());
        }
        if before <= after {
            return Ok(found);
        }
    }
}

/// What an object goes back to: the version before the first of the changes, where they are its
/// latest ones.
fn back(
    snapshot: &mut dyn Snapshot,
    object: ItemNo,
    mut events: Vec<i64>,
    repeats: Option<ActorNo>,
) -> Read<std::result::Result<Back, RevertConflict>> {
    let row = snapshot.things(&[object])?.pop().and_then(|it| it.object);
    let Some(row) = row else {
        return Err(ambit_store::Error::Damaged(format!("object {object} is missing")));
    };
    events.sort_unstable_by(|a, b| b.cmp(a));
    let conflict = |event: i64, why: String| {
        let (id, name) = (row.id.clone(), row.name.clone());
        Ok(Err(RevertConflict { id, name, event, why }))
    };
    // A command with a key may be a repetition: the next version took them back, then.
    let latest = events.first().copied().unwrap_or_default();
    let done = match repeats {
        Some(own) => taken_back(snapshot, object, latest, own)?,
        None => None,
    };
    let mut at = done.map_or(row.versions, |done| done - 1);
    for seq in &events {
        let version = snapshot.version(object, Which::Number(at))?;
        if version.is_none_or(|it| it.seq != *seq) {
            let later = snapshot.version(object, Which::Number(row.versions))?;
            let later = later.map_or(0, |it| it.seq);
            return conflict(*seq, format!("it was changed since, last by event {later}"));
        }
        at -= 1;
    }
    let first = events.last().copied().unwrap_or_default();
    let Some(before) = snapshot.version(object, Which::Number(at))? else {
        return conflict(first, "there is no version before it".into());
    };
    match snapshot.things(&[before.item])?.pop() {
        Some(thing) if thing.forgotten.is_none() => {
            Ok(Ok(Back { row, events, to: at, text: counted(&thing.text), done }))
        }
        _ => conflict(first, format!("version {at} was forgotten")),
    }
}

/// The version that took a change back, right after it.
fn taken_back(
    snapshot: &mut dyn Snapshot,
    object: ItemNo,
    change: i64,
    by: ActorNo,
) -> Read<Option<i64>> {
    let Some(changed) = snapshot.version(object, Which::At(change))? else {
        return Ok(None);
    };
    let Some(next) = snapshot.version(object, Which::Number(changed.version + 1))? else {
        return Ok(None);
    };
    Ok((reverts(snapshot, next.seq, by)? == Some(change)).then_some(next.version))
}

/// Leaves out the actor's own reverts of changes that are meant: the command is a repetition.
fn without_reverts(
    snapshot: &mut dyn Snapshot,
    own: ActorNo,
    changes: &mut BTreeMap<ItemNo, Vec<i64>>,
) -> Read<()> {
    for events in changes.values_mut() {
        let all = events.clone();
        let mut kept = Vec::with_capacity(all.len());
        for seq in &all {
            let back = reverts(snapshot, *seq, own)?;
            if back.is_none_or(|change| !all.contains(&change)) {
                kept.push(*seq);
            }
        }
        *events = kept;
    }
    Ok(())
}

/// The change that an actor took back by an event.
fn reverts(snapshot: &mut dyn Snapshot, seq: i64, by: ActorNo) -> Read<Option<i64>> {
    let logged = event(snapshot, seq)?.filter(|it| it.event.actor == by);
    Ok(match logged.map(|it| it.event.body.what) {
        Some(What::Put { reverts, .. }) => reverts,
        _ => None,
    })
}
