//! `changes`: turns an event into operations on the tables, as plain data that every store can
//! apply. Stores apply them when an event is written and when the log is replayed, so rebuilding
//! from the log gives the same rows.

use crate::{
    Event, actor, forget, frame, item, message, note, object, scope, setting, vault, view,
};

macro_rules! by_noun {
    ($($noun:ident($module:ident)),+ $(,)?) => {
        /// One operation on the tables, by the noun whose tables it changes.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Change { $($noun($module::Change)),+ }

        $(impl From<$module::Change> for Change {
            fn from(change: $module::Change) -> Change {
                Change::$noun(change)
            }
        })+
    };
}

by_noun!(
    Vault(vault),
    Actor(actor),
    Scope(scope),
    Item(item),
    Message(message),
    Note(note),
    Object(object),
    Frame(frame),
    View(view),
    Setting(setting),
    Forget(forget),
);

/// Operations on the tables, in the order in which they must be applied.
#[derive(Default)]
pub(crate) struct Changes(Vec<Change>);

impl Changes {
    pub(crate) fn push(&mut self, change: impl Into<Change>) {
        self.0.push(change.into());
    }
}

/// Returns the operations on the tables that follow from an event, in order.
pub fn changes(event: &Event) -> Vec<Change> {
    let mut out = Changes::default();
    let fact = event.body.what.fact();
    scope::presence_changes(event, &mut out);
    fact.changes(event, &mut out);
    frame::changes(event, fact, &mut out);
    view::changes(event, &mut out);
    fact.changes_after_view(event, &mut out);
    out.0
}
