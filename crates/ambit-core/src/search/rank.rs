//! Ranks search results and gives the reasons. The score of a text depends on its words and those
//! of its neighbours, its age, the distance of its scope, its visits, and how often it shared a
//! frame with the items that are in the reader's frame now.

use std::collections::BTreeMap;

use ambit_text::terms::TAIL;

use super::find::{Matches, Shortlist};
use crate::{ContentNo, ItemNo, ItemRow, Millis, ScopeNo};

/// A lookup: the items with a text, the turns with a text as their shape, or one item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sought {
    Text(ContentNo),
    Rest(ContentNo),
    Item(ItemNo),
}

/// An item with a text, in one of its places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bearer {
    pub item: ItemRow,
    pub scope: ScopeNo,
    /// The event that hid the item.
    pub hidden: Option<i64>,
    /// The message blocks before and after it in that scope.
    pub before: Option<Neighbour>,
    pub after: Option<Neighbour>,
    pub visits: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neighbour {
    pub item: ItemNo,
    pub content: ContentNo,
}

/// The weights of the end of the previous text, and of the next text, relative to the text itself.
const BEFORE: f64 = 0.5;
const AFTER: f64 = 0.25;

/// The largest factors by which age, distance, visits and shared frames raise a score.
const RECENT: f64 = 0.1;
const NEAR: f64 = 0.1;
const VISITED: f64 = 0.05;
const TOGETHER: f64 = 0.15;

/// The half-life of a text's recency, and the number of visits that count as many.
const HALF_MS: f64 = 14.0 * 24.0 * 3_600_000.0;
const MANY_VISITS: f64 = 8.0;

/// A search result to be ranked.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub bearer: Bearer,
    /// The text that was found, if it is the shape of the message and not the item's own text.
    pub rest: Option<ContentNo>,
    /// The distance of its scope in the tree of scopes, if the reader has a scope.
    pub steps: Option<i64>,
    /// How often it shared a frame with the items in the reader's frame, relative to the item that
    /// did so most often: from 0 to 1.
    pub together: f64,
}

/// A part of a result's score, with its reason.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    pub why: &'static str,
    /// The words of the query that contribute to it.
    pub words: Vec<String>,
    pub score: f64,
}

#[derive(Clone, Debug)]
pub struct Hit {
    pub bearer: Bearer,
    pub rest: Option<ContentNo>,
    pub score: f64,
    pub reasons: Vec<Reason>,
}

/// The scores of a text by its own words, by those at the end of the previous text, and by those of
/// the next text. The next text only adds to a score: it finds nothing by itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Weighed {
    pub own: f64,
    pub before: f64,
    pub after: f64,
    pub own_words: Vec<usize>,
    pub before_words: Vec<usize>,
    pub after_words: Vec<usize>,
}

impl Weighed {
    pub fn new(
        list: &Shortlist,
        matches: &Matches<'_>,
        content: ContentNo,
        before: Option<ContentNo>,
        after: Option<ContentNo>,
    ) -> Weighed {
        let length = f64::from(matches.length(content).unwrap_or(0));
        let tail = before.and_then(|it| matches.length(it)).unwrap_or(0);
        let both = length + f64::from(tail.min(TAIL as u32)) * BEFORE;
        let mut weighed = Weighed::default();
        let score = |at: usize, times: f64, length: f64| match times > 0.0 {
            true => list.score(at, times, length),
            false => 0.0,
        };
        for at in 0..matches.query.words.len() {
            let count = |it: ContentNo| matches.count(it, at);
            let own = f64::from(count(content).map_or(0, |count| count.times));
            let last = before.and_then(count).is_some_and(|count| count.last);
            let next = after.and_then(count).is_some();
            let with_before = own + if last { BEFORE } else { 0.0 };
            let with_all = with_before + if next { AFTER } else { 0.0 };
            let alone = score(at, own, length);
            let behind = score(at, with_before, if last { both } else { length });
            weighed.own += alone;
            weighed.before += (behind - alone).max(0.0);
            weighed.after += (score(at, with_all, both) - behind).max(0.0);
            for (there, words) in [
                (own > 0.0, &mut weighed.own_words),
                (last, &mut weighed.before_words),
                (next, &mut weighed.after_words),
            ] {
                if there {
                    words.push(at);
                }
            }
        }
        if weighed.own + weighed.before <= 0.0 {
            weighed.after = 0.0;
        }
        weighed
    }

