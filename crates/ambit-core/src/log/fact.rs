//! What the log asks of every kind of event.

use crate::{Changes, ContentNo, ContentRef, Event, FrameChange, ItemNo, ScopeNo, VaultState};

/// One kind of event.
pub(crate) trait Fact {
    /// Returns its name in the log.
    fn word(&self) -> &'static str;

    /// Returns the highest number that it allots; 0 where it allots none.
    fn highest_number(&self) -> i64;

    /// Adds the operations on the tables that it comes down to, in order.
    fn changes(&self, at: &Event, out: &mut Changes);

    /// Adds those that come after the rows of the event's own view.
    fn changes_after_view(&self, _at: &Event, _out: &mut Changes) {}

    /// Brings the vault's row up to date: its scopes, and its boundary.
    fn vault(&self, _seq: i64, _vault: &mut VaultState) {}

    /// For a change of something substantive: what was changed, and what its frame held.
    fn capture(&self) -> Option<Capture<'_>> {
        None
    }

    /// Returns what it visits, and what that does to the frames.
    fn visit(&self) -> Option<(ItemNo, &[FrameChange])> {
        None
    }

    /// Returns the texts that it names.
    fn texts(&self) -> Vec<&ContentRef> {
        Vec::new()
    }

    /// Returns the items that it made.
    fn items(&self) -> Vec<ItemNo> {
        Vec::new()
    }

    /// Returns the texts that it forgets.
    fn forgets(&self) -> &[ContentNo] {
        &[]
    }
}

/// What a change was captured with: the frame, and what it held before the change's own visit.
pub(crate) struct Capture<'a> {
    pub item: ItemNo,
    /// Most recent first.
    pub context: &'a [ItemNo],
    pub frame: ScopeNo,
}
