//! `views`: a stream of views.

use ambit::{ViewLine, ViewsAnswer, ViewsRequest};
use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;
use crate::table::Run;
use crate::text::clean;
use crate::words::Interface;

/// Show the views of an actor or a scope, latest first
///
/// A view groups what one actor did until it paused, changed scopes or ran `break`. `stream_prev`
/// is the previous view of the shown stream, `previous` the previous view of the same actor.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n\
\x20 ambit views                     your own\n\
\x20 ambit views --of alpha          those of everybody in alpha\n\
\x20 ambit views --by fix-login      a subagent's, while it runs and after\n\
\x20 ambit views viw_0192…           one, with all its actions")]
pub struct Views {
    /// Show the view with this id
    #[arg(conflicts_with_all = ["by", "of"])]
    pub id: Option<String>,
    /// Show this actor's stream
    #[arg(long, alias = "actor", value_name = "ACTOR")]
    pub by: Option<String>,
    /// Show this scope's stream
    #[arg(long, value_name = "SCOPE", conflicts_with = "by")]
    pub of: Option<String>,
    /// Only views opened before this event
    #[arg(long, value_name = "SEQ")]
    pub before: Option<i64>,
    /// Only views opened after this event, earliest first
    #[arg(long, value_name = "SEQ", conflicts_with = "before")]
    pub after: Option<i64>,
    /// The most to list
    #[arg(long, value_name = "N")]
    pub limit: Option<i64>,
}

impl Views {
    /// Returns the scope of --scope, unless another stream is named.
    fn scope_named(&self, session: &Session) -> Option<String> {
        session.scope_flag.clone().filter(|_| self.by.is_none() && self.id.is_none())
    }
}

impl Run for Views {
    type Answer = ViewsAnswer;

    fn run(&self, session: &Session) -> Result<Output<ViewsAnswer>, Failure> {
        let request = ViewsRequest {
            id: self.id.clone(),
            actor: self.by.clone(),
            scope: self.of.clone().or_else(|| self.scope_named(session)),
            before: self.before,
            after: self.after,
            limit: self.limit,
        };
        let answer = session.engine()?.views(&session.caller(), &request)?;
        let to = session.interface();
        let mut text: String = answer.views.iter().map(|it| view(it, to)).collect();
        if answer.views.is_empty() {
            text = "No views.\n".into();
        }
        if let Some(next) = answer.next {
            let way = match self.after {
                Some(_) => to.argument("--after", "after"),
                None => to.argument("--before", "before"),
            };
            text += &format!("More: {way} {next}\n");
        }
        Ok(Output::new(text, answer))
    }
}

fn view(it: &ViewLine, to: Interface) -> String {
    let ended = it.ended.as_deref().map_or(String::new(), |at| format!(" to {at}"));
    let mut text = format!("{}  {}  {}{ended}\n", it.id, clean(&it.actor), it.started);
    for action in &it.actions {
        let name = action.name.as_deref().or(action.target.as_deref()).unwrap_or_default();
        let (seq, of_type) = (action.event, action.of_type);
        text += format!("  {seq:>6}  {of_type:<13}  {}", clean(name)).trim_end();
        text.push('\n');
    }
    if it.more {
        text +=
            &format!("          and more: {} {}\n", to.either("ambit views", "`views` of"), it.id);
    }
    if let Some(summary) = &it.summary {
        let counts: Vec<_> =
            summary.actions.iter().map(|(word, n)| format!("{n} {word}")).collect();
        text += &format!("          summarised: {}\n", counts.join(", "));
    }
    if let Some(merge) = &it.merge {
        text += &format!("          merges {} of {}\n", merge.count, clean(&merge.child));
    }
    text
}
