//! Tests of the decisions and changes of notes.

use super::{AddInsight, Change, Retracted};
use crate::testing::{World, changes_of, check, note, refuses, text};
use crate::{Command, ItemNo, NoteRefusal, ScopeNo, ScopeTotals, What, item, scope, vault};

fn insight(said: &str) -> Command {
    Command::Insight(AddInsight { message: text(said) })
}

#[test]
fn a_note_is_its_scopes_last_and_the_next_names_it_as_parent() {
    let world = check(&[note("one")], &note("two"), &["noted"]);
    let main = &world.state.scopes[&ScopeNo(1)].row;
    assert_eq!(main.notes, 2);
    let changes = world.changes(&note("three"));
    let written = changes.into_iter().find_map(|change| match change {
        crate::Change::Note(Change::Written(row)) => Some(row),
        _ => None,
    });
    let row = written.unwrap();
    assert_eq!(row.parent, main.last_note);
    assert_eq!(row.snapshot, main.head);
}

#[test]
fn an_empty_note_is_refused() {
    refuses(&[], &note(" \n"), NoteRefusal::Empty);
    refuses(&[], &insight(""), NoteRefusal::Empty);
}

#[test]
fn an_insight_is_a_boundary_of_the_vault() {
    let world = check(&[note("one")], &insight("two"), &["noted"]);
    assert_eq!(world.state.vault.boundary, world.state.vault.head_seq);
    assert_eq!(world.state.scopes[&ScopeNo::VAULT].row.notes, 1);
    assert_eq!(world.state.scopes[&ScopeNo(1)].row.notes, 1, "it is in no other scope");
}

#[test]
fn a_note_is_captured_before_it_is_visited() {
    let mut world = World::given(&[note("one")]);
    let first = world.state.frames[&ScopeNo(1)][0].item;
    world.decide(&note("two")).unwrap();
    let items: Vec<_> = world.state.frames[&ScopeNo(1)].iter().map(|it| it.item).collect();
    assert_eq!(items.len(), 2);
    assert_eq!(items[1], first);
}

#[test]
fn a_retracted_insight_leaves_its_place() {
    let (scope, seq) = (ScopeNo::VAULT, 9);
    let what = Retracted { item: ItemNo(5), position: 2, shown: 7, sum: 11 };
    let totals = ScopeTotals { notes: -1, note_tokens: -7, ..ScopeTotals::of(scope, seq, 11) };
    let expected = [
        item::Change::Unplaced { scope, position: 2, seq }.into(),
        item::Change::Resum { scope, after: 2 }.into(),
        scope::Change::Totals(totals).into(),
        vault::Change::Boundary { seq }.into(),
    ];
    assert_eq!(changes_of(What::Retracted(what)), expected);
}
