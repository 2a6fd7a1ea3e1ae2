//! `forget`: takes texts out for good.

use ambit::{ForgetReport, Selection};
use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Keyed;
use crate::failure::Failure;
use crate::output::Output;
use crate::session::{Progress, Session};
use crate::table::Run;
use crate::text::{clean, counted, grouped, style};
use crate::words::Interface;

/// Delete texts for good; without --yes, only show what would go
///
/// A mark replaces each text: order, calls and replies stay. If somebody else wrote the same text,
/// theirs stays. Names of scopes and actors cannot be forgotten.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n\
\x20 ambit forget 812                      a whole message\n\
\x20 ambit forget 812.0-3fa2 1a2b3c4       one block, and a note\n\
\x20 ambit forget --containing hunter2     everything that contains it\n\
\x20 ambit forget --search \"ada's address\"  everything that has all of these words\n\
\x20 ambit forget --in step-1 --by bot     all that bot wrote in step-1\n\
\x20 ambit forget --containing hunter2 --yes")]
pub struct Forget {
    /// Handles, blocks, turns, at least seven digits of notes' hashes, or objects' ids or names
    #[arg(value_name = "NAME", conflicts_with_all = ["within", "by", "containing", "search"],
        required_unless_present_any = ["within", "by", "containing", "search"])]
    #[serde(default)]
    pub names: Vec<String>,
    /// Forget everything that this scope shows or showed
    #[arg(long = "in", value_name = "SCOPE")]
    #[serde(rename = "in")]
    pub within: Option<String>,
    /// Forget everything that this actor wrote
    #[arg(long, value_name = "ACTOR")]
    pub by: Option<String>,
    /// Forget every text that contains exactly this
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub containing: Option<String>,
    /// Forget every text that has all these words, in any form and order
    #[arg(long, value_name = "WORDS", allow_hyphen_values = true)]
    pub search: Option<String>,
    /// Delete: this cannot be undone
    #[arg(long)]
    #[serde(default)]
    pub yes: bool,
    #[command(flatten)]
    #[serde(flatten)]
    pub keyed: Keyed,
}

impl Run for Forget {
    type Answer = ForgetReport;

    fn run(&self, session: &Session) -> Result<Output<ForgetReport>, Failure> {
        let selection = Selection {
            names: self.names.clone(),
            within: self.within.clone(),
            by: self.by.clone(),
            containing: self.containing.clone(),
            search: self.search.clone(),
        };
        let (engine, caller) = (session.engine()?, self.keyed.caller(session));
        session.report(Progress::Working("looking"));
        let progress = |done| {
            session.report(Progress::Working(&format!("forgetting: {}", grouped(done))));
        };
        let report = match self.yes {
            true => engine.forget(&caller, &selection, &progress)?,
            false => engine.forget_preview(&caller, &selection, &progress)?,
        };
        let to = session.interface();
        let text = if report.done { done(&report, to) } else { preview(&report, to) };
        Ok(Output::new(text, report))
    }
}

fn preview(report: &ForgetReport, to: Interface) -> String {
    let (bold, dim, off) = (style::BOLD, style::DIM, style::OFF);
    let nothing = report.blocks + report.notes + report.versions + report.shapes == 0;
    let mut text = match nothing {
        true => "There is nothing to forget.\n".to_string(),
        false => format!("{bold}Would forget{off} {}.\n", amounts(report)),
    };
    for snippet in &report.snippets {
        let line = clean(&snippet.text).replace('\n', " ");
        text += &format!("  {} {line} {dim}{}{off}\n", snippet.id, clean(&snippet.author));
    }
    let shown = report.snippets.len() as i64;
    let all = report.blocks + report.notes + report.versions;
    if all > shown && shown > 0 {
        text += &format!("  and {} more\n", grouped(all - shown));
    }
    if !report.scopes.is_empty() || report.hidden > 0 {
        let scope = |it: &ambit::ForgetScope| {
            format!("{} ({})", clean(it.name.as_deref().unwrap_or("every scope")), it.items)
        };
        let mut places: Vec<_> = report.scopes.iter().map(scope).collect();
        places.extend((report.hidden > 0).then(|| format!("out of sight ({})", report.hidden)));
        text += &format!("Where: {}\n", places.join(", "));
    }
    text += &remarks(report, to);
    if !nothing {
        let yes = to.argument("--yes", "yes");
        text += &format!("Nothing is forgotten yet: repeat it with {yes}. It cannot be undone.\n");
    }
    text
}

fn done(report: &ForgetReport, to: Interface) -> String {
    let mut text = match report.head {
        Some(head) => format!("Forgot {} (event {head}).\n", amounts(report)),
        None => "There was nothing left to forget.\n".to_string(),
    };
    text += &remarks(report, to);
    if report.scrubbed == Some(false) {
        text += "The store's own log still holds it, for somebody is reading: \
                 repeat this command to finish.\n";
    }
    text
}

/// How much of what.
fn amounts(report: &ForgetReport) -> String {
    let mut parts = Vec::new();
    let mut part = |number: i64, noun: &str| {
        if number > 0 {
            parts.push(counted(number, noun));
        }
    };
    part(report.blocks, "block");
    part(report.notes, "note");
    part(report.versions, "version");
    if report.shapes > 0 {
        parts.push(format!("other fields of {}", counted(report.shapes, "message")));
    }
    let texts = counted(report.texts, "text");
    let what = if parts.is_empty() { "nothing".to_string() } else { parts.join(", ") };
    format!("{what}: {texts} gone for good")
}

fn remarks(report: &ForgetReport, to: Interface) -> String {
    let mut text = String::new();
    if report.kept > 0 {
        let texts = counted(report.kept, "text");
        text += &format!("Stays: {texts}, for others bear the same.\n");
    }
    for turn in &report.partly {
        let forget = to.verb("forget", &turn.to_string());
        text += &format!("Stays: other fields of message {turn}; {forget} takes them too.\n");
    }
    if !report.names.is_empty() {
        let names = clean(&report.names.join(", "));
        text += &format!("Cannot go: names of scopes and actors that contain it: {names}\n");
    }
    if !report.cannot_reach.is_empty() {
        text += &format!("Not reached: {}.\n", report.cannot_reach.join("; "));
    }
    text
}
