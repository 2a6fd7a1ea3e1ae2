//! `changes`: turns an event into operations on the tables, as plain data that every store can
//! apply. Stores apply them when an event is written and when the log is replayed, so rebuilding
//! from the log gives the same rows.

use crate::{
    Event, State, actor, forget, frame, item, message, note, object, scope, setting, vault, view,
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

impl State {
    /// Applies a change to the State, as far as the State holds it.
    pub(crate) fn change(&mut self, change: Change) {
        match change {
            // The vault's row follows the event itself.
            Change::Vault(_) => {}
            Change::Actor(change) => self.change_actor(change),
            Change::Scope(change) => self.change_scope(change),
            // The State has no rows of items and places.
            Change::Item(_) => {}
            Change::Message(change) => self.change_message(change),
            Change::Note(change) => self.change_note(change),
            // Objects and texts are looked up for each command and not kept up to date.
            Change::Object(_) => {}
            Change::Frame(change) => self.change_frame(change),
            Change::View(change) => self.change_view(change),
            Change::Setting(change) => self.change_setting_row(change),
            // As objects.
            Change::Forget(_) => {}
        }
    }
}
