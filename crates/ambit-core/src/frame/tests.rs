//! Tests of the decisions and changes of frames.

use super::{Change, FrameChange, Visit, Visited};
use crate::testing::{World, changes_of, check, note};
use crate::{ActorNo, ChangeSetting, Command, ItemNo, ScopeNo, VisitRow, What};

fn visit(note: i64) -> Command {
    Command::Visit(Visit { object: None, note: Some(ItemNo(note)) })
}

fn held(world: &World, frame: ScopeNo) -> Vec<i64> {
    world.state.frames[&frame].iter().map(|container| container.item.0).collect()
}

#[test]
fn a_visit_brings_an_item_to_the_front() {
    let world = check(&[note("hi"), visit(50), visit(51)], &visit(50), &["visited"]);
    assert_eq!(held(&world, ScopeNo(1))[..2], [50, 51]);
    assert_eq!(world.state.frames[&ScopeNo(1)][0].visits, 2);
    let home = world.state.actor.as_ref().unwrap().home;
    assert_eq!(held(&world, home), held(&world, ScopeNo(1)));
}

#[test]
fn a_full_frame_evicts_what_was_visited_least_recently() {
    let (name, value) = ("frame_size".to_string(), Some("2".to_string()));
    let size = Command::Set(ChangeSetting { name, value });
    let given = [note("hi"), size, visit(50), visit(51)];
    let world = check(&given, &visit(52), &["visited"]);
    assert_eq!(held(&world, ScopeNo(1)), [52, 51]);
}

#[test]
fn after_a_break_earlier_visits_are_not_captured() {
    let capture = |world: &World| {
        let changes = world.changes(&note("two"));
        let deltas = changes
            .iter()
            .filter(|change| matches!(change, crate::Change::Frame(Change::Delta(_))));
        deltas.count()
    };
    let world = check(&[visit(50)], &Command::Break, &["broke"]);
    assert_eq!(world.state.actor.as_ref().unwrap().break_seq, world.state.vault.head_seq);
    assert_eq!(held(&world, ScopeNo(1)), [50], "the frame itself stays");
    assert_eq!(capture(&world), 2, "in the stream of the actor and of the scope");
}

#[test]
fn a_visit_is_a_row_for_each_frame_and_the_first_is_the_actors_own() {
    let (item, seq, actor) = (ItemNo(50), 9, ActorNo(2));
    let frame = |frame: i64, evicted: Vec<ItemNo>| FrameChange {
        frame: ScopeNo(frame),
        evicted,
        behind: None,
    };
    let visited = vec![frame(8, vec![ItemNo(4)]), frame(1, Vec::new())];
    let row = |frame: i64, own| VisitRow { frame: ScopeNo(frame), seq, item, actor, own };
    let expected = [
        Change::Visit(row(8, true)).into(),
        Change::Evicted { frame: ScopeNo(8), item: ItemNo(4) }.into(),
        Change::Remembered { frame: ScopeNo(8), item, seq }.into(),
        Change::Visit(row(1, false)).into(),
        Change::Remembered { frame: ScopeNo(1), item, seq }.into(),
    ];
    assert_eq!(changes_of(What::Visited(Visited { item, visited })), expected);
}

#[test]
fn a_dropped_frame_is_empty() {
    let mut world = World::given(&[visit(50)]);
    world.state.change_frame(Change::Dropped { frame: ScopeNo(1) });
    assert_eq!(held(&world, ScopeNo(1)), [0; 0]);
    world.state.change_frame(Change::Dropped { frame: ScopeNo(99) });
}
