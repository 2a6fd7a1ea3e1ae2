//! Operations on the tables of messages.

use crate::{ActorNo, ItemNo, OpenCallRow, ScopeNo, State, TurnRow};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The shape of a message that has more than a role and a text.
    Shape(TurnRow),
    CallOpened(OpenCallRow),
    /// A call got its reply.
    CallAnswered {
        scope: ScopeNo,
        item: ItemNo,
    },
    /// An actor's calls in a scope are no longer open.
    CallsGivenUp {
        scope: ScopeNo,
        actor: ActorNo,
    },
    /// Closes the places of messages whose batch begins within a range, and their open calls.
    Hidden {
        scope: ScopeNo,
        from: i64,
        to: i64,
        seq: i64,
    },
}

impl State {
    pub(crate) fn change_message(&mut self, change: Change) {
        match change {
            // The shapes of messages are not part of the State.
            Change::Shape(_) => {}
            Change::CallOpened(call) => {
                if self.reach.calls_of_all || self.is_own(call.actor) {
                    self.calls.push(call);
                }
            }
            Change::CallAnswered { scope, item } => {
                self.calls.retain(|call| (call.scope, call.item) != (scope, item));
            }
            Change::CallsGivenUp { scope, actor } => {
                self.calls.retain(|call| (call.scope, call.actor) != (scope, actor));
            }
            Change::Hidden { scope, from, to, .. } => {
                let hidden = from..=to;
                self.calls.retain(|call| call.scope != scope || !hidden.contains(&call.anchor));
            }
        }
    }
}
