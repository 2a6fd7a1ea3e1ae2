//! The operations on the tables that events come down to: plain data that every store can apply.

use crate::{
    ActorNo, ActorRow, ContentNo, DeltaRow, Fate, FrameRow, Here, ItemNo, ItemRow, Millis, NoteRow,
    ObjectRow, OpenCallRow, PlaceRow, ScopeNo, ScopeRow, SettingRow, StandRow, StreamRow, TurnRow,
    VersionRow, ViewNo, ViewRow, VisitRow,
};

/// One operation on the tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    Scope(ScopeRow),
    Actor(ActorRow),
    /// A scope became active for an actor.
    Enter {
        actor: ActorNo,
        scope: ScopeNo,
        seq: i64,
    },
    Leave {
        actor: ActorNo,
        scope: ScopeNo,
    },
    /// Who pinned a scope has a view in its stream, whether or not it was ever there.
    Known {
        actor: ActorNo,
        scope: ScopeNo,
    },
    Focus {
        actor: ActorNo,
        scope: ScopeNo,
    },
    Stand(StandRow),
    /// The actor breaks with what it had in mind.
    Break {
        actor: ActorNo,
        seq: i64,
    },
    Object(ObjectRow),
    /// A version of an object; of a later one, the object follows.
    Version(VersionRow),
    Delta(DeltaRow),
    /// A frame as it is copied at a fork.
    Frame(FrameRow),
    /// A frame goes, with all it holds.
    DropFrame {
        frame: ScopeNo,
    },
    /// Nobody acts in a scope any more: whoever was there has left, and its view is over.
    CloseScope {
        scope: ScopeNo,
        seq: i64,
    },
    /// A subagent has come to its end.
    Fate {
        actor: ActorNo,
        fate: Fate,
        seq: i64,
    },
    /// The actor has no open view; the last one is this.
    LastView {
        actor: ActorNo,
        view: ViewNo,
    },
    Fossil {
        view: ViewNo,
        ended_seq: i64,
        seq: i64,
    },
    View(ViewRow),
    Stream(StreamRow),
    EndView {
        view: ViewNo,
        seq: i64,
    },
    /// The actor's row follows its view.
    InView(InView),
    Item(ItemRow),
    Turn(TurnRow),
    Place(PlaceRow),
    Note(NoteRow),
    Visit(VisitRow),
    /// An item comes first in a frame.
    Remember {
        frame: ScopeNo,
        item: ItemNo,
        seq: i64,
    },
    Evict {
        frame: ScopeNo,
        item: ItemNo,
    },
    OpenCall(OpenCallRow),
    /// A call has its reply.
    Answered {
        scope: ScopeNo,
        item: ItemNo,
    },
    /// An actor's calls in a scope are open no more.
    GiveUp {
        scope: ScopeNo,
        actor: ActorNo,
    },
    /// Closes the places of messages whose batch begins within a range; their calls with them.
    ClosePlaces {
        scope: ScopeNo,
        from: i64,
        to: i64,
        seq: i64,
    },
    /// Closes one place.
    ClosePlace {
        scope: ScopeNo,
        position: i64,
        seq: i64,
    },
    /// Sums the open places after a position anew.
    Resum {
        scope: ScopeNo,
        after: i64,
    },
    Shows(Shows),
    /// The scope's head, where nothing else of it changes.
    Head {
        scope: ScopeNo,
        seq: i64,
    },
    Here {
        actor: ActorNo,
        seq: i64,
        time: Millis,
        here: Here,
    },
    /// What any reader of the scope was shown has altered.
    ScopeBoundary {
        scope: ScopeNo,
        seq: i64,
    },
    /// The same for everybody but one.
    OthersBoundary {
        scope: ScopeNo,
        actor: ActorNo,
        seq: i64,
    },
    VaultBoundary {
        seq: i64,
    },
    Set(SettingRow),
    Unset {
        scope: ScopeNo,
        name: String,
    },
    /// An item's text is gone.
    ForgetItem {
        item: ItemNo,
        seq: i64,
    },
    /// The rest of a turn is gone.
    ForgetShape {
        turn: i64,
        seq: i64,
    },
    /// A text goes, with its salt and its entry in the index.
    ForgetContent {
        content: ContentNo,
    },
    /// What an open place costs now that it shows a mark.
    Mark {
        scope: ScopeNo,
        position: i64,
        tokens: i64,
    },
}

/// What an event does to its actor's open view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InView {
    pub actor: ActorNo,
    pub view: ViewNo,
    /// Set where the event opens the view: its pin.
    pub opened: Option<Option<ScopeNo>>,
    pub open: bool,
    pub capture: Option<ScopeNo>,
    pub time: Millis,
}

/// What a scope shows after an event that opened or closed places in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shows {
    pub scope: ScopeNo,
    pub head: i64,
    /// Places taken by this event.
    pub places: i64,
    pub sum: i64,
    pub turns: i64,
    pub notes: i64,
    pub note_tokens: i64,
}

impl Shows {
    /// No more and no fewer turns and notes than before, with a sum of tokens.
    pub fn of(scope: ScopeNo, head: i64, sum: i64) -> Shows {
        Shows { scope, head, places: 0, sum, turns: 0, notes: 0, note_tokens: 0 }
    }
}
