//! `get` and `break`: decides visits, and the breaks after which earlier visits are not captured.

use crate::decide::{Draft, Stop};
use crate::{Answer, ItemNo, ObjectRefusal, VisitAnswer, Visited, What};

impl Draft<'_> {
    /// Visits an object or a note. Objects of primitive types do not enter the frame.
    pub(crate) fn look(
        &mut self,
        object: Option<&str>,
        note: Option<ItemNo>,
    ) -> Result<Answer, Stop> {
        let known = object.and_then(|name| self.state.objects.remove(name));
        let (item, substantive) = match (known, object, note) {
            (Some(known), ..) => {
                let substantive = self.state.settings.is_substantive(&known.row.kind);
                (known.row.item, substantive)
            }
            (None, Some(name), _) => {
                return Err(ObjectRefusal::Missing { named: name.into() }.into());
            }
            (None, None, Some(note)) => (note, true),
            (None, None, None) => {
                return Err(ObjectRefusal::Unnamed.into());
            }
        };
        if substantive {
            self.ensure_actor()?;
            let visited = self.visit(item, self.pinned()?)?;
            self.emit(What::Visited(Visited { item, visited }), Vec::new())?;
        }
        let event = self.state.vault.head_seq;
        Ok(Answer::Visited(VisitAnswer { visited: substantive, event }))
    }

    pub(crate) fn break_off(&mut self) -> Result<Answer, Stop> {
        self.ensure_actor()?;
        self.ending = true;
        self.emit(What::Broke, Vec::new())?;
        Ok(self.stands_answer(None))
    }
}
