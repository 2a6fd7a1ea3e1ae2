//! `notes`, `insights` and `read`: read-only.

use ambit_core::compose::{
    NoteRange, NoteShown, Shown, handle, inherited_notes, note_text, shape_of,
};
use ambit_core::{ActorNo, Class, Hash, ItemNo, Needs, NoteRefusal, Refusal, ScopeNo, rfc3339};
use ambit_store::Snapshot;
use serde_json::value::RawValue;

use crate::answers::{
    BlockAnswer, InsightsAnswer, NoteLine, NotesAnswer, ReadAnswer, SnapshotAnswer,
};
use crate::engine::read_state;
use crate::names::missing;
use crate::{Caller, Engine, Error, QuestionRefusal, Result};

impl Engine {
    /// Returns a scope's notes, inherited ones first. The default is the current scope.
    pub fn notes(&self, caller: &Caller, scope: Option<&str>) -> Result<NotesAnswer> {
        let context = self.context(caller);
        let mut needs = Needs::of(&context);
        needs.scopes.extend(scope.map(str::to_string));
        self.read(caller, &mut |snapshot| {
            let state = read_state(snapshot, &needs)?;
            let row = match scope {
                Some(name) => state.scope_named(name)?,
                None => state.working_scope(context.pin.as_deref())?,
            };
            let mut notes = Vec::new();
            for note in inherited_notes(snapshot, &state, row.scope, i64::MAX)? {
                notes.push(note_line(snapshot, &note, true)?);
            }
            for note in snapshot.notes(row.scope, NoteRange::ALL, i64::MAX)? {
                notes.push(note_line(snapshot, &note, false)?);
            }
            Ok(NotesAnswer { scope: row.name.clone().unwrap_or_default(), notes })
        })
    }

    /// Returns the vault's insights, oldest first.
    pub fn insights(&self, caller: &Caller) -> Result<InsightsAnswer> {
        let needs = Needs::of(&self.context(caller));
        self.read(caller, &mut |snapshot| {
            read_state(snapshot, &needs)?;
            let notes = snapshot.notes(ScopeNo::VAULT, NoteRange::ALL, i64::MAX)?;
            let lines = notes.iter().map(|note| note_line(snapshot, note, false));
            Ok(InsightsAnswer { insights: lines.collect::<Result<_>>()? })
        })
    }

    /// Reads what a handle, a block, a turn or a note's hash refers to.
    ///
    /// ```
    /// # use ambit::{Caller, Engine, ReadAnswer};
    /// # let (engine, me) = (Engine::memory()?, Caller::new("ada"));
    /// let turn = engine.append_text(&me, "user", "why does login time out?")?.head;
    /// match engine.read_handle(&me, &format!("{turn}.0"))? {
    ///     ReadAnswer::Block(block) => assert_eq!(block.text, "why does login time out?"),
    ///     other => panic!("{other:?}"),
    /// }
    /// # Ok::<(), ambit::Error>(())
    /// ```
    pub fn read_handle(&self, caller: &Caller, handle: &str) -> Result<ReadAnswer> {
        self.read(caller, &mut |snapshot| find(snapshot, handle))
    }

    /// Returns the messages that were shown when a note was written.
    pub fn read_snapshot(&self, caller: &Caller, hash: &str) -> Result<ReadAnswer> {
        self.read(caller, &mut |snapshot| {
            if hash.len() < HASH_DIGITS_MIN {
                return Err(QuestionRefusal::ShortHash { hash: hash.into() }.into());
            }
            let Some(Name::Note(prefix)) = Name::parse(&hash.to_ascii_lowercase()) else {
                return Err(no_such(hash));
            };
            let note = find_note(snapshot, &prefix)?.ok_or_else(|| no_such(hash))?;
            if note.scope == ScopeNo::VAULT {
                return Err(QuestionRefusal::InsightSnapshot { hash: hash.into() }.into());
            }
            let rows = snapshot.messages_at(note.scope, note.snapshot, note.position)?;
            let turns = rows.chunk_by(|a, b| a.turn == b.turn);
            let messages = turns.map(restore).collect::<Result<_>>()?;
            let (hash, head) = (note.hash.to_hex(), note.snapshot);
            Ok(ReadAnswer::Snapshot(SnapshotAnswer { hash, head, messages }))
        })
    }
}

