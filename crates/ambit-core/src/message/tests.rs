//! Tests of the decisions and changes of messages.

use super::{Append, Change, Cleared, Rewind};
use crate::testing::{World, call, changes_of, check, open, refuses, reply, say};
use crate::{
    ChainItem, Command, ItemNo, MessageRefusal, Role, ScopeNo, ScopeTotals, TurnPlace, What, item,
    scope,
};

#[test]
fn a_first_message_registers_its_author() {
    let world = check(&[], &say(Role::User, "hi"), &["registered", "appended"]);
    let main = &world.state.scopes[&world.state.vault.main].row;
    assert_eq!((main.messages, main.next_position, main.head), (1, 1, 3));
}

#[test]
fn an_append_of_nothing_is_refused() {
    refuses(&[], &Command::Append(Append { messages: Vec::new() }), MessageRefusal::Nothing);
}

#[test]
fn a_call_stays_open_until_its_reply() {
    let world = check(&[say(Role::User, "go")], &call(7), &["appended"]);
    assert_eq!(world.state.calls.len(), 1);
    let world = check(&[call(7)], &reply(7), &["appended"]);
    assert_eq!(world.state.calls, []);
    let world = check(&[call(7)], &reply(8), &["appended"]);
    assert_eq!(world.state.calls.len(), 1, "a reply to another call");
}

#[test]
fn the_authors_next_turn_gives_open_calls_up() {
    let world = check(&[call(7)], &say(Role::Assistant, "never mind"), &["appended"]);
    assert_eq!(world.state.calls, []);
}

#[test]
fn a_pending_chain_is_carried_along() {
    let mut world = World::given(&[call(7)]);
    let item = world.state.calls[0].item;
    world.state.chain = Some(vec![ChainItem { item, position: 0, tokens: 4, first: true }]);
    let events = world.decide(&open("alpha")).unwrap();
    let moves = ["left", "entered", "focused"];
    assert_eq!(events, [&["noted", "scope_created", "carried"][..], &moves].concat());
    let alpha = world.state.find_scope("alpha").unwrap();
    assert_eq!((alpha.messages, alpha.sum), (1, 4));
    assert_eq!(world.state.calls[0].scope, alpha.scope);
}

#[test]
fn a_rewind_hides_and_one_that_hides_nothing_is_no_event() {
    let mut world = World::given(&[say(Role::User, "one"), say(Role::User, "two")]);
    let place = TurnPlace { turn: 3, last_position: 0, hidden_turns: 1, hidden_tokens: 5 };
    world.state.turn = Some(place.clone());
    let rewind = Command::Rewind(Rewind { to: 3 });
    assert_eq!(world.decide(&rewind).unwrap(), ["rewound"]);
    assert_eq!(world.state.scopes[&ScopeNo(1)].row.messages, 1);
    world.state.turn = Some(TurnPlace { hidden_turns: 0, hidden_tokens: 0, ..place });
    assert_eq!(world.decide(&rewind).unwrap(), [""; 0]);
    let refusal = MessageRefusal::NotInSight { turn: 3, scope: "main".into() };
    assert_eq!(world.decide(&rewind), Err(refusal.into()));
}

#[test]
fn clearing_hides_all_but_the_batches_that_are_kept() {
    let (scope, seq) = (ScopeNo(1), 9);
    let what = Cleared { scope, kept: vec![4], hidden_turns: 2, sum: 10 };
    let totals = ScopeTotals { turns: -2, ..ScopeTotals::of(scope, seq, 10) };
    let expected = [
        Change::Hidden { scope, from: 0, to: 3, seq }.into(),
        Change::Hidden { scope, from: 5, to: i64::MAX - 1, seq }.into(),
        item::Change::Resum { scope, after: -1 }.into(),
        scope::Change::Totals(totals).into(),
        scope::Change::Boundary { scope, seq }.into(),
    ];
    assert_eq!(changes_of(What::Cleared(what)), expected);
}

#[test]
fn an_answered_call_is_closed_in_its_own_scope_alone() {
    let mut world = World::given(&[call(7)]);
    let item = world.state.calls[0].item;
    world.state.change_message(Change::CallAnswered { scope: ScopeNo(99), item });
    assert_eq!(world.state.calls.len(), 1);
    world.state.change_message(Change::CallAnswered { scope: ScopeNo(1), item: ItemNo(0) });
    assert_eq!(world.state.calls.len(), 1);
    world.state.change_message(Change::CallAnswered { scope: ScopeNo(1), item });
    assert_eq!(world.state.calls, []);
}
