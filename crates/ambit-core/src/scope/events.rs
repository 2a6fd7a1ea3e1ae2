//! Events about scopes, and about an actor's presence in them.

use serde::{Deserialize, Serialize};

use super::{ActiveScopesRow, Change, ScopeRow};
use crate::log::{Fact, Target, is_false};
use crate::{Changes, Event, Hash, ScopeNo, VaultState};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScopeCreated {
    pub scope: ScopeNo,
    pub id: String,
    pub name: String,
    pub parent: ScopeNo,
    /// The parent's last note, which is the last one that the scope inherits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_note: Option<Hash>,
}

impl Fact for ScopeCreated {
    fn word(&self) -> &'static str {
        "scope_created"
    }

    fn target(&self) -> Target<'_> {
        Target::Scope(self.scope)
    }

    fn highest_number(&self) -> i64 {
        self.scope.0
    }

    fn changes(&self, at: &Event, out: &mut Changes) {
        out.push(Change::Created(ScopeRow {
            name: Some(self.name.clone()),
            parent: Some(self.parent),
            last_note: self.last_note,
            ..ScopeRow::created(at, self.scope, &self.id)
        }));
    }

    fn vault(&self, _seq: i64, vault: &mut VaultState) {
        vault.scopes += 1;
    }
}

/// An actor's primary scope and its active ones after it moved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActiveScopes {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub primary: Option<ScopeNo>,
    /// Most recently entered first.
    pub active: Vec<ScopeNo>,
}

/// A scope became active for the actor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entered {
    pub scope: ScopeNo,
    /// None in old logs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stands: Option<ActiveScopes>,
}

impl Fact for Entered {
    fn word(&self) -> &'static str {
        "entered"
    }

    fn target(&self) -> Target<'_> {
        Target::Scope(self.scope)
    }

    fn highest_number(&self) -> i64 {
        0
    }

    fn changes(&self, at: &Event, out: &mut Changes) {
        out.push(Change::Entered { actor: at.actor, scope: self.scope, seq: at.seq });
        moved(at, self.stands.as_ref(), out);
    }
}

/// A scope is no longer active for the actor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Left {
    pub scope: ScopeNo,
    /// None in old logs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stands: Option<ActiveScopes>,
}

impl Fact for Left {
    fn word(&self) -> &'static str {
        "left"
    }

    fn target(&self) -> Target<'_> {
        Target::Scope(self.scope)
    }

    fn highest_number(&self) -> i64 {
        0
    }

    fn changes(&self, at: &Event, out: &mut Changes) {
        out.push(Change::Left { actor: at.actor, scope: self.scope });
        moved(at, self.stands.as_ref(), out);
    }
}

/// A scope became the actor's primary one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Focused {
    pub scope: ScopeNo,
    /// None in old logs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stands: Option<ActiveScopes>,
}

impl Fact for Focused {
    fn word(&self) -> &'static str {
        "focused"
    }

    fn target(&self) -> Target<'_> {
        Target::Scope(self.scope)
    }

    fn highest_number(&self) -> i64 {
        0
    }

    fn changes(&self, at: &Event, out: &mut Changes) {
        out.push(Change::Focused { actor: at.actor, scope: self.scope });
        moved(at, self.stands.as_ref(), out);
    }
}

fn moved(at: &Event, stands: Option<&ActiveScopes>, out: &mut Changes) {
    let Event { seq, actor, .. } = *at;
    if let Some(stands) = stands.cloned() {
        out.push(Change::Active(ActiveScopesRow { actor, seq, stands }));
    }
}

/// The change that an event makes to its actor's presence in one scope.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PresenceChange {
    pub scope: ScopeNo,
    /// The actor comes back after a silence: a new epoch begins for it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub boundary: bool,
    /// The actor's open calls here are given up.
    #[serde(default, skip_serializing_if = "is_false")]
    pub gives_up: bool,
    /// For an assistant turn: the end of the composition that it answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered: Option<i64>,
    /// The composition was the first that was answered in the epoch, so its end becomes the fold.
    #[serde(default, skip_serializing_if = "is_false")]
    pub folds: bool,
}