/// The shortest hash prefix that names a note: as long as the prefix that is displayed.
const HASH_DIGITS_MIN: usize = 7;

/// A parsed name of something to read back.
pub(crate) enum Name {
    Turn(i64),
    Block { turn: i64, block: i64, key: Option<String> },
    Note(String),
}

impl Name {
    /// Parses `812`, `812.0`, `812.0-3fa2`, or at least seven digits of a note's hash.
    pub(crate) fn parse(text: &str) -> Option<Name> {
        if let Some((turn, rest)) = text.split_once('.') {
            let (block, key) = match rest.split_once('-') {
                Some((block, key)) if key.bytes().all(|it| it.is_ascii_hexdigit()) => {
                    (block, Some(key.to_string()))
                }
                Some(_) => return None,
                None => (rest, None),
            };
            return Some(Name::Block { turn: turn.parse().ok()?, block: block.parse().ok()?, key });
        }
        let hex = text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        match text.parse() {
            Ok(turn) if text.len() < HASH_DIGITS_MIN => Some(Name::Turn(turn)),
            _ if hex && (HASH_DIGITS_MIN..=64).contains(&text.len()) => {
                Some(Name::Note(text.to_string()))
            }
            Ok(turn) => Some(Name::Turn(turn)),
            Err(_) => None,
        }
    }
}

pub(crate) fn no_such(handle: &str) -> Error {
    QuestionRefusal::NothingNamed { name: handle.into() }.into()
}

/// Returns the refusal for a forgotten text: who forgot it, and when.
fn forgotten(snapshot: &mut dyn Snapshot, name: &str, seq: i64) -> Result<Error> {
    let event = snapshot.events(seq.saturating_sub(1), 1)?.into_iter().next();
    let Some(event) = event.filter(|event| event.seq == seq) else {
        return Ok(Error::damaged(format!("the event {seq} that forgot {name} is missing")));
    };
    let (by, time) = (author(snapshot, event.actor)?, rfc3339(event.time));
    Ok(QuestionRefusal::Forgotten { name: name.into(), by, time }.into())
}

/// Reads the whole of what a handle, a block, a turn or a note's hash refers to.
pub(crate) fn find(snapshot: &mut dyn Snapshot, handle: &str) -> Result<ReadAnswer> {
    let name = handle.to_ascii_lowercase();
    match Name::parse(&name) {
        Some(Name::Turn(turn)) => read_turn(snapshot, handle, turn),
        Some(Name::Block { turn, block, key }) => {
            read_block(snapshot, handle, turn, block, key.as_deref())
        }
        Some(Name::Note(prefix)) => {
            match (find_note(snapshot, &prefix)?, prefix.parse()) {
                (Some(NoteShown { forgotten: Some(seq), .. }), _) => {
                    Err(forgotten(snapshot, handle, seq)?)
                }
                (Some(note), _) => {
                    let retracted = note.scope == ScopeNo::VAULT && !is_shown(snapshot, &note)?;
                    let line = note_line(snapshot, &note, false)?;
                    Ok(ReadAnswer::Note(NoteLine { retracted, ..line }))
                }
                // From turn 1,000,000 on, a turn's number can also be a hash prefix.
                (None, Ok(turn)) => read_turn(snapshot, handle, turn),
                (None, Err(_)) => Err(no_such(handle)),
            }
        }
        None => Err(no_such(handle)),
    }
}

/// Returns whether a note's place is open.
fn is_shown(snapshot: &mut dyn Snapshot, note: &NoteShown) -> Result<bool> {
    let place = NoteRange::Places { from: note.position, to: note.position + 1 };
    Ok(!snapshot.notes(note.scope, place, 1)?.is_empty())
}

