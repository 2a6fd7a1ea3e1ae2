//! `put`: an object, or its next version.

use std::path::{Path, PathBuf};

use ambit::{DeltaLine, PutLine, PutRequest};
use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Keyed;
use crate::failure::Failure;
use crate::files;
use crate::output::Output;
use crate::session::Session;
use crate::table::Run;
use crate::text::{clean, warned};
use crate::words::Interface;

/// Store an object: a new one, or the next version of an existing one
///
/// The answer lists what was in mind when the change began. A new object belongs to the primary
/// scope, or to the one that --into names.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n\
\x20 ambit put --name plan.md --content \"1. look\"\n\
\x20 ambit put --name src/login.rs --type file --file src/login.rs\n\
\x20 git diff | ambit put --name last.diff --file -\n\
\x20 ambit put --id obj_0192… --content \"2. fix\"")]
pub struct Put {
    /// The object's name; writes the next version if it exists
    #[arg(long, value_name = "NAME", required_unless_present = "id", conflicts_with = "id")]
    pub name: Option<String>,
    /// The id of an existing object
    #[arg(long, value_name = "ID")]
    pub id: Option<String>,
    /// The object's type: any word, such as artifact, contact, schema
    #[arg(long = "type", value_name = "TYPE")]
    #[serde(rename = "type")]
    pub of_type: Option<String>,
    /// The text
    #[arg(
        long,
        value_name = "TEXT",
        required_unless_present = "file",
        conflicts_with = "file",
        allow_hyphen_values = true
    )]
    pub content: Option<String>,
    /// Read the text from this file; - is standard input
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    pub file: Option<PathBuf>,
    /// The scope of a new object [default: the primary scope]
    #[arg(long, value_name = "SCOPE")]
    pub into: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub keyed: Keyed,
}

impl Run for Put {
    type Answer = PutLine;

    fn run(&self, session: &Session) -> Result<Output<PutLine>, Failure> {
        let object = match (&self.name, &self.id) {
            (Some(name), None) => name.clone(),
            (None, Some(id)) if id.starts_with("obj_") => id.clone(),
            (None, Some(id)) => {
                let hint = "an id begins with obj_; give a name as `name`";
                return Err(Failure::usage(format!("invalid object id {id:?}"), hint));
            }
            _ => {
                let hint = "name a new object with a name, an existing one with its name or id";
                return Err(Failure::usage("either a name or an id", hint));
            }
        };
        let text = match (&self.content, &self.file) {
            (Some(content), None) => content.clone(),
            (None, Some(file)) => text_of(file)?,
            _ => return Err(Failure::usage("there is no text", "give one with content")),
        };
        let (of_type, into) = (self.of_type.clone(), self.into.clone());
        let request = PutRequest { object, of_type, text, into };
        let answer = session.engine()?.put(&self.keyed.caller(session), &request)?;
        let text = format!(
            "Put {} ({}), version {}: {}\n{}",
            clean(&answer.name),
            clean(&answer.of_type),
            answer.version,
            answer.id,
            in_mind(answer.delta.as_ref(), answer.event, session.interface()),
        );
        Ok(Output::new(text + &warned(&answer.warnings), answer))
    }
}

/// What a change had in mind, and how to ask for it.
pub fn in_mind(delta: Option<&DeltaLine>, event: i64, to: Interface) -> String {
    let Some(things) = delta.map(|delta| delta.context.len()) else {
        return String::new();
    };
    let why = to.either(&format!("`ambit why {event}`"), &format!("`why` of event {event}"));
    match things {
        0 => "Nothing was in mind.\n".to_string(),
        1 => format!("1 thing was in mind: {why} tells.\n"),
        _ => format!("{things} things were in mind: {why} tells.\n"),
    }
}

fn text_of(file: &Path) -> Result<String, Failure> {
    let hint = "name a file that can be read, or - for standard input";
    let text = files::read_text(file, u64::MAX - 1, hint);
    text.map_err(|failure| Failure::usage(failure.message, hint))
}
