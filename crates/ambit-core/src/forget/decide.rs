//! `forget`: deletes texts for good. Their items and turns stay in place with a mark, so order,
//! calls and replies do not change. A text that other items or turns use too is not deleted.

use std::collections::BTreeMap;

use ambit_wire::forgotten::{mark_tokens, skeleton_tokens};

use crate::decide::{Draft, Stop};
use crate::{
    Answer, Class, ContentNo, ForgetAnswer, ForgetSelection, Forgettable, Forgotten, Mark,
    MessageRefusal, OpenPlace, ScopeNo, ScopeSums, SelectedItem, SelectedTurn, What,
};

/// The largest number of items and turns that one transaction forgets.
pub const FORGET_BATCH: usize = 500;

impl Forgettable {
    /// Returns the selected items that still have a text that is not empty.
    pub fn forgettable_items(&self) -> impl Iterator<Item = &SelectedItem> {
        self.items.iter().filter(|it| self.is_said(it.row.content))
    }

    /// Returns the selected turns that still have a shape.
    pub fn forgettable_turns(&self) -> impl Iterator<Item = &SelectedTurn> {
        self.shapes.iter().filter(|it| self.is_said(it.shape))
    }

    /// Whether a text is stored and not empty. For an empty text, a mark would only add tokens.
    fn is_said(&self, content: ContentNo) -> bool {
        self.texts.get(&content).is_some_and(|text| text.tokens > 0)
    }

    /// Returns each text with the number of selected items and turns that use it.
    pub fn text_uses(&self) -> BTreeMap<ContentNo, i64> {
        let mut selected = BTreeMap::new();
        let texts = self.forgettable_items().map(|it| it.row.content);
        for content in texts.chain(self.forgettable_turns().map(|it| it.shape)) {
            *selected.entry(content).or_default() += 1;
        }
        selected
    }

    fn tokens(&self, content: ContentNo) -> i64 {
        self.texts.get(&content).map_or(0, |text| text.tokens)
    }
}

/// The effect of forgetting on the scopes that show a text.
#[derive(Default)]
struct Shown {
    /// The tokens of each open place, before and with the mark.
    places: BTreeMap<(ScopeNo, i64), (i64, i64)>,
    note_tokens: BTreeMap<ScopeNo, i64>,
}

impl Shown {
    fn change(&mut self, place: &OpenPlace, by: i64) {
        let key = (place.scope, place.position);
        let (_, now) = self.places.entry(key).or_insert((place.tokens, place.tokens));
        *now += by;
    }

    fn marks(&self) -> Vec<Mark> {
        let mark = |(&(scope, position), &(_, shown)): (&(ScopeNo, i64), &(i64, i64))| Mark {
            scope,
            position,
            shown,
        };
        self.places.iter().map(mark).collect()
    }

    fn scope_sums(&self, sums: &BTreeMap<ScopeNo, i64>) -> Vec<ScopeSums> {
        let mut scopes: BTreeMap<ScopeNo, ScopeSums> = BTreeMap::new();
        for ((scope, position), (before, now)) in &self.places {
            // Places are in order: the running sums of a scope change from its first place on.
            let first = || ScopeSums {
                scope: *scope,
                after: position - 1,
                sum: sums.get(scope).copied().unwrap_or(0),
                note_tokens: self.note_tokens.get(scope).copied().unwrap_or(0),
            };
            scopes.entry(*scope).or_insert_with(first).sum += now - before;
        }
        scopes.into_values().collect()
    }
}

impl Draft<'_> {
    pub(crate) fn forget(
        &mut self,
        what: &ForgetSelection,
        so_far: &ForgetAnswer,
    ) -> Result<Answer, Stop> {
        if what.items.len() + what.shapes.len() > FORGET_BATCH {
            let texts = what.items.len() + what.shapes.len();
            return Err(MessageRefusal::TooManyForgotten { texts, max: FORGET_BATCH }.into());
        }
        let known = std::mem::take(&mut self.state.selected);
        let items: Vec<_> = known.forgettable_items().collect();
        let shapes: Vec<_> = known.forgettable_turns().collect();
        let mut answer = so_far.clone();
        // A command that forgets nothing writes no event.
        if items.is_empty() && shapes.is_empty() {
            return Ok(Answer::Forgot(answer));
        }
        self.ensure_actor()?;
        let gone = |(content, selected): (ContentNo, i64)| {
            let uses = known.texts.get(&content).map_or(0, |text| text.uses);
            (uses <= selected).then_some(content)
        };
        let contents: Vec<_> = known.text_uses().into_iter().filter_map(gone).collect();
        let shown = shown_after(&known, &items, &shapes);
        for it in &items {
            match it.row.kind.policy().class {
                Class::Block => answer.blocks += 1,
                Class::Note => answer.notes += 1,
                Class::Version => answer.versions += 1,
            }
        }
        answer.shapes += shapes.len() as i64;
        answer.texts += contents.len() as i64;
        answer.head = self.state.vault.head_seq + 1;
        let said = answer.blocks + answer.shapes > so_far.blocks + so_far.shapes;
        let what = What::Forgotten(Forgotten {
            items: items.iter().map(|it| it.row.item).collect(),
            shapes: shapes.iter().map(|it| it.turn).collect(),
            contents,
            marks: shown.marks(),
            scopes: shown.scope_sums(&known.sums),
            everywhere: answer.notes > so_far.notes || said && known.inherited,
        });
        self.emit(what, Vec::new())?;
        Ok(Answer::Forgot(answer))
    }
}

fn shown_after(known: &Forgettable, items: &[&SelectedItem], shapes: &[&SelectedTurn]) -> Shown {
    let mut shown = Shown::default();
    // Objects are not shown, so they have no mark.
    for it in items.iter().filter(|it| !it.row.kind.of_object()) {
        let by = mark_tokens(it.row.form) - known.tokens(it.row.content);
        for place in &it.places {
            shown.change(place, by);
            if it.row.kind.policy().class == Class::Note {
                *shown.note_tokens.entry(place.scope).or_default() += by;
            }
        }
    }
    for it in shapes {
        let by = skeleton_tokens(it.blocks) - known.tokens(it.shape);
        it.places.iter().for_each(|place| shown.change(place, by));
    }
    shown
}