fn read_turn(snapshot: &mut dyn Snapshot, handle: &str, turn: i64) -> Result<ReadAnswer> {
    let rows = snapshot.blocks(turn)?;
    if rows.is_empty() {
        return Err(no_such(handle));
    }
    if let [row] = rows.as_slice()
        && row.kind.policy().class != Class::Block
    {
        return read_block(snapshot, handle, turn, 0, None);
    }
    // A partly forgotten turn is returned with marks; a fully forgotten one is refused.
    let gone: Option<Vec<_>> = rows.iter().map(|row| row.forgotten).collect();
    if let Some(last) = gone.and_then(|seqs| seqs.into_iter().max()) {
        return Err(forgotten(snapshot, handle, last)?);
    }
    Ok(ReadAnswer::Turn { id: turn.to_string(), message: restore(&rows)? })
}

fn read_block(
    snapshot: &mut dyn Snapshot,
    name: &str,
    turn: i64,
    block: i64,
    key: Option<&str>,
) -> Result<ReadAnswer> {
    let rows = snapshot.blocks(turn)?;
    let row = rows.into_iter().find(|row| row.block == block).ok_or_else(|| no_such(name))?;
    if let Some(seq) = row.forgotten {
        return Err(forgotten(snapshot, name, seq)?);
    }
    let handle = handle(turn, block, &row.key);
    if key.is_some() && handle != name {
        return Err(no_such(name));
    }
    Ok(ReadAnswer::Block(BlockAnswer {
        id: format!("{turn}.{block}"),
        handle,
        role: row.role.as_str().to_string(),
        form: row.form.as_str().to_string(),
        author: author(snapshot, row.author)?,
        timestamp: rfc3339(row.time),
        tokens: row.text_tokens,
        text: row.text,
    }))
}

pub(crate) fn find_note(snapshot: &mut dyn Snapshot, prefix: &str) -> Result<Option<NoteShown>> {
    let mut found = snapshot.notes_by_hash(prefix)?;
    if found.len() > 1 {
        return Err(QuestionRefusal::AmbiguousHash { prefix: prefix.into() }.into());
    }
    Ok(found.pop())
}

/// Finds an insight by its hash.
pub(crate) fn insight_named(snapshot: &mut dyn Snapshot, hash: &str) -> Result<(ItemNo, Hash)> {
    let missing = || Error::from(Refusal::from(NoteRefusal::NoInsight { hash: hash.into() }));
    let Some(Name::Note(prefix)) = Name::parse(&hash.to_ascii_lowercase()) else {
        return Err(missing());
    };
    let found = find_note(snapshot, &prefix)?.filter(|note| note.scope == ScopeNo::VAULT);
    let note = found.ok_or_else(missing)?;
    let row = snapshot.blocks(note.seq)?.into_iter().next().ok_or_else(missing)?;
    Ok((row.item, note.hash))
}

pub(crate) fn note_line(
    snapshot: &mut dyn Snapshot,
    note: &NoteShown,
    inherited: bool,
) -> Result<NoteLine> {
    Ok(NoteLine {
        hash: note.hash.to_hex(),
        message: note_text(note),
        timestamp: rfc3339(note.time),
        parent_hash: note.parent.map(|parent| parent.to_hex()),
        author: author(snapshot, note.author)?,
        inherited,
        retracted: false,
        snapshot: note.snapshot,
    })
}

pub(crate) fn author(snapshot: &mut dyn Snapshot, actor: ActorNo) -> Result<String> {
    match snapshot.authors(&[actor].into())?.into_values().next() {
        Some(author) => Ok(author.name),
        None if actor == ActorNo::SYSTEM => Ok(String::new()),
        None => Err(missing("actor", actor)),
    }
}

fn restore(rows: &[Shown]) -> Result<Box<RawValue>> {
    let texts: Vec<_> = rows.iter().map(|row| row.text.as_str()).collect();
    let shape = shape_of(rows);
    let (role, shape) = match rows.first() {
        Some(row) => (row.role, shape.as_deref()),
        None => return Err(Error::damaged("a turn without blocks")),
    };
    raw(ambit_wire::restore(role, shape, &texts))
}

pub(crate) fn raw(json: String) -> Result<Box<RawValue>> {
    RawValue::from_string(json).map_err(|error| Error::damaged(format!("JSON: {error}")))
}
