//! `note`: decides notes, each with its capture and its snapshot.

use sha2::{Digest, Sha256};

use crate::decide::{Act, Draft, Stop};
use crate::{
    Answer, Counted, Hash, ItemNo, Key, NoteAnswer, NoteRefusal, Noted, Reach, ScopeNo, Way, What,
};

/// The scope that a note is written in, and the frame it is captured from.
#[derive(Clone, Copy)]
pub(crate) struct Written {
    pub scope: ScopeNo,
    /// Differs from `scope` for insights and for the task of a fork.
    pub mind: ScopeNo,
    /// False for the notes of a fork or a rejoin: they have a capture but are not visited.
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
        // In its own place, a note is a message with the heading of the layer and the note's hash.
        let shown = text.tokens + NOTE_TOKENS;
        let sum = row.map_or(0, |row| row.sum) + shown;
        let hash = note_hash(&text.key, self.now, parent.as_ref(), &head_hash, way);
        let item = ItemNo(self.allot());
        let context = self.capture(mind)?;
        let visited = if to.visits { self.visit(item, Some(mind))? } else { Vec::new() };
        let here = vec![self.presence_change(mind, Act::Other)];
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

    /// Returns the scope's head before this command.
    fn snapshot(&self, scope: ScopeNo) -> Result<(i64, Hash), Stop> {
        let found = self.before.iter().find(|(before, ..)| *before == scope);
        match found {
            Some((_, head, Some(hash))) => Ok((*head, *hash)),
            // The vault's own scope does not exist before the first insight.
            None if scope == ScopeNo::VAULT && self.state.reach.insights => {
                Ok((0, Hash::default()))
            }
            _ => Err(Stop::Need(Reach { head_hashes: true, frames: true, ..Reach::default() })),
        }
    }
}

/// The tokens that the heading, the hash and the message itself add to a note's text.
const NOTE_TOKENS: i64 = 24;

/// Returns a note's hash: over the key of its text, its time, its parent, the scope's head before
/// its command, and the other scope for a note written on leaving or arriving.
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
