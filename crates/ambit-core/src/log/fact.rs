//! The interface of every kind of event.

use crate::{
    ActorNo, Changes, ContentNo, ContentRef, Event, FrameChange, ItemNo, ScopeNo, VaultState,
};

/// One kind of event, such as [`crate::Appended`].
pub(crate) trait Fact {
    /// Returns the name of the kind in the log.
    fn word(&self) -> &'static str;

    /// Returns what the event applied to.
    fn target(&self) -> Target<'_>;

    /// Returns the highest number that the event allots, or 0.
    fn highest_number(&self) -> i64;

    /// Adds the operations on the tables that follow from the event, in order.
    fn changes(&self, at: &Event, out: &mut Changes);

    /// Adds the operations that come after those on the event's own view.
    fn changes_after_view(&self, _at: &Event, _out: &mut Changes) {}

    /// Updates the number of scopes and the boundary in the vault's row.
    fn vault(&self, _seq: i64, _vault: &mut VaultState) {}

    /// Returns the capture of a change of a note or an object.
    fn capture(&self) -> Option<Capture<'_>> {
        None
    }

    /// Returns the item that the event visits, and the changes of the frames.
    fn visit(&self) -> Option<(ItemNo, &[FrameChange])> {
        None
    }

    /// Returns the texts that the event references.
    fn texts(&self) -> Vec<&ContentRef> {
        Vec::new()
    }

    /// Returns the items that the event creates.
    fn items(&self) -> Vec<ItemNo> {
        Vec::new()
    }

    /// Returns the texts that the event forgets.
    fn forgets(&self) -> &[ContentNo] {
        &[]
    }
}

/// The capture of a change: the frame, and the items in it before the change's own visit.
pub(crate) struct Capture<'a> {
    pub item: ItemNo,
    /// Most recent first.
    pub context: &'a [ItemNo],
    pub frame: ScopeNo,
}

/// What an event applied to, as `history` and `views` list it.
pub enum Target<'a> {
    /// An item; for a note or a placement, also its scope.
    Item(ItemNo, Option<ScopeNo>),
    Scope(ScopeNo),
    Actor(ActorNo),
    /// The turn that the event made.
    Turn,
    /// Something that has only a name, in a scope or in the whole vault.
    Named(&'a str, Option<ScopeNo>),
    Nothing,
}
