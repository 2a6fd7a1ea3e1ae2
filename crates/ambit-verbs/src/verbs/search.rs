//! `search`: finds what was said.

use ambit::{ItemKind, SearchAnswer, SearchHit, SearchRequest};
use clap::Args;
use clap::builder::PossibleValuesParser;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};

use crate::bars::bar;
use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;
use crate::table::Run;
use crate::text::{clean, counted, style};

/// Search messages, notes, insights and objects for words, also those out of sight
///
/// Rare words of the query count most. A search changes nothing and does not count as a visit.
/// `ambit read HANDLE` prints a hit in full.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n\
\x20 ambit search \"why were users logged out\"\n\
\x20 ambit search SESSION_TTL --in step-1          in one scope\n\
\x20 ambit search timeout --in main --below        in a scope and its children\n\
\x20 ambit search timeout --by bot --since 3d      what bot wrote in the last three days\n\
\x20 ambit search \"decided on\" --only note --json")]
pub struct Search {
    /// The words to search for
    #[arg(value_name = "QUERY", required = true, num_args = 1..)]
    #[serde(deserialize_with = "words")]
    #[schemars(with = "String")]
    pub query: Vec<String>,
    /// Only what this scope shows or showed
    #[arg(long = "in", value_name = "SCOPE")]
    #[serde(rename = "in")]
    pub within: Option<String>,
    /// With in: also what its children show
    #[arg(long)]
    #[serde(default)]
    pub below: bool,
    /// Only messages, notes, insights or objects
    #[arg(long, value_name = "KIND", value_parser = PossibleValuesParser::new(kinds()))]
    #[schemars(extend("enum" = kinds()))]
    pub only: Option<String>,
    /// Only what this actor wrote
    #[arg(long, value_name = "ACTOR")]
    pub by: Option<String>,
    /// Only what was written since: 2026-11-15, 2026-11-15T10:00Z, or how long ago: 30m, 12h, 3d,
    /// 2w
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Only what was written until this time
    #[arg(long, value_name = "TIME")]
    pub until: Option<String>,
    /// The most hits, up to 100
    #[arg(long, value_name = "COUNT", default_value_t = LIMIT)]
    #[serde(default = "limit")]
    pub limit: i64,
}

/// The kinds of items that can be searched for.
fn kinds() -> Vec<&'static str> {
    ItemKind::ALL.iter().map(|kind| kind.as_str()).collect()
}

/// How many hits are returned by default.
const LIMIT: i64 = 10;

fn limit() -> i64 {
    LIMIT
}

/// A query that came as one text.
fn words<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    Ok(vec![String::deserialize(from)?])
}

impl Run for Search {
    type Answer = SearchAnswer;

    fn run(&self, session: &Session) -> Result<Output<SearchAnswer>, Failure> {
        let request = SearchRequest {
            query: self.query.join(" "),
            within: self.within.clone(),
            below: self.below,
            only: self.only.clone(),
            by: self.by.clone(),
            since: self.since.clone(),
            until: self.until.clone(),
            limit: Some(self.limit),
        };
        let answer = session.engine()?.search(&session.caller(), &request)?;
        let best = answer.hits.first().map_or(0.0, |hit| hit.score);
        let mut text: String = answer.hits.iter().map(|hit| line(hit, best)).collect();
        if answer.hits.is_empty() {
            text = "Nothing was found: fewer or other words may help.\n".to_string();
        }
        if answer.unindexed > 0 {
            let older = counted(answer.unindexed, "older text");
            text += &format!("Up to {older} cannot be found yet: open the store again.\n");
        }
        Ok(Output::new(text, answer))
    }
}

/// Width of the bar that shows a score beside the best.
const BAR: i64 = 8;

fn line(hit: &SearchHit, best: f64) -> String {
    let (cyan, dim, off) = (style::CYAN, style::DIM, style::OFF);
    // A full bar of the common width would take half of the line.
    let full = (hit.score / best * 1e3) as i64;
    let bar: String = bar(full, 1_000 * 32 / BAR);
    let missing = (BAR as usize).saturating_sub(bar.chars().count());
    let hidden = match (hit.hidden, hit.kind) {
        (true, "insight") => ", retracted",
        (true, _) => ", out of sight",
        (false, _) => "",
    };
    let kind = match (hit.kind, &hit.name) {
        ("message", _) => String::new(),
        (_, Some(name)) => format!("{}, ", clean(name)),
        (kind, None) => format!("{kind}, "),
    };
    let place = hit.scope.as_ref().map(|scope| format!(" in {}", clean(scope))).unwrap_or_default();
    format!(
        "{bar}{} {cyan}{}{off} {} {dim}{kind}{}{place}{hidden}, {}{off}\n{}\n",
        " ".repeat(missing),
        hit.handle,
        hit.score,
        clean(&hit.author),
        hit.timestamp,
        marked(hit),
    )
}

/// The snippet with the query's words in bold, where there are colours.
fn marked(hit: &SearchHit) -> String {
    let mut out = "  ".to_string();
    let mut at = 0;
    for mark in &hit.marks {
        let (Some(before), Some(word)) =
            (hit.snippet.get(at..mark.start), hit.snippet.get(mark.clone()))
        else {
            break;
        };
        out += &format!("{}{}{}{}", clean(before), style::BOLD, clean(word), style::OFF);
        at = mark.end;
    }
    out + &clean(hit.snippet.get(at..).unwrap_or_default())
}