    pub fn sum(&self) -> f64 {
        self.own + self.before + self.after
    }
}

/// Sorts candidates, the best first. Each item appears once.
pub fn rank(
    list: &Shortlist,
    matches: &Matches<'_>,
    now: Millis,
    candidates: Vec<Candidate>,
) -> Vec<Hit> {
    let mut hits: BTreeMap<ItemNo, Hit> = BTreeMap::new();
    for candidate in candidates {
        let hit = hit(list, matches, now, candidate);
        if hit.score <= 0.0 {
            continue;
        }
        // An item that was carried has several places: the open one is used. An item that was found
        // in two ways keeps the better score.
        let worth = |hit: &Hit| (hit.bearer.hidden.is_none(), hit.score);
        match hits.get(&hit.bearer.item.item) {
            Some(there) if worth(there) >= worth(&hit) => {}
            _ => drop(hits.insert(hit.bearer.item.item, hit)),
        }
    }
    let mut hits: Vec<Hit> = hits.into_values().collect();
    hits.sort_by(|a, b| {
        b.score.total_cmp(&a.score).then(b.bearer.item.item.cmp(&a.bearer.item.item))
    });
    hits
}

fn hit(list: &Shortlist, matches: &Matches<'_>, now: Millis, candidate: Candidate) -> Hit {
    let Candidate { bearer, rest, steps, together } = candidate;
    // Only the blocks of messages have neighbours.
    let beside = |it: Option<Neighbour>| {
        let it = it.filter(|_| bearer.item.kind.in_window() && rest.is_none());
        it.map(|it| it.content)
    };
    let (before, after) = (beside(bearer.before), beside(bearer.after));
    let text = rest.unwrap_or(bearer.item.content);
    let weighed = Weighed::new(list, matches, text, before, after);
    let own = if rest.is_some() { "other fields" } else { "text" };
    let words =
        |all: &[usize]| all.iter().map(|at| matches.query.words[*at].text.clone()).collect();
    let text = weighed.sum();
    let age = (now - bearer.item.time).max(0) as f64;
    let parts = [
        (own, words(&weighed.own_words), weighed.own),
        ("before", words(&weighed.before_words), weighed.before),
        ("after", words(&weighed.after_words), weighed.after),
        ("recent", Vec::new(), text * RECENT * HALF_MS / (HALF_MS + age)),
        ("near", Vec::new(), steps.map_or(0.0, |it| text * NEAR / (1.0 + it as f64))),
        ("visited", Vec::new(), text * VISITED * (bearer.visits as f64 / MANY_VISITS).min(1.0)),
        ("together", Vec::new(), text * TOGETHER * together.clamp(0.0, 1.0)),
    ];
    let reasons = parts.into_iter().filter(|(.., score)| *score > 0.0);
    let reasons: Vec<Reason> =
        reasons.map(|(why, words, score)| Reason { why, words, score }).collect();
    Hit { bearer, rest, score: reasons.iter().map(|it| it.score).sum(), reasons }
}

#[cfg(test)]
mod tests {
    use super::{Bearer, Candidate, Hit, Neighbour, rank};
    use crate::search::{Bag, Index, Matches, Query, Shortlist};
    use crate::{ActorNo, ContentNo, Form, ItemKind, ItemNo, ItemRow, Role, ScopeNo};

    const DAY: i64 = 24 * 3_600_000;

