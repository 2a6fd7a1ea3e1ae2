//! `check`: what a provider would refuse in a request.

use std::path::Path;

use ambit::{CheckAnswer, Format, Kind, REQUEST_BYTES_MAX, check_request};
use clap::{Args, ValueHint};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::failure::Failure;
use crate::files;
use crate::output::Output;
use crate::session::Session;
use crate::table::Run;
use crate::text::{clean, counted, style, table};

/// Check a request against its provider's published rules; needs no store
///
/// The file holds the JSON of a whole request, the list of its messages or items, or the output
/// of `ambit compose --json`. docs/checking.md lists the rules.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n\
\x20 ambit check request.json\n\
\x20 ambit check request.json --format anthropic --json\n\
\x20 ambit compose --json | ambit check -")]
pub struct Check {
    /// The file with the request; - is standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    #[serde(skip)]
    pub file: String,
    /// The request's body, with its messages
    #[arg(skip)]
    #[serde(deserialize_with = "super::as_spelt")]
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    pub request: Option<String>,
    /// The request's format [default: detected]
    #[arg(long, value_parser = Format::WORDS)]
    #[schemars(extend("enum" = Format::WORDS))]
    pub format: Option<String>,
}

impl Run for Check {
    type Answer = CheckAnswer;

    fn run(&self, session: &Session) -> Result<Output<CheckAnswer>, Failure> {
        let format = self.format.as_deref().and_then(Format::parse);
        let answer = check_request(&self.read()?, format)?;
        let messages = counted(answer.messages, "message");
        let (red, green, off) = (style::RED, style::GREEN, style::OFF);
        if answer.ok {
            let text = format!("{green}{messages}{off}, no faults (as {}).\n", answer.format);
            return Ok(Output::new(text, answer));
        }
        let found = counted(answer.faults.len() as i64, "fault");
        let mut text = format!("{red}{found}{off} in {messages} (as {}):\n", answer.format);
        let rows = answer
            .faults
            .iter()
            .map(|fault| vec![fault.at.clone(), fault.rule.to_string(), fault.message.clone()]);
        text += &table(session, &["where", "rule", "what"], rows.collect());
        let mut shown = Vec::new();
        for fault in &answer.faults {
            if !shown.contains(&fault.rule) {
                shown.push(fault.rule);
                text += &format!("{}: {}\n", fault.rule, clean(fault.hint));
            }
        }
        Ok(Output::new(text, answer).alarming(Kind::Refused))
    }
}

impl Check {
    fn read(&self) -> Result<Vec<u8>, Failure> {
        if let Some(request) = &self.request {
            return Ok(request.clone().into_bytes());
        }
        let hint = "give a file with the JSON of a request, or - for standard input";
        files::read(Path::new(&self.file), REQUEST_BYTES_MAX as u64, hint)
    }
}
