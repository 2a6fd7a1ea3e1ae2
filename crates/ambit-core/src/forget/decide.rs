//! `forget`: texts go for good. What bore them stays where it stood, with a mark, so that order,
//! calls and replies are as they were; what other items or turns bear too stays with those.

use std::collections::BTreeMap;

use ambit_wire::forgotten::{mark_tokens, skeleton_tokens};

use crate::decide::{Draft, Stop};
use crate::{
    Answer, Bearers, BearingItem, BearingTurn, Class, ContentNo, ForgetAnswer, Forgettable,
    Forgotten, Mark, MessageRefusal, OpenPlace, Remains, ScopeNo, What,
};

/// How many items and turns are forgotten in one transaction.
pub const FORGET_BATCH: usize = 500;

impl Forgettable {
    /// The items that have something to forget: a text, and one that is still there.
    pub fn bearing(&self) -> impl Iterator<Item = &BearingItem> {
        self.items.iter().filter(|it| self.is_said(it.row.content))
    }

    /// The turns whose rest is still there.
    pub fn shapely(&self) -> impl Iterator<Item = &BearingTurn> {
        self.shapes.iter().filter(|it| self.is_said(it.shape))
    }

    /// An empty text has nothing to forget: a mark would only add to it.
    fn is_said(&self, content: ContentNo) -> bool {
        self.texts.get(&content).is_some_and(|text| text.tokens > 0)
    }

    /// How often each text is borne by what is asked for here.
    pub fn borne(&self) -> BTreeMap<ContentNo, i64> {
        let mut borne = BTreeMap::new();
        let texts = self.bearing().map(|it| it.row.content);
        for content in texts.chain(self.shapely().map(|it| it.shape)) {
            *borne.entry(content).or_default() += 1;
        }
        borne
    }

    fn tokens(&self, content: ContentNo) -> i64 {
        self.texts.get(&content).map_or(0, |text| text.tokens)
    }
}

/// What forgetting does to the scopes that showed a text.
#[derive(Default)]
struct Shown {
    /// What each open place cost, and costs with its mark.
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

    fn remains(&self, sums: &BTreeMap<ScopeNo, i64>) -> Vec<Remains> {
        let mut remains: BTreeMap<ScopeNo, Remains> = BTreeMap::new();
        for ((scope, position), (before, now)) in &self.places {
            // Places come in order: the first of a scope is where its sums begin to differ.
            let first = || Remains {
                scope: *scope,
                after: position - 1,
                sum: sums.get(scope).copied().unwrap_or(0),
                note_tokens: self.note_tokens.get(scope).copied().unwrap_or(0),
            };
            remains.entry(*scope).or_insert_with(first).sum += now - before;
        }
        remains.into_values().collect()
    }
}

impl Draft<'_> {
    pub(crate) fn forget(&mut self, what: &Bearers, so_far: &ForgetAnswer) -> Result<Answer, Stop> {
        if what.items.len() + what.shapes.len() > FORGET_BATCH {
            let texts = what.items.len() + what.shapes.len();
            return Err(MessageRefusal::TooManyForgotten { texts, max: FORGET_BATCH }.into());
        }
        let known = std::mem::take(&mut self.state.selected);
        let items: Vec<_> = known.bearing().collect();
        let shapes: Vec<_> = known.shapely().collect();
        let mut answer = so_far.clone();
        // What is forgotten already is no event.
        if items.is_empty() && shapes.is_empty() {
            return Ok(Answer::Forgot(answer));
        }
        self.ensure_actor()?;
        let gone = |(content, borne): (ContentNo, i64)| {
            let uses = known.texts.get(&content).map_or(0, |text| text.uses);
            (uses <= borne).then_some(content)
        };
        let contents: Vec<_> = known.borne().into_iter().filter_map(gone).collect();
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
            scopes: shown.remains(&known.sums),
            everywhere: answer.notes > so_far.notes || said && known.inherited,
        });
        self.emit(what, Vec::new())?;
        Ok(Answer::Forgot(answer))
    }
}

fn shown_after(known: &Forgettable, items: &[&BearingItem], shapes: &[&BearingTurn]) -> Shown {
    let mut shown = Shown::default();
    // An object is shown nowhere, so there is no mark for it.
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
