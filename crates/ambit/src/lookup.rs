//! Resolves names that callers give: an object by id or name, a note by its hash.

use ambit_core::compose::NoteShown;
use ambit_core::{ActorRefusal, ActorRow, ItemNo, ObjectRow, Refusal, ScopeRow};
use ambit_store::Snapshot;

use crate::conversation::reading::{Name, find_note};
use crate::{QuestionRefusal, Result};

pub(crate) enum Found {
    Object(ObjectRow),
    Note(NoteShown, ItemNo),
}

impl Found {
    pub fn item(&self) -> ItemNo {
        match self {
            Found::Object(row) => row.item,
            Found::Note(_, item) => *item,
        }
    }
}

pub(crate) fn find(snapshot: &mut dyn Snapshot, named: &str) -> Result<Found> {
    if let Some(object) = snapshot.object(named)? {
        return Ok(Found::Object(object));
    }
    let lower = named.to_ascii_lowercase();
    if let Some(Name::Note(prefix)) = Name::parse(&lower)
        && let Some(note) = find_note(snapshot, &prefix)?
        && let Some(row) = snapshot.blocks(note.seq)?.first()
    {
        return Ok(Found::Note(note, row.item));
    }
    Err(no_such(named).into())
}

pub(crate) fn no_such(named: &str) -> QuestionRefusal {
    QuestionRefusal::NoThing { name: named.into() }
}

pub(crate) fn find_actor(snapshot: &mut dyn Snapshot, name: &str) -> Result<ActorRow> {
    let missing = || Refusal::from(ActorRefusal::Missing { name: name.into() });
    Ok(snapshot.actor_named(name)?.ok_or_else(missing)?)
}

/// Returns a scope's row, by name or id.
pub(crate) fn find_scope(snapshot: &mut dyn Snapshot, name: &str) -> Result<ScopeRow> {
    let needs = ambit_core::Needs { scopes: vec![name.to_string()], ..Default::default() };
    let state = snapshot.state(&needs)?;
    Ok(state.scope_named(name)?.clone())
}
