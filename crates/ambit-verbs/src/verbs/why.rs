//! `why`: what was in mind when something was changed.

use ambit::{ItemKind, WhyAnswer};
use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;
use crate::table::Run;
use crate::text::{clean, style};

/// Explain a change: who made it, in which scope, what was in mind, what came before
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n\
\x20 ambit why src/login.rs      its last change\n\
\x20 ambit why 1a2b3c4           a note\n\
\x20 ambit why 812               the change that event 812 made")]
pub struct Why {
    /// An event's number, an object's id or name, or a note's hash
    pub id: String,
}

impl Run for Why {
    type Answer = WhyAnswer;

    fn run(&self, session: &Session) -> Result<Output<WhyAnswer>, Failure> {
        let answer = session.engine()?.why(&session.caller(), &self.id)?;
        let (bold, dim, off) = (style::BOLD, style::DIM, style::OFF);
        let name = answer.name.as_deref().unwrap_or_default();
        let mut text = format!(
            "{bold}{} {}{off} by {} ({}) at {}, event {}\n",
            answer.of_type,
            clean(name),
            clean(&answer.actor),
            answer.actor_kind,
            answer.timestamp,
            answer.event,
        );
        let active: Vec<_> = answer.active_scopes.iter().map(|it| clean(it)).collect();
        let primary = answer.primary_scope.as_deref().map_or("no scope".into(), clean);
        text += &format!("in {primary} (active: {})\n", active.join(", "));
        let frame = answer.context_scope.as_deref().map_or("the actor's own frame".into(), clean);
        text += &match answer.context.len() {
            0 => format!("Nothing was in mind in {frame}.\n"),
            _ => format!("In mind, most recent first (from {frame}):\n"),
        };
        for it in &answer.context {
            let is_object = ItemKind::parse(it.thing.kind).is_some_and(ItemKind::of_object);
            let version = match is_object {
                true => format!(" {dim}version {}{off}", it.version),
                false => String::new(),
            };
            text += &format!("  {bold}{}{off}{version}\n", clean(&it.thing.name));
            let lines = it.text.lines().take(3).filter(|_| is_object);
            if it.forgotten {
                text += &format!("    {dim}[forgotten]{off}\n");
            }
            text +=
                &lines.map(|line| format!("    {dim}{}{off}\n", clean(line))).collect::<String>();
        }
        if !answer.before.is_empty() {
            text += "Just before:\n";
        }
        for it in &answer.before {
            let name = it.name.as_deref().or(it.target.as_deref()).unwrap_or_default();
            text += format!("  {:>6}  {:<13}  {}", it.event, it.of_type, clean(name)).trim_end();
            text.push('\n');
        }
        Ok(Output::new(text, answer))
    }
}
