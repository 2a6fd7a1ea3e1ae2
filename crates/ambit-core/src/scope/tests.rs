//! Tests of the decisions and changes of scopes.

use super::{Change, Enter, Focus, Leave, PresenceChange};
use crate::testing::{World, check, goto, note, open, refuses, say};
use crate::{ActorNo, Command, NameRefusal, Role, ScopeNo, ScopeRefusal};

const SWITCH: [&str; 3] = ["left", "entered", "focused"];

fn enter(scope: &str) -> Command {
    Command::Enter(Enter { scope: scope.into() })
}

fn leave(scope: &str) -> Command {
    Command::Leave(Leave { scope: scope.into() })
}

fn focus(scope: &str) -> Command {
    Command::Focus(Focus { scope: scope.into() })
}

#[test]
fn a_new_scope_is_opened_entered_and_focused() {
    let events = [&["noted", "scope_created"][..], &SWITCH].concat();
    let world = check(&[note("hi")], &open("alpha"), &events);
    let alpha = world.state.find_scope("alpha").unwrap().scope;
    assert_eq!(world.state.active_scopes(), [alpha]);
    assert_eq!(world.state.actor.unwrap().primary, Some(alpha));
}

#[test]
fn going_back_notes_the_arrival() {
    check(&[open("alpha")], &goto("main"), &[&SWITCH[..], &["noted"]].concat());
    refuses(&[open("alpha")], &goto("alpha"), ScopeRefusal::Current { name: "alpha".into() });
    refuses(&[note("hi")], &goto("beta"), ScopeRefusal::Missing { name: "beta".into() });
}

#[test]
fn a_taken_name_is_refused() {
    let (cannot, by) = ("open scope", "a scope");
    let taken = NameRefusal::Taken { cannot, by, name: "alpha".into() };
    refuses(&[open("alpha")], &open("alpha"), taken);
}

#[test]
fn presence_changes_by_enter_leave_and_focus() {
    let given = [open("alpha")];
    let world = check(&given, &enter("main"), &["entered"]);
    assert_eq!(world.state.active_scopes().first(), Some(&world.state.vault.main));
    refuses(&given, &enter("alpha"), ScopeRefusal::Active { name: "alpha".into() });
    let given = [open("alpha"), enter("main")];
    let world = check(&given, &leave("alpha"), &["left"]);
    assert_eq!(world.state.actor.unwrap().primary, None, "the primary scope was left");
    check(&given, &focus("main"), &["focused"]);
    check(&given, &focus("alpha"), &[]);
}

#[test]
fn a_pinned_scope_cannot_be_left() {
    let mut world = World::given(&[open("alpha")]);
    world.pin = Some("main".into());
    let refusal = ScopeRefusal::Pinned { verb: "goto", pin: "main".into() };
    assert_eq!(world.decide(&goto("main")), Err(refusal.into()));
}

#[test]
fn a_silence_begins_a_new_epoch() {
    let mut world = World::given(&[say(Role::User, "hi")]);
    world.now += 365 * 24 * 3_600_000;
    world.decide(&say(Role::User, "back")).unwrap();
    assert_eq!(world.state.presence[&ScopeNo(1)].boundary, 4);
}

#[test]
fn the_state_follows_the_acting_actor_alone() {
    let mut world = World::given(&[note("hi")]);
    let before = world.state.clone();
    let (actor, scope) = (ActorNo(77), ScopeNo(1));
    let here =
        PresenceChange { scope, boundary: true, gives_up: false, answered: Some(1), folds: true };
    world.state.change_scope(Change::Entered { actor, scope, seq: 9 });
    world.state.change_scope(Change::Left { actor, scope });
    world.state.change_scope(Change::Focused { actor, scope });
    world.state.change_scope(Change::Acted { actor, seq: 9, time: 1, here });
    assert_eq!(world.state, before);
    world.state.change_scope(Change::OthersBoundary { scope, actor, seq: 9 });
    assert_eq!(world.state.presence[&scope].boundary, 9, "it is one of the others");
}
