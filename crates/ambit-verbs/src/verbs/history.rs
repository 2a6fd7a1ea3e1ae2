//! `history`: what happened to a thing, in a scope, or by an actor.

use ambit::{HistoryAnswer, HistoryLine, HistoryRequest};
use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::failure::Failure;
use crate::html;
use crate::output::Output;
use crate::session::Session;
use crate::table::Run;
use crate::text::clean;

/// Show the timeline of an object, a note, a scope or an actor
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n\
\x20 ambit history                                  what you did\n\
\x20 ambit history --since 2026-11-10 --until 2026-11-11\n\
\x20 ambit history plan.md                          who looked at it and changed it\n\
\x20 ambit history --of alpha --changes             who changed what there\n\
\x20 ambit history --of alpha --html alpha.html     the same as a page")]
pub struct History {
    /// An object's id or name, or a note's hash
    #[arg(conflicts_with_all = ["by", "of"])]
    pub id: Option<String>,
    /// Show this actor's history
    #[arg(long, alias = "actor", value_name = "ACTOR")]
    pub by: Option<String>,
    /// Show this scope's history
    #[arg(long, value_name = "SCOPE", conflicts_with = "by")]
    pub of: Option<String>,
    /// Only events since this time
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Only events until this time
    #[arg(long, value_name = "TIME")]
    pub until: Option<String>,
    /// Only events before this one
    #[arg(long, value_name = "SEQ")]
    pub before: Option<i64>,
    /// The most to list
    #[arg(long, value_name = "N")]
    pub limit: Option<i64>,
    /// Only changes, with what was in mind
    #[arg(long)]
    #[serde(default)]
    pub changes: bool,
    /// Write a self-contained HTML page to this file
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    pub html: Option<std::path::PathBuf>,
}

impl History {
    /// Returns the scope of --scope, unless an item or an actor is named.
    fn scope_named(&self, session: &Session) -> Option<String> {
        session.scope_flag.clone().filter(|_| self.by.is_none() && self.id.is_none())
    }
}

impl Run for History {
    type Answer = HistoryAnswer;

    fn run(&self, session: &Session) -> Result<Output<HistoryAnswer>, Failure> {
        let request = HistoryRequest {
            named: self.id.clone(),
            actor: self.by.clone(),
            scope: self.of.clone().or_else(|| self.scope_named(session)),
            since: self.since.clone(),
            until: self.until.clone(),
            before: self.before,
            limit: self.limit,
            changes: self.changes,
        };
        let answer = session.engine()?.history(&session.caller(), &request)?;
        if let Some(path) = &self.html {
            return Ok(Output::new(html::write(path, &html::history(&answer))?, answer));
        }
        let mut text = timeline(&answer.entries);
        if answer.entries.is_empty() {
            text = "Nothing happened.\n".into();
        }
        if let Some(next) = answer.next {
            let before = session.interface().argument("--before", "before");
            text += &format!("More: {before} {next}\n");
        }
        Ok(Output::new(text, answer))
    }
}

/// The most actors with a lane of their own.
const LANES_MAX: usize = 8;

/// A lane for each actor, in the order in which they appear; the latest event first.
fn timeline(entries: &[HistoryLine]) -> String {
    let mut lanes: Vec<&str> = Vec::new();
    for entry in entries {
        if !lanes.contains(&entry.actor.as_str()) && lanes.len() < LANES_MAX {
            lanes.push(&entry.actor);
        }
    }
    let mut text = String::new();
    for (index, actor) in lanes.iter().enumerate() {
        let bars = "│ ".repeat(index);
        text += &format!("{:28}{bars}{}\n", "", clean(actor));
    }
    let mut day = "";
    for entry in entries {
        let (date, time) = entry.timestamp.split_once('T').unwrap_or((&entry.timestamp, ""));
        let shown = if date == day { "" } else { date };
        day = date;
        let time = time.get(..8).unwrap_or(time);
        let lane = lanes.iter().position(|it| *it == entry.actor);
        let mark = if entry.context.is_some() { "●" } else { "○" };
        let bars: String = (0..lanes.len())
            .map(|at| if Some(at) == lane { format!("{mark} ") } else { "│ ".into() })
            .collect();
        let mind = match entry.in_mind.len() {
            0 => String::new(),
            n => format!("  ({n} in mind)"),
        };
        let seq = entry.event;
        let line = format!("{shown:10} {time:8} {seq:>7} {bars} {}{mind}", clean(&done(entry)));
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// Describes an event in words.
pub fn done(entry: &HistoryLine) -> String {
    let word = match entry.of_type {
        "scope_created" => "opened",
        "rejoined" | "abandoned" if entry.name.as_ref() == Some(&entry.actor) => {
            return entry.of_type.to_string();
        }
        word => word,
    };
    let name = entry.name.as_deref().or(entry.target.as_deref()).unwrap_or_default();
    let scope = match (entry.of_type, &entry.scope) {
        ("displaced", Some(scope)) => format!(" from {scope}"),
        ("placed", Some(scope)) => format!(" in {scope}"),
        _ => String::new(),
    };
    let back = entry.reverts.map_or(String::new(), |seq| format!(", reverting event {seq}"));
    format!("{word} {name}{scope}{back}").trim_end().to_string()
}
