//! Tests of the decisions and changes of objects.

use super::{Change, Displaced, ObjectState, Place};
use crate::testing::{World, changes_of, check, note, put, refuses};
use crate::{
    Command, Delta, ItemNo, NameFault, NameRefusal, ObjectPlace, ObjectRefusal, ObjectRow, ScopeNo,
    What, frame, item, scope,
};

/// An object in main, as a store finds it.
fn known(world: &mut World, named: &str) -> ObjectState {
    let row = ObjectRow {
        item: ItemNo(50),
        id: "obj_1".into(),
        name: named.into(),
        kind: "artifact".into(),
        created_seq: 2,
        versions: 1,
        latest: ItemNo(50),
        latest_seq: 2,
    };
    let places = vec![ObjectPlace { scope: ScopeNo(1), position: 0 }];
    let found = ObjectState { row, places, text: None };
    world.state.objects.insert(named.into(), found.clone());
    found
}

#[test]
fn a_new_object_is_put_into_the_working_scope() {
    let world = World::given(&[note("hi")]);
    let made = world.changes(&put("plan", "one"));
    let version = made.iter().find_map(|change| match change {
        crate::Change::Object(Change::Version(row)) => Some((row.version, row.seq)),
        _ => None,
    });
    assert_eq!(version, Some((1, 4)));
    let world = check(&[note("hi")], &put("plan", "one"), &["put"]);
    assert_eq!(world.state.frames[&ScopeNo(1)].len(), 2, "the note and the object");
}

#[test]
fn the_next_version_goes_where_its_object_is() {
    let mut world = World::given(&[note("hi")]);
    known(&mut world, "plan");
    assert_eq!(world.decide(&put("plan", "two")).unwrap(), ["put"]);
    let other = Command::Put(crate::Put {
        kind: Some("contact".into()),
        object: "plan".into(),
        text: crate::testing::text("three"),
        scope: None,
    });
    known(&mut world, "plan");
    let refusal = ObjectRefusal::OtherType {
        name: "plan".into(),
        of_type: "artifact".into(),
        asked: "contact".into(),
    };
    assert_eq!(world.decide(&other), Err(refusal.into()));
}

#[test]
fn a_name_that_looks_like_an_id_does_not_create_an_object() {
    refuses(&[], &put("obj_2", "one"), ObjectRefusal::Missing { named: "obj_2".into() });
    let name =
        NameRefusal::Invalid { what: "object".into(), name: "".into(), fault: NameFault::Empty };
    refuses(&[], &put("", "one"), name);
}

#[test]
fn an_object_cannot_be_placed_twice_in_a_scope() {
    let mut world = World::given(&[note("hi")]);
    let place = |out| Command::Place(Place { object: "plan".into(), scope: "main".into(), out });
    known(&mut world, "plan");
    let refusal = ObjectRefusal::Placed { name: "plan".into(), scope: "main".into() };
    assert_eq!(world.decide(&place(false)), Err(refusal.into()));
    known(&mut world, "plan");
    assert_eq!(world.decide(&place(true)).unwrap(), ["displaced"]);
}

#[test]
fn a_displaced_object_leaves_its_place_and_is_a_delta() {
    let (scope, seq, object) = (ScopeNo(1), 9, ItemNo(50));
    let delta = Delta { visited: Vec::new(), context: vec![ItemNo(4)], context_frame: scope };
    let what = Displaced { object, scope, position: 3, delta };
    let row = crate::DeltaRow { frame: scope, seq, item: object };
    let expected = [
        item::Change::Unplaced { scope, position: 3, seq }.into(),
        scope::Change::Head { scope, seq }.into(),
        frame::Change::Delta(row).into(),
    ];
    assert_eq!(changes_of(What::Displaced(what)), expected);
}
