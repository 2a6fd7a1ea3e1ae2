//! Events about actors.

use serde::{Deserialize, Serialize};

use super::Change;
use crate::log::{Fact, Target};
use crate::{
    ActiveScopes, ActiveScopesRow, ActorKind, ActorNo, ActorRow, Changes, Event, ScopeNo, ScopeRow,
    scope,
};

/// An actor was registered by its first command: it gets a home scope, and enters `main`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Registered {
    pub actor: ActorNo,
    pub id: String,
    pub name: String,
    pub kind: ActorKind,
    pub home: ScopeNo,
    pub home_id: String,
    /// The scope that is active and primary from the start.
    pub main: ScopeNo,
}

impl Fact for Registered {
    fn word(&self) -> &'static str {
        "registered"
    }

    fn target(&self) -> Target<'_> {
        Target::Nothing
    }

    fn highest_number(&self) -> i64 {
        self.actor.0.max(self.home.0)
    }

    fn changes(&self, at: &Event, out: &mut Changes) {
        let Event { seq, actor, .. } = *at;
        let home = ScopeRow::created(at, self.home, &self.home_id);
        out.push(scope::Change::Created(ScopeRow { owner: Some(actor), ..home }));
        out.push(Change::Registered(Box::new(ActorRow {
            actor,
            id: self.id.clone(),
            name: self.name.clone(),
            kind: self.kind,
            home: self.home,
            primary: Some(self.main),
            view: None,
            view_open: false,
            view_pin: None,
            view_capture: None,
            view_time: 0,
            break_seq: 0,
            parent: None,
            forked_from: None,
            forked_into: None,
            depth: 0,
            fate: None,
        })));
        out.push(scope::Change::Entered { actor, scope: self.main, seq });
        let stands = ActiveScopes { primary: Some(self.main), active: vec![self.main] };
        out.push(scope::Change::Active(ActiveScopesRow { actor, seq, stands }));
    }
}
