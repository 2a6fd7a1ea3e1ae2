//! `related`: what stood in mind together with something.

use ambit::RelatedAnswer;
use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::bars::padded;
use crate::failure::Failure;
use crate::html;
use crate::output::Output;
use crate::session::Session;
use crate::table::Run;
use crate::text::{clean, counted};

/// Show what was in mind together with an item, counted over its last visits
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Example:\n  ambit related src/login.rs")]
pub struct Related {
    /// An object's id or name, or a note's hash
    pub id: String,
    /// The most to list
    #[arg(long, value_name = "N")]
    pub limit: Option<i64>,
    /// Write a self-contained HTML page to this file
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    pub html: Option<std::path::PathBuf>,
}

impl Run for Related {
    type Answer = RelatedAnswer;

    fn run(&self, session: &Session) -> Result<Output<RelatedAnswer>, Failure> {
        let answer = session.engine()?.related(&session.caller(), &self.id, self.limit)?;
        if let Some(path) = &self.html {
            return Ok(Output::new(html::write(path, &html::related(&answer))?, answer));
        }
        let mut text =
            format!("{}, over {}\n", clean(&answer.name), counted(answer.visits, "visit"));
        let most = answer.related.first().map_or(1, |it| it.together);
        for it in &answer.related {
            let (bar, name) = (padded(it.together, most), clean(&it.thing.name));
            text += &format!("{bar} {:>5}  {name}\n", it.together);
        }
        if answer.related.is_empty() {
            text += "Nothing stood in mind beside it.\n";
        }
        Ok(Output::new(text, answer))
    }
}
