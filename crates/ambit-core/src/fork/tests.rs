//! Tests of the decisions and changes of forks.

use super::{Abandon, Abandoned, Fork, Rejoin};
use crate::testing::{changes_of, check, note, open, refuses, text};
use crate::{
    ActiveScopes, ActiveScopesRow, ActorNo, Command, Fate, ForkRefusal, Inherit, NameRefusal,
    ScopeNo, What, actor, message, scope,
};

fn fork(name: &str) -> Command {
    Command::Fork(Fork { name: name.into(), task: text("look"), inherit: Inherit::Notes })
}

#[test]
fn a_fork_is_a_scope_with_its_task_as_a_note() {
    let world = check(&[note("hi")], &fork("scout"), &["forked", "noted"]);
    let scout = world.state.find_scope("scout").unwrap();
    assert_eq!((scout.notes, scout.parent), (1, Some(world.state.vault.main)));
    assert_eq!(world.state.vault.scopes, 2);
    assert_eq!(world.state.actor.unwrap().name, "ada", "who forks stays who it is");
}

#[test]
fn a_fork_needs_a_name_that_no_scope_and_no_actor_has() {
    for name in ["alpha", "ada"] {
        let (cannot, by) = ("fork", "a scope or an actor");
        let taken = NameRefusal::Taken { cannot, by, name: name.into() };
        refuses(&[open("alpha")], &fork(name), taken);
    }
}

#[test]
fn ending_an_unknown_subagent_is_refused() {
    let (child, deep) = ("scout".to_string(), false);
    let missing = || ForkRefusal::Missing { name: "scout".into() };
    refuses(&[], &Command::Abandon(Abandon { child: child.clone(), deep }), missing());
    let rejoin = Rejoin { child: Some(child), note: None, deep };
    refuses(&[], &Command::Rejoin(rejoin), missing());
}

#[test]
fn an_abandoned_subagent_leaves_all_scopes() {
    let (child, scope, other, seq) = (ActorNo(4), ScopeNo(5), ScopeNo(1), 9);
    let what = Abandoned { child, scope, ended: Vec::new(), elsewhere: vec![other] };
    let stands = ActiveScopes { primary: None, active: Vec::new() };
    let expected = [
        message::Change::CallsGivenUp { scope: other, actor: child }.into(),
        scope::Change::Left { actor: child, scope: other }.into(),
        scope::Change::Active(ActiveScopesRow { actor: child, seq, stands }).into(),
        message::Change::CallsGivenUp { scope, actor: child }.into(),
        scope::Change::Closed { scope, seq }.into(),
        actor::Change::Ended { actor: child, fate: Fate::Abandoned, seq }.into(),
    ];
    assert_eq!(changes_of(What::Abandoned(what)), expected);
}
