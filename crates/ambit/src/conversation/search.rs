//! `search`: finds messages, notes, insights and objects by their words. Read-only, and not a
//! visit.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use ambit_core::compose::{Shown, handle};
use ambit_core::search::{
    Bearer, Candidate, Hit, Matches, Query, Shortlist, Sought, Weighed, rank, snippet,
};
use ambit_core::{
    ActorNo, ContentNo, ItemKind, ItemNo, Millis, Needs, Refusal, ScopeNo, ScopeRefusal, ScopeRow,
    State, moment, rfc3339,
};
use ambit_store::Snapshot;
use serde::Serialize;

use crate::conversation::reading::author;
use crate::engine::read_state;
use crate::keeping::forget::actor_named;
use crate::provenance::related::related_to_frame;
use crate::time_travel::invalid_moment;
use crate::{Caller, Engine, QuestionRefusal, Result};

/// What to search for, and where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchRequest {
    /// Any text; the search uses its words.
    pub query: String,
    /// Only items that this scope shows or showed; with `below`, its children's too.
    pub within: Option<String>,
    pub below: bool,
    /// Only messages, notes, insights or objects.
    pub only: Option<String>,
    /// Only items by this actor.
    pub by: Option<String>,
    /// Only items written in this period. A moment is `2026-11-15`, `2026-11-15T10:00Z`, or a
    /// distance into the past such as `3d`.
    pub since: Option<String>,
    pub until: Option<String>,
    /// The largest number of hits; 10 by default.
    pub limit: Option<i64>,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct SearchAnswer {
    pub query: String,
    /// Best first.
    pub hits: Vec<SearchHit>,
    /// The number of older texts that may not be indexed yet; 0 except right after an upgrade.
    pub unindexed: i64,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct SearchHit {
    pub score: f64,
    /// The components of the score.
    pub reasons: Vec<SearchReason>,
    pub kind: &'static str,
    /// An object's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub form: &'static str,
    pub role: &'static str,
    /// Null for insights, which are in no scope.
    pub scope: Option<String>,
    /// True for a hit that was rewound, carried away or retracted.
    pub hidden: bool,
    pub author: String,
    pub timestamp: String,
    pub snippet: String,
    /// The handle that `read` takes.
    pub handle: String,
    pub id: String,
    /// The byte ranges of the snippet that match words of the query.
    #[serde(skip)]
    pub marks: Vec<Range<usize>>,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct SearchReason {
    pub why: &'static str,
    pub words: Vec<String>,
    pub score: f64,
}

const LIMIT: i64 = 10;
const LIMIT_MAX: i64 = 100;

/// The number of texts looked up per batch, and the limit when a filter applies.
const CHUNK: usize = 128;
const LOOKED_UP_MAX: usize = 4_096;

/// The number of hits whose following text is also searched.
const FOLLOWED: usize = 64;

/// The length of a snippet in characters.
const SNIPPET_CHARS: usize = 160;

impl Engine {
    /// Finds messages, notes, insights and objects by their words.
    pub fn search(&self, caller: &Caller, request: &SearchRequest) -> Result<SearchAnswer> {
        let context = self.context(caller);
        let query = Query::of(&request.query);
        if query.words.is_empty() {
            return Err(QuestionRefusal::NoWords.into());
        }
        let limit = limit(request)?;
        self.read(caller, &mut |snapshot| {
            let needs = Needs { all_scopes: true, ..Needs::of(&context) };
            let state = read_state(snapshot, &needs)?;
            let together = related_to_frame(snapshot, &state)?;
            let named = state.scopes.values().map(|it| &it.row).filter(|row| row.name.is_some());
            let scopes = named.map(|row| (row.scope, row.clone())).collect();
            let filter = Filter::new(snapshot, &state, &scopes, request, context.now)?;
            let here = match context.pin.as_deref() {
                Some(pin) => Some(state.scope_named(pin)?.scope),
                None => state.working_scope(None).ok().map(|row| row.scope),
            };
            let index = snapshot.index(&query.parts())?;
            let matches = Matches::new(&index, &query);
            let list = Shortlist::new(&matches, LOOKED_UP_MAX);
            let mut search = Search {
                snapshot,
                matches: &matches,
                list,
                scopes: &scopes,
                filter,
                here,
                together,
            };
            let mut hits = search.hits(limit, context.now)?;
            hits.truncate(limit);
            let shown = hits.iter().map(|hit| search.show(hit)).collect::<Result<Vec<_>>>()?;
            let hits = shown.into_iter().flatten().collect();
            let query = request.query.clone();
            Ok(SearchAnswer { query, hits, unindexed: index.missing })
        })
    }
}

fn limit(request: &SearchRequest) -> Result<usize> {
    let limit = request.limit.unwrap_or(LIMIT);
    match usize::try_from(limit) {
        Ok(limit @ 1..) if limit as i64 <= LIMIT_MAX => Ok(limit),
        _ => Err(QuestionRefusal::Limit { limit, max: LIMIT_MAX }.into()),
    }
}

/// The parts of a request that filter its hits.
#[derive(Debug, Default)]
struct Filter {
    scopes: Option<BTreeSet<ScopeNo>>,
    kind: Option<ItemKind>,
    author: Option<ActorNo>,
    since: Option<Millis>,
    until: Option<Millis>,
}

impl Filter {
    fn new(
        snapshot: &mut dyn Snapshot,
        state: &State,
        scopes: &BTreeMap<ScopeNo, ScopeRow>,
        request: &SearchRequest,
        now: Millis,
    ) -> Result<Filter> {
        let SearchRequest { within, below, only, by, since, until, .. } = request;
        let kind = match only.as_deref() {
            None => None,
            Some(word) => Some(ItemKind::parse(word).ok_or_else(|| {
                let kinds = ItemKind::ALL.iter().map(|it| it.as_str()).collect();
                QuestionRefusal::Sought { word: word.into(), kinds }
            })?),
        };
        let time = |text: &Option<String>| match text {
            None => Ok(None),
            Some(text) => moment(text, now).map(Some).ok_or_else(|| invalid_moment(text)),
        };
        let scopes = match within {
            Some(name) => Some(scopes_within(scopes, name, *below)?),
            None if *below => return Err(QuestionRefusal::BelowNothing.into()),
            None => None,
        };
        let author = match by {
            Some(name) => Some(actor_named(snapshot, state, name)?),
            None => None,
        };
        Ok(Filter { scopes, kind, author, since: time(since)?, until: time(until)? })
    }

    fn matches(&self, it: &Bearer) -> bool {
        self.scopes.as_ref().is_none_or(|scopes| scopes.contains(&it.scope))
            && self.kind.is_none_or(|kind| kind == it.item.kind)
            && self.author.is_none_or(|author| author == it.item.author)
            && self.since.is_none_or(|since| since <= it.item.time)
            && self.until.is_none_or(|until| it.item.time <= until)
    }
}

fn scopes_within(
    scopes: &BTreeMap<ScopeNo, ScopeRow>,
    name: &str,
    below: bool,
) -> Result<BTreeSet<ScopeNo>> {
    let named = |row: &&ScopeRow| row.name.as_deref() == Some(name) || row.id == name;
    let Some(top) = scopes.values().find(named) else {
        return Err(Refusal::from(ScopeRefusal::Missing { name: name.into() }).into());
    };
    let mut found = BTreeSet::from([top.scope]);
    // A child is opened after its parent, so its number is greater.
    for row in scopes.values().filter(|_| below) {
        if row.parent.is_some_and(|parent| found.contains(&parent)) {
            found.insert(row.scope);
        }
    }
    Ok(found)
}

/// A search in progress.
struct Search<'a> {
    snapshot: &'a mut dyn Snapshot,
    matches: &'a Matches<'a>,
    list: Shortlist,
    scopes: &'a BTreeMap<ScopeNo, ScopeRow>,
    filter: Filter,
    /// The reader's primary scope.
    here: Option<ScopeNo>,
    /// For each item, how often it was in mind together with the reader's frame, from 0 to 1.
    together: BTreeMap<ItemNo, f64>,
}

impl Search<'_> {
    /// Returns the hits, best first. Preceding text can raise a score, so more candidates are
    /// scored than requested.
    fn hits(&mut self, limit: usize, now: Millis) -> Result<Vec<Hit>> {
        let texts: Vec<ContentNo> = self.list.texts.iter().map(|(content, _)| *content).collect();
        let mut candidates = Vec::new();
        for chunk in texts.chunks(CHUNK) {
            let sought: Vec<_> = chunk.iter().copied().map(Sought::Text).collect();
            let mut found = self.snapshot.bearers(&sought)?;
            if candidates.is_empty() {
                let after = self.after(&found);
                found.extend(self.snapshot.bearers(&after)?);
            }
            let rests = self.message_rests(chunk, &found)?;
            let found = found.into_iter().map(|bearer| (bearer, None)).chain(rests);
            for (bearer, rest) in found {
                let there = self.scopes.contains_key(&bearer.scope);
                if self.filter.matches(&bearer) && (there || bearer.scope == ScopeNo::VAULT) {
                    let steps = self.steps(bearer.scope);
                    let together = self.together.get(&bearer.item.placed_as());
                    let together = together.copied().unwrap_or(0.0);
                    candidates.push(Candidate { bearer, rest, steps, together });
                }
            }
            if candidates.len() >= limit.max(CHUNK / 2) {
                break;
            }
        }
        Ok(rank(&self.list, self.matches, now, candidates))
    }

    /// Returns the texts that follow those ending with words of the query.
    fn after(&self, found: &[Bearer]) -> Vec<Sought> {
        let mut after = BTreeMap::new();
        for bearer in found {
            if let Some(next) = bearer.after {
                let own = bearer.item.content;
                let (list, matches) = (&self.list, self.matches);
                let weighed = Weighed::new(list, matches, next.content, Some(own), None);
                if weighed.before > 0.0 {
                    after.insert(next.item, weighed.sum());
                }
            }
        }
        let there: BTreeSet<_> = found.iter().map(|it| it.item.item).collect();
        let mut after: Vec<_> = after.into_iter().filter(|(it, _)| !there.contains(it)).collect();
        after.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
        after.into_iter().take(FOLLOWED).map(|(item, _)| Sought::Item(item)).collect()
    }

    /// Finds texts that no item references: the rests of messages.
    fn message_rests(
        &mut self,
        chunk: &[ContentNo],
        found: &[Bearer],
    ) -> Result<Vec<(Bearer, Option<ContentNo>)>> {
        let borne: BTreeSet<_> = found.iter().map(|it| it.item.content).collect();
        let mut rests = Vec::new();
        for content in chunk.iter().filter(|content| !borne.contains(content)) {
            let found = self.snapshot.bearers(&[Sought::Rest(*content)])?;
            rests.extend(found.into_iter().map(|bearer| (bearer, Some(*content))));
        }
        Ok(rests)
    }

    /// Returns the distance in the scope tree between a scope and the reader's scope.
    fn steps(&self, scope: ScopeNo) -> Option<i64> {
        let up = |from: ScopeNo| {
            let mut path = vec![from];
            while let Some(parent) = path.last().and_then(|it| self.scopes.get(it)?.parent) {
                if path.contains(&parent) {
                    break;
                }
                path.push(parent);
            }
            path
        };
        // Insights apply to every scope, so their distance is zero.
        if scope == ScopeNo::VAULT {
            return Some(0);
        }
        let (here, there) = (up(self.here?), up(scope));
        let steps = |(at, it): (usize, &ScopeNo)| Some(at + there.iter().position(|to| to == it)?);
        here.iter().enumerate().find_map(steps).map(|steps| steps as i64)
    }

    fn show(&mut self, hit: &Hit) -> Result<Option<SearchHit>> {
        let item = &hit.bearer.item;
        let rows = self.snapshot.blocks(item.turn)?;
        let Some(row) = rows.into_iter().find(|row| row.item == item.item) else {
            return Ok(None);
        };
        let author = author(self.snapshot, item.author)?;
        let reasons = hit.reasons.iter().map(|it| SearchReason {
            why: it.why,
            words: it.words.clone(),
            score: rounded(it.score),
        });
        let thing = self.snapshot.things(item.object.as_slice())?.pop();
        let name = thing.and_then(|it| it.object).map(|object| object.name);
        let piece = snippet(self.text(hit, &row), self.matches.query, SNIPPET_CHARS);
        Ok(Some(SearchHit {
            score: rounded(hit.score),
            reasons: reasons.collect(),
            kind: item.kind.as_str(),
            name,
            form: item.form.as_str(),
            role: item.role.as_str(),
            scope: self.scopes.get(&hit.bearer.scope).and_then(|it| it.name.clone()),
            hidden: hit.bearer.hidden.is_some(),
            author,
            timestamp: rfc3339(item.time),
            snippet: piece.text,
            handle: handle(item.turn, item.block, &row.key),
            id: format!("{}.{}", item.turn, item.block),
            marks: piece.marks,
        }))
    }

    fn text<'t>(&self, hit: &Hit, row: &'t Shown) -> &'t str {
        match (&hit.rest, &row.shape) {
            (Some(_), Some(shape)) => shape,
            _ => &row.text,
        }
    }
}

/// Rounds a score to the digits that distinguish hits.
fn rounded(score: f64) -> f64 {
    (score * 1e3).round() / 1e3
}
