//! Notes: what is worth keeping of a scope's messages, with the place in the log it was taken at.

use sha2::{Digest, Sha256};

use crate::decide::{Act, Draft, Stop};
use crate::{
    Answer, Counted, Hash, ItemNo, Key, NoteAnswer, NoteRefusal, Noted, Reach, ScopeNo, Way, What,
};

/// Where a note is written, and what it is captured from.
#[derive(Clone, Copy)]
pub(crate) struct Written {
    pub scope: ScopeNo,
    /// Another than that for insights and for a fork's task.
    pub mind: ScopeNo,
    /// The notes of a fork and of a rejoin are captured, but nobody visited them.
    pub visits: bool,
}

impl Written {
    pub fn here(scope: ScopeNo) -> Written {
        Written { scope, mind: scope, visits: true }
    }
}

impl Draft<'_> {
    pub(crate) fn note(&mut self, message: &Counted) -> Result<Answer, Stop> {
        let scope = self.working()?;
        self.check_note(message)?;
        self.ensure_actor()?;
        let hash = self.write_note(Written::here(scope.scope), message, None)?;
        self.clear_if(scope.scope, Key::ClearOnNote)?;
        let head = self.row(scope.scope)?.head;
        Ok(Answer::Noted(NoteAnswer {
            hash: hash.to_hex(),
            scope: scope.name.unwrap_or_default(),
            head,
            warnings: Vec::new(),
        }))
    }

    pub(crate) fn check_note(&self, note: &Counted) -> Result<(), Stop> {
        if note.text.trim().is_empty() {
            return Err(NoteRefusal::Empty.into());
        }
        let (bytes, max) = (note.text.len(), self.setting(ScopeNo::VAULT, Key::NoteBytesMax));
        if bytes as i64 > max {
            return Err(NoteRefusal::TooLarge { bytes, max }.into());
        }
        Ok(())
    }

    /// Writes a note. The capture is taken before the note's own visit.
    pub(crate) fn write_note(
        &mut self,
        to: Written,
        note: &Counted,
        way: Option<Way>,
    ) -> Result<Hash, Stop> {
        let Written { scope, mind, .. } = to;
        let text = self.content(note);
        let (snapshot, head_hash) = self.snapshot(scope)?;
        let row = self.state.scopes.get(&scope).map(|it| &it.row);
        let (position, parent) = row.map_or((0, None), |row| (row.next_position, row.last_note));
        // In a place of its own it is a message with the layer's heading and the hash.
        let shown = text.tokens + NOTE_TOKENS;
        let sum = row.map_or(0, |row| row.sum) + shown;
        let hash = note_hash(&text.key, self.now, parent.as_ref(), &head_hash, way);
        let item = ItemNo(self.allot());
        let context = self.capture(mind)?;
        let visited = if to.visits { self.visit(item, Some(mind))? } else { Vec::new() };
        let here = vec![self.here(mind, Act::Other)];
        let what = What::Noted(Noted {
            scope,
            item,
            position,
            sum,
            text,
            shown,
            hash,
            parent,
            snapshot,
            way,
            visited,
            context,
            context_frame: mind,
        });
        self.emit(what, here)?;
        Ok(hash)
    }

    /// The scope's head before this command.
    fn snapshot(&self, scope: ScopeNo) -> Result<(i64, Hash), Stop> {
        let found = self.before.iter().find(|(before, ..)| *before == scope);
        match found {
            Some((_, head, Some(hash))) => Ok((*head, *hash)),
            // Before the first insight.
            None if scope == ScopeNo::VAULT && self.state.reach.insights => {
                Ok((0, Hash::default()))
            }
            _ => Err(Stop::Need(Reach { head_hashes: true, frames: true, ..Reach::default() })),
        }
    }
}

/// What the layer's heading, the hash and the message's frame add to a note's text.
const NOTE_TOKENS: i64 = 24;

/// A note's name: over its text's key, time, parent, the scope's head before its command, and
/// which way a departure or an arrival goes.
fn note_hash(text: &Hash, time: i64, parent: Option<&Hash>, head: &Hash, way: Option<Way>) -> Hash {
    let mut hash = Sha256::new();
    hash.update(text.0);
    hash.update(time.to_be_bytes());
    hash.update(parent.map_or([0; 32], |parent| parent.0));
    hash.update(head.0);
    let (direction, scope) = match way {
        None => (0u8, 0),
        Some(Way::To(scope)) => (1, scope.0),
        Some(Way::From(scope)) => (2, scope.0),
    };
    hash.update([direction]);
    hash.update(scope.to_be_bytes());
    Hash(hash.finalize().into())
}
