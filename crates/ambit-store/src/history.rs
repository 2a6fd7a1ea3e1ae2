//! Reads of history: objects and their versions, visits, streams of views, and where actors were.
//! Every answer is a run of rows found by an index, of the length asked for.

use ambit_core::compose::Shown;
use ambit_core::{
    ActiveScopesRow, ActorNo, ActorRow, Hash, ItemKind, ItemNo, Millis, ObjectPlace, ObjectRow,
    ScopeNo, Stored, StreamRow, VersionRow, ViewNo, ViewRow, VisitRow,
};

use crate::Result;

/// A run of rows in the order of the log: from a moment backwards, or forwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Run {
    /// The latest first.
    Before(i64),
    /// The earliest first.
    After(i64),
}

/// Which objects are listed.
#[derive(Clone, Debug, Default)]
pub struct Objects {
    pub kind: Option<String>,
    pub scope: Option<ScopeNo>,
    pub after: ItemNo,
    pub limit: i64,
}

/// Which version of an object is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    Number(i64),
    /// The last one at an event.
    At(i64),
}

/// An item as people know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thing {
    pub item: ItemNo,
    pub kind: ItemKind,
    pub author: ActorNo,
    pub time: Millis,
    /// For an object or one of its versions.
    pub object: Option<ObjectRow>,
    /// For a note.
    pub hash: Option<Hash>,
    /// The event that forgot its text.
    pub forgotten: Option<i64>,
    pub text: String,
}

/// A view in one of its streams.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Streamed {
    pub row: StreamRow,
    pub view: ViewRow,
}

/// The part of a snapshot about what was done.
pub trait History {
    /// An object by its id or its name.
    fn object(&mut self, named: &str) -> Result<Option<ObjectRow>>;

    fn objects(&mut self, which: &Objects) -> Result<Vec<ObjectRow>>;

    /// The open scopes that an object belongs to, in the order in which it joined them.
    fn object_places(&mut self, object: ItemNo) -> Result<Vec<ObjectPlace>>;

    fn version(&mut self, object: ItemNo, which: Which) -> Result<Option<VersionRow>>;

    /// Versions below a number, the latest first.
    fn versions(&mut self, object: ItemNo, below: i64, limit: i64) -> Result<Vec<VersionRow>>;

    /// What objects and notes go by: ids, and hashes. What is neither is left out.
    fn ids(&mut self, items: &[ItemNo]) -> Result<Vec<String>>;

    /// Items with their names and texts, in the order asked for.
    fn things(&mut self, items: &[ItemNo]) -> Result<Vec<Thing>>;

    /// What each of these frames saw, in as many runs of visits.
    fn visits(&mut self, runs: &[(ScopeNo, Run)], limit: i64) -> Result<Vec<Vec<VisitRow>>>;

    /// The last visits of an item before an event.
    fn visits_of(&mut self, item: ItemNo, before: i64, limit: i64) -> Result<Vec<VisitRow>>;

    fn stream(&mut self, frame: ScopeNo, run: Run, limit: i64) -> Result<Vec<Streamed>>;

    fn view(&mut self, view: ViewNo) -> Result<Option<ViewRow>>;

    fn view_named(&mut self, id: &str) -> Result<Option<ViewRow>>;

    /// Views after a number that were not summarised. Merges never are: they are left out.
    fn views_whole(&mut self, after: ViewNo, limit: i64) -> Result<Vec<ViewRow>>;

    fn view_events(&mut self, view: ViewNo, run: Run, limit: i64) -> Result<Vec<Stored>>;

    /// The last changes that a frame tells of before an event.
    fn changes_in(&mut self, frame: ScopeNo, before: i64, limit: i64) -> Result<Vec<i64>>;

    /// The last changes of an item before an event.
    fn changes_of(&mut self, item: ItemNo, before: i64, limit: i64) -> Result<Vec<i64>>;

    /// Where an actor stood at an event. None before it was first seen.
    fn stand(&mut self, actor: ActorNo, at: i64) -> Result<Option<ActiveScopesRow>>;

    fn actor_named(&mut self, name: &str) -> Result<Option<ActorRow>>;

    fn actors(&mut self, numbers: &[ActorNo]) -> Result<Vec<ActorRow>>;

    /// Actors after a number, subagents that ended too.
    fn actors_after(&mut self, after: ActorNo, limit: i64) -> Result<Vec<ActorRow>>;

    /// Returns every actor that was ever active in a scope.
    fn contributors(&mut self, scope: ScopeNo) -> Result<Vec<ActorRow>>;

    /// Those that an actor forked.
    fn children(&mut self, actor: ActorNo) -> Result<Vec<ActorRow>>;

    /// When an event happened.
    fn time_of(&mut self, seq: i64) -> Result<Option<Millis>>;

    /// The position that the next place of a scope had to come at an event.
    fn end_at(&mut self, scope: ScopeNo, at: i64) -> Result<i64>;

    /// The last message blocks that a scope showed at an event, below a position that was taken by
    /// then, the latest first.
    fn shown_at(&mut self, scope: ScopeNo, at: i64, before: i64, limit: i64) -> Result<Vec<Shown>>;

    /// The first message blocks that a scope showed at an event.
    fn leading_at(
        &mut self,
        scope: ScopeNo,
        at: i64,
        before: i64,
        limit: i64,
    ) -> Result<Vec<Shown>>;

    /// Scopes by their numbers, home scopes too.
    fn scopes_numbered(&mut self, scopes: &[ScopeNo]) -> Result<Vec<ambit_core::ScopeRow>>;
}
