//! Tests of the decisions and changes of forgetting.

use super::{
    Change, Forget, ForgetAnswer, ForgetSelection, Forgettable, Forgotten, Mark, SelectedItem,
};
use super::{OpenPlace, ScopeSums, TextUse};
use crate::testing::{World, changes_of, note};
use crate::{
    Command, ContentNo, ItemKind, ItemNo, ItemRow, ScopeNo, ScopeTotals, What, item, scope, vault,
};

fn forget() -> Command {
    let (so_far, selection) = (ForgetAnswer::default(), "all".to_string());
    Command::Forget(Forget { what: ForgetSelection::default(), so_far, selection })
}

/// A note in `main`, as a store finds it, whose text is used `uses` times.
fn found(uses: i64) -> Forgettable {
    let event = crate::testing::event(What::Broke);
    let row = ItemRow::single(&event, ItemNo(50), ItemKind::Note, ContentNo(51));
    let places = vec![OpenPlace { scope: ScopeNo(1), position: 0, tokens: 30 }];
    Forgettable {
        items: vec![SelectedItem { row, places }],
        texts: [(ContentNo(51), TextUse { tokens: 6, uses })].into(),
        sums: [(ScopeNo(1), 30)].into(),
        ..Forgettable::default()
    }
}

fn contents(uses: i64) -> Vec<ContentNo> {
    let mut world = World::given(&[note("hi")]);
    world.state.selected = found(uses);
    let changes = world.changes(&forget());
    let content = |change: &crate::Change| match change {
        crate::Change::Forget(Change::Content { content }) => Some(*content),
        _ => None,
    };
    changes.iter().filter_map(content).collect()
}

#[test]
fn a_text_is_deleted_with_its_last_use() {
    assert_eq!(contents(1), [ContentNo(51)]);
    assert_eq!(contents(2), []);
}

#[test]
fn forgetting_nothing_writes_no_event() {
    let mut world = World::given(&[note("hi")]);
    assert_eq!(world.decide(&forget()).unwrap(), [""; 0]);
    world.state.selected = found(1);
    assert_eq!(world.decide(&forget()).unwrap(), ["forgotten"]);
    assert_eq!(world.state.vault.boundary, world.state.vault.head_seq, "it was a note");
}

#[test]
fn forgetting_marks_places_and_updates_the_sums_of_their_scopes() {
    let (scope, seq) = (ScopeNo(1), 9);
    let what = Forgotten {
        items: vec![ItemNo(50)],
        shapes: vec![4],
        contents: vec![ContentNo(51)],
        marks: vec![Mark { scope, position: 2, shown: 8 }],
        scopes: vec![ScopeSums { scope, after: 1, sum: 20, note_tokens: -3 }],
        everywhere: true,
    };
    let totals = ScopeTotals { note_tokens: -3, ..ScopeTotals::of(scope, seq, 20) };
    let expected = [
        Change::Item { item: ItemNo(50), seq }.into(),
        Change::Shape { turn: 4, seq }.into(),
        Change::Content { content: ContentNo(51) }.into(),
        Change::Marked { scope, position: 2, tokens: 8 }.into(),
        item::Change::Resum { scope, after: 1 }.into(),
        scope::Change::Totals(totals).into(),
        scope::Change::Boundary { scope, seq }.into(),
        vault::Change::Boundary { seq }.into(),
    ];
    assert_eq!(changes_of(What::Forgotten(what)), expected);
}
