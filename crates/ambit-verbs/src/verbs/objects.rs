//! `objects`: lists objects.

use ambit::{ObjectsAnswer, ObjectsRequest};
use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;
use crate::table::Run;
use crate::text::table;

/// List objects, oldest first
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n\
\x20 ambit objects\n\
\x20 ambit objects --in alpha --type contact")]
pub struct Objects {
    /// Only objects of this type
    #[arg(long = "type", value_name = "TYPE")]
    #[serde(rename = "type")]
    pub of_type: Option<String>,
    /// Only objects that belong to this scope
    #[arg(long = "in", value_name = "SCOPE")]
    #[serde(rename = "in")]
    pub within: Option<String>,
    /// Continue after the object with this id
    #[arg(long, value_name = "ID")]
    pub after: Option<String>,
    /// The most to list
    #[arg(long, value_name = "N")]
    pub limit: Option<i64>,
}

impl Run for Objects {
    type Answer = ObjectsAnswer;

    fn run(&self, session: &Session) -> Result<Output<ObjectsAnswer>, Failure> {
        let request = ObjectsRequest {
            of_type: self.of_type.clone(),
            within: self.within.clone(),
            after: self.after.clone(),
            limit: self.limit,
        };
        let answer = session.engine()?.objects(&session.caller(), &request)?;
        let rows = answer.objects.iter().map(|it| {
            let versions = it.versions.to_string();
            let row = [&it.name, &it.of_type, &versions, &it.changed_at, &it.id];
            row.map(|cell| cell.to_string()).to_vec()
        });
        let mut text = match answer.objects.is_empty() {
            true => "No objects.\n".to_string(),
            false => table(session, &["name", "type", "versions", "changed", "id"], rows.collect()),
        };
        if let Some(next) = &answer.next {
            let after = session.interface().argument("--after", "after");
            text += &format!("More: {after} {next}\n");
        }
        Ok(Output::new(text, answer))
    }
}
