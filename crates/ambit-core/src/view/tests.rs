//! Tests of the decisions and changes of views.

use super::{Change, Tidied, Tidy, ViewEnded};
use crate::testing::{World, changes_of, note, open};
use crate::{ActorNo, Command, Refusal, ScopeNo, ViewNo, What, frame};

#[test]
fn a_view_goes_on_until_its_actor_is_idle() {
    let mut world = World::given(&[note("one")]);
    let view = |world: &World| world.state.actor.as_ref().unwrap().view;
    let first = view(&world);
    world.decide(&note("two")).unwrap();
    assert_eq!(view(&world), first);
    world.now += 365 * 24 * 3_600_000;
    world.decide(&note("three")).unwrap();
    assert_ne!(view(&world), first);
    let home = world.state.actor.as_ref().unwrap().home;
    assert_eq!(world.state.streams[&home], view(&world));
}

#[test]
fn leaving_a_scope_ends_the_view() {
    let mut world = World::given(&[note("one")]);
    let first = world.state.actor.as_ref().unwrap().view;
    world.decide(&open("alpha")).unwrap();
    assert_ne!(world.state.actor.as_ref().unwrap().view, first);
}

#[test]
fn housekeeping_that_was_overtaken_is_refused() {
    let mut world = World::given(&[note("one")]);
    let due = Tidy { head: world.state.vault.head_seq, ..Tidy::default() };
    assert_eq!(world.decide(&Command::Tidy(due.clone())).unwrap(), ["tidied"]);
    assert_eq!(world.decide(&Command::Tidy(due)), Err(Refusal::Overtaken));
}

#[test]
fn tidying_ends_views_and_drops_frames() {
    let (actor, view) = (ActorNo(2), ViewNo(3));
    let ended = vec![ViewEnded { actor, view }];
    let what = Tidied { ended, frames: vec![ScopeNo(7)], fossils: Vec::new() };
    let expected = [
        Change::Ended { view, seq: 9 }.into(),
        Change::Last { actor, view }.into(),
        frame::Change::Dropped { frame: ScopeNo(7) }.into(),
    ];
    assert_eq!(changes_of(What::Tidied(what)), expected);
}

#[test]
fn a_view_that_another_event_ends_is_the_actors_last() {
    let mut world = World::given(&[note("one")]);
    let actor = world.state.actor.as_ref().unwrap().actor;
    world.state.change_view(Change::Last { actor, view: ViewNo(40) });
    let own = world.state.actor.as_ref().unwrap();
    assert_eq!((own.view, own.view_open), (Some(ViewNo(40)), false));
    world.state.change_view(Change::Last { actor: ActorNo(99), view: ViewNo(41) });
    assert_eq!(world.state.actor.unwrap().view, Some(ViewNo(40)));
}