    fn bearer(number: i64, before: Option<i64>) -> Bearer {
        Bearer {
            item: ItemRow {
                item: ItemNo(number),
                kind: ItemKind::Message,
                form: Form::Text,
                role: Role::User,
                author: ActorNo(1),
                turn: number,
                block: 0,
                time: 0,
                content: ContentNo(number),
                call: None,
                object: None,
            },
            scope: ScopeNo(1),
            hidden: None,
            before: before.map(|it| Neighbour { item: ItemNo(it), content: ContentNo(it) }),
            after: None,
            visits: 0,
        }
    }

    fn ranked(texts: &[&str], query: &str, candidates: Vec<Candidate>) -> Vec<Hit> {
        let bags = texts.iter().map(|text| Bag::of(text.as_bytes()));
        let recent = (0..).map(ContentNo).zip(bags).collect();
        let index = Index { recent, ..Index::default() };
        let query = Query::of(query);
        let matches = Matches::new(&index, &query);
        rank(&Shortlist::new(&matches, 10), &matches, 30 * DAY, candidates)
    }

    fn at(bearer: Bearer, steps: Option<i64>) -> Candidate {
        Candidate { bearer, rest: None, steps, together: 0.0 }
    }

    #[test]
    fn what_came_before_counts_less_than_what_is_said() {
        let texts = ["Where did you go on holiday?", "To Lisbon, by train.", "holiday holiday"];
        let all = vec![at(bearer(0, None), None), at(bearer(1, Some(0)), None)];
        let hits = ranked(&texts, "train holiday", all);
        let why = |hit: &Hit| hit.reasons.iter().map(|it| it.why).collect::<Vec<_>>();
        assert_eq!(hits[0].bearer.item.item, ItemNo(1));
        assert_eq!(why(&hits[0]), ["text", "before", "recent"]);
        assert_eq!(hits[0].reasons[1].words, ["holidai"]);
        let reply = vec![at(bearer(0, None), None), at(bearer(1, Some(0)), None)];
        let hits = ranked(&texts, "holiday", reply);
        assert_eq!(hits.iter().map(|it| it.bearer.item.item.0).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(why(&hits[1]), ["before", "recent"]);
    }

    /// An item that shared a frame with the reader's items comes before its equals.
    #[test]
    fn what_stood_in_mind_together_comes_first() {
        let texts = ["same words", "same words"];
        let mut all = vec![at(bearer(0, None), None), at(bearer(1, None), None)];
        all[0].together = 1.0;
        let hits = ranked(&texts, "words", all);
        assert_eq!(hits[0].bearer.item.item, ItemNo(0));
        assert_eq!(hits[0].reasons.last().unwrap().why, "together");
    }

    #[test]
    fn among_equals_the_recent_the_near_and_the_visited_come_first() {
        let texts = ["same words", "same words", "same words", "same words"];
        let mut recent = bearer(0, None);
        recent.item.time = 29 * DAY;
        let mut visited = bearer(1, None);
        visited.visits = 3;
        let far = at(bearer(2, None), Some(4));
        let near = at(bearer(3, None), Some(0));
        let hits = ranked(&texts, "same", vec![at(visited, None), far, near, at(recent, None)]);
        assert_eq!(hits.iter().map(|it| it.bearer.item.item.0).collect::<Vec<_>>(), [3, 0, 2, 1]);
        let sum = |hit: &Hit| hit.reasons.iter().map(|it| it.score).sum::<f64>();
        assert!(hits.iter().all(|hit| (sum(hit) - hit.score).abs() < 1e-9));
    }

    #[test]
    fn an_item_is_shown_once_and_where_it_is_in_sight() {
        let (mut hidden, shown) = (bearer(0, None), bearer(0, None));
        (hidden.hidden, hidden.scope) = (Some(9), ScopeNo(2));
        for all in [[&hidden, &shown], [&shown, &hidden]] {
            let all = all.map(|it| at(it.clone(), None)).to_vec();
            let hits = ranked(&["words"], "words", all);
            assert_eq!(hits.len(), 1);
            assert_eq!(hits[0].bearer.scope, ScopeNo(1));
        }
    }
}
