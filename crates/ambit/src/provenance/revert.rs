//! `revert`: undoes changes, each by a new version. Changes that others made since are left alone,
//! and the log keeps everything.

use std::collections::BTreeMap;

use ambit_core::{
    ActorRow, Answer, Command, ItemNo, Needs, ObjectPut, ObjectRevert, Revert, RevertConflict,
    RevertLine, RevertedAnswer, Via, What, moment,
};
use ambit_store::{Snapshot, Which};

use crate::engine::{counted, read_state, unexpected};
use crate::lookup::find_actor;
use crate::names::event;
use crate::time_travel::{invalid_moment, last_until};
use crate::{Caller, Engine, Error, QuestionRefusal, Result, RevertAnswer};

/// What to revert.
#[derive(Clone, Debug, Default)]
pub struct RevertRequest {
    /// One change, by its event.
    pub event: Option<i64>,
    /// All changes of an actor since a moment.
    pub actor: Option<String>,
    pub since: Option<String>,
    pub dry_run: bool,
}

/// The largest number of changes in one revert.
const CHANGES_MAX: usize = 1_000;

/// The number of an actor's changes read at a time.
const CHANGES_PAGE: i64 = 100;

impl Engine {
    /// Reverts changes in one transaction. Repeating a command with its key returns the first
    /// answer.
    pub fn revert(&self, caller: &Caller, request: &RevertRequest) -> Result<RevertAnswer> {
        let context = self.context(caller);
        let RevertRequest { event, actor, since, .. } = request;
        let selection = format!("{event:?} {actor:?} {since:?}");
        let command = |objects, conflicts| {
            let selection = selection.clone();
            Command::Revert(Revert { objects, conflicts, selection })
        };
        if !request.dry_run
            && let Some(answer) = self.stored_answer(caller, &command(Vec::new(), Vec::new()))?
        {
            return revert_answer(answer);
        }
        let needs = Needs::of(&context);
        let (objects, conflicts) = self.read(caller, &mut |snapshot| {
            read_state(snapshot, &needs)?;
            let (mut objects, mut conflicts) = (Vec::new(), Vec::new());
            for (object, events) in changes(snapshot, request, context.now)? {
                let (back, conflict) = version_to_restore(snapshot, object, events, caller.via)?;
                objects.extend(back);
                conflicts.extend(conflict);
            }
            Ok((objects, conflicts))
        })?;
        if request.dry_run {
            let reverted = objects.into_iter().map(|(name, it)| RevertLine {
                id: it.object,
                name,
                events: it.events,
                back_to: it.to,
                version: None,
            });
            return Ok(RevertAnswer { done: false, reverted: reverted.collect(), conflicts });
        }
        let objects = objects.into_iter().map(|(_, back)| back).collect();
        revert_answer(self.run(caller, command(objects, conflicts))?)
    }
}

fn revert_answer(answer: Answer) -> Result<RevertAnswer> {
    match answer {
        Answer::Reverted(RevertedAnswer { reverted, conflicts, .. }) => {
            Ok(RevertAnswer { done: true, reverted, conflicts })
        }
        other => Err(unexpected(&other)),
    }
}

/// Returns the selected changes by object, latest first.
fn changes(
    snapshot: &mut dyn Snapshot,
    request: &RevertRequest,
    now: ambit_core::Millis,
) -> Result<BTreeMap<ItemNo, Vec<i64>>> {
    let mut found: BTreeMap<ItemNo, Vec<i64>> = BTreeMap::new();
    match (request.event, &request.actor, &request.since) {
        (Some(seq), None, None) => {
            let logged = if seq > 0 { event(snapshot, seq)? } else { None };
            match logged.map(|it| it.event.body.what) {
                Some(What::Put(ObjectPut { object, .. })) => drop(found.insert(object, vec![seq])),
                None => return Err(QuestionRefusal::NoEvent { event: seq }.into()),
                Some(other) => {
                    let word = other.word();
                    return Err(QuestionRefusal::NotAVersion { event: seq, word }.into());
                }
            }
        }
        (None, Some(name), Some(since)) => {
            let time = moment(since, now).ok_or_else(|| invalid_moment(since))?;
            let after = last_until(snapshot, time - 1)?;
            let by = find_actor(snapshot, name)?;
            for (object, seq) in put_since(snapshot, &by, after)? {
                found.entry(object).or_default().push(seq);
            }
        }
        _ => {
            return Err(QuestionRefusal::NothingToRevert.into());
        }
    }
    Ok(found)
}

/// Returns the versions that an actor put after an event, latest first.
fn put_since(snapshot: &mut dyn Snapshot, by: &ActorRow, after: i64) -> Result<Vec<(ItemNo, i64)>> {
    let mut found = Vec::new();
    let mut before = i64::MAX;
    loop {
        let page = snapshot.changes_in(by.home, before, CHANGES_PAGE)?;
        before = page.last().copied().unwrap_or(0);
        for seq in page.into_iter().filter(|seq| *seq > after) {
            let Some(logged) = event(snapshot, seq)? else { continue };
            if let What::Put(ObjectPut { object, .. }) = logged.event.body.what
                && logged.event.actor == by.actor
            {
                found.push((object, seq));
            }
        }
        if found.len() > CHANGES_MAX {
            return Err(QuestionRefusal::TooManyReverted { max: CHANGES_MAX }.into());
        }
        if before <= after {
            return Ok(found);
        }
    }
}

type Found = (Option<(String, ObjectRevert)>, Option<RevertConflict>);

/// Returns the version that an object goes back to, and the object's name. Only the latest
/// versions are reverted, as far as they are selected. A later change by others, and everything
/// before it, is left alone.
fn version_to_restore(
    snapshot: &mut dyn Snapshot,
    object: ItemNo,
    mut events: Vec<i64>,
    via: Via,
) -> Result<Found> {
    let row = snapshot.things(&[object])?.pop().and_then(|it| it.object);
    let Some(row) = row else {
        return Err(Error::damaged(format!("object {object} is missing")));
    };
    events.sort_unstable_by(|a, b| b.cmp(a));
    let conflict = |event: i64, why: String| {
        let (id, name) = (row.id.clone(), row.name.clone());
        Some(RevertConflict { id, name, event, why })
    };
    let (mut at, mut left) = (row.versions, None);
    for (index, seq) in events.iter().enumerate() {
        let version = snapshot.version(object, Which::Number(at))?.map_or(0, |it| it.seq);
        if version != *seq {
            left = conflict(*seq, format!("event {version} changed it since"));
            events.truncate(index);
            break;
        }
        at -= 1;
    }
    let Some(first) = events.last().copied() else {
        return Ok((None, left));
    };
    let Some(before) = snapshot.version(object, Which::Number(at))? else {
        let place = match via {
            Via::Cli => format!("`ambit place {:?} SCOPE --out`", row.name),
            Via::Mcp | Via::Library => "`place`".to_string(),
        };
        let why = format!("there is no version before it: {place} takes it out of a scope");
        return Ok((None, conflict(first, why)));
    };
    let latest = snapshot.things(&[row.latest])?.pop().filter(|it| it.forgotten.is_none());
    match snapshot.things(&[before.item])?.pop() {
        // The latest version already has this text: the change was reverted before.
        Some(thing) if latest.is_some_and(|it| it.text == thing.text) => Ok((None, left)),
        Some(thing) if thing.forgotten.is_none() => {
            let text = counted(&thing.text);
            let back =
                ObjectRevert { object: row.id, events, versions: row.versions, to: at, text };
            Ok((Some((row.name, back)), left))
        }
        _ => Ok((None, conflict(first, format!("version {at} was forgotten")))),
    }
}
