//! Insights: notes of the whole vault, shown in every scope until they are retracted.

use crate::decide::{Act, Draft, Stop};
use crate::note::Written;
use crate::{Answer, Counted, Hash, InsightAnswer, ItemNo, NoteRefusal, Retracted, ScopeNo, What};

impl Draft<'_> {
    pub(crate) fn insight(&mut self, message: &Counted) -> Result<Answer, Stop> {
        let scope = self.working()?;
        self.check_note(message)?;
        self.ensure_actor()?;
        let written = Written { scope: ScopeNo::VAULT, mind: scope.scope, visits: true };
        let hash = self.write_note(written, message, None)?;
        self.insight_answer(&hash, false)
    }

    pub(crate) fn retract(&mut self, item: ItemNo, hash: &Hash) -> Result<Answer, Stop> {
        let scope = self.working()?;
        let known = std::mem::take(&mut self.state.selected);
        let found = known.items.iter().find(|it| it.row.item == item);
        let Some(found) = found.filter(|it| it.row.kind.of_vault()) else {
            return Err(NoteRefusal::NoInsight { hash: hash.short() }.into());
        };
        let place = found.places.iter().find(|it| it.scope == ScopeNo::VAULT);
        let Some(place) = place else {
            return Err(NoteRefusal::Retracted { hash: hash.short() }.into());
        };
        self.ensure_actor()?;
        let sum = self.row(ScopeNo::VAULT)?.sum - place.tokens;
        let what =
            What::Retracted(Retracted { item, position: place.position, shown: place.tokens, sum });
        let here = vec![self.presence_change(scope.scope, Act::Other)];
        self.emit(what, here)?;
        self.insight_answer(hash, true)
    }

    fn insight_answer(&self, hash: &Hash, retracted: bool) -> Result<Answer, Stop> {
        let row = self.row(ScopeNo::VAULT)?;
        let (hash, warnings) = (hash.to_hex(), Vec::new());
        let (insights, event) = (row.notes, row.head);
        Ok(Answer::Insight(InsightAnswer { hash, retracted, insights, event, warnings }))
    }
}
