//! The vault: the unit of isolation and order, with one log and one sequence.

use serde::{Deserialize, Serialize};

use crate::log::{Fact, Target};
use crate::{Changes, Event, Hash, Millis, ScopeNo, ScopeRow, scope};

/// The vault's own row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VaultState {
    pub head_seq: i64,
    pub head_hash: Hash,
    /// The time of the last event.
    pub time: Millis,
    /// The next integer to allot.
    pub next: i64,
    pub main: ScopeNo,
    pub scopes: i64,
    /// The last event that was a boundary for every scope.
    pub boundary: i64,
}

/// An operation on the vault's row. Handlers ignore it and update the row once per event instead:
/// see [`VaultState::follow`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A boundary for every scope.
    Boundary { seq: i64 },
}

/// A vault was created, with its scope `main`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VaultCreated {
    pub id: String,
    pub main: ScopeNo,
    pub main_id: String,
}

impl Fact for VaultCreated {
    fn word(&self) -> &'static str {
        "vault_created"
    }

    fn target(&self) -> Target<'_> {
        Target::Nothing
    }

    fn highest_number(&self) -> i64 {
        self.main.0
    }

    fn changes(&self, at: &Event, out: &mut Changes) {
        let row = ScopeRow::created(at, self.main, &self.main_id);
        out.push(scope::Change::Created(ScopeRow { name: Some("main".to_string()), ..row }));
    }

    fn vault(&self, _seq: i64, vault: &mut VaultState) {
        (vault.main, vault.scopes) = (self.main, 1);
    }
}
