//! Faults on purpose, for tests that show a check to fail where it should. Without the feature
//! `mutants` there are none, and asking costs nothing.

/// A fault: each breaks one rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutant {
    /// Places after closed ones keep their sums.
    SumsStale,
    /// `State::apply` does not follow an actor's standing.
    StandingForgotten,
    /// Calls that were given up are shown.
    GivenUpShown,
    /// The window begins at the scope's start, whether it fits or not.
    RoomIgnored,
    /// Notes move to the layer at every call.
    FoldIgnored,
    /// The note of an arrival is written where the actor came from.
    ArrivalInOrigin,
    /// Of calls with equal ids the last one is answered first.
    EqualIdsReversed,
    /// An actor that comes back after a silence goes on with its epoch.
    SilenceUnheard,
    /// Other readers are not told of a chain carried away.
    CarriedUntold,
    /// The window's start moves with every turn.
    WindowRolls,
    /// A window may begin within a turn.
    TurnCut,
    /// Clearing takes pending chains too.
    PendingCleared,
    /// A rewind takes replies whose call it leaves.
    ReplyRewound,
    /// A view goes on after its actor left a scope.
    ViewOutlives,
    /// A frame holds one thing too many.
    FrameOverfull,
    /// Tokens of a window that moved on count as shared.
    SharedOvercounted,
    /// A text is forgotten though others bear it too.
    SharedForgotten,
    /// Readers in scopes that inherit a forgotten note are not told.
    ForgottenUntold,
    /// A capture holds what was in mind before the break.
    BreakUnheeded,
    /// A visit reaches its actor's own frame alone.
    VisitAlone,
    /// A view goes on after its actor entered a scope.
    EnteredOpen,
    /// Who enters a scope has it in focus.
    EnterFocuses,
    /// A subagent begins with nothing in mind.
    ForkForgets,
    /// A merge stands in the parent's stream alone.
    MergeOneSided,
    /// Changes of different scopes stand in one view.
    ScopesOneView,
    /// All views have one id.
    ViewIdShared,
    /// A scope's stream is no list.
    StreamUnlinked,
    /// Every action has a view of its own.
    ViewEach,
    /// Changes are captured from their actor's own frame, wherever the object belongs.
    CaptureOwn,
    /// Nothing is captured.
    CaptureNothing,
    /// Frames hold seven things, whatever is set.
    SizeFixed,
    /// With a new view its actor's frame is empty.
    FrameFades,
    /// The note of a rejoin comes to mind.
    MergeVisits,
    /// A merge follows the subagent's last view, not its parent's.
    MergeMisplaced,
    /// A subagent's frame outlives its merge.
    FrameStays,
    /// Who puts an object into a scope has entered it.
    PlaceEnters,
    /// A subagent begins without a scope in focus.
    ForkUnfocused,
    /// A subagent has the frame of whoever forked it.
    ForkShares,
    /// A subagent's frame is owned by whoever forked it.
    ForkOwned,
    /// What is primitive comes to mind when it is changed.
    PrimitiveChanged,
    /// What is primitive comes to mind when it is looked at.
    PrimitiveVisited,
    /// Types that nobody listed never come to mind.
    UnlistedPrimitive,
    /// The first view after a break follows the one before it.
    BreakChained,
    /// A closed scope goes on gathering what is done with it pinned.
    ClosedPinned,
    /// A view goes on in a scope that was closed by its own action.
    ClosedOpen,
    /// Summaries do not tell what was visited.
    FossilForgets,
    /// A summary is told of as a change.
    FossilCaptures,
    /// What is committed is not synced.
    Unsynced,
    /// A command is answered before it is committed.
    AckEarly,
}

#[cfg(feature = "mutants")]
mod enabled {
    use std::cell::Cell;
    use std::sync::OnceLock;

    use super::Mutant;

    thread_local! {
        static ON: Cell<Option<Mutant>> = const { Cell::new(None) };
    }

    static EVERYWHERE: OnceLock<Mutant> = OnceLock::new();

    /// Switches a fault on for this thread, or all of them off.
    pub fn set(mutant: Option<Mutant>) {
        ON.set(mutant);
    }

    /// Switches a fault on for all threads, and for good.
    pub fn set_everywhere(mutant: Mutant) {
        EVERYWHERE.get_or_init(|| mutant);
    }

    pub fn is(mutant: Mutant) -> bool {
        ON.get() == Some(mutant) || EVERYWHERE.get() == Some(&mutant)
    }
}

#[cfg(feature = "mutants")]
pub use enabled::{is, set, set_everywhere};

#[cfg(not(feature = "mutants"))]
#[inline(always)]
pub const fn is(_: Mutant) -> bool {
    false
}
