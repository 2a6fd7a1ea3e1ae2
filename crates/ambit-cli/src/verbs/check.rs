//! `check`: what a provider would refuse in a request.

use std::io::Read;

use ambit::{Format, Kind, REQUEST_BYTES_MAX, check_request};
use clap::{Args, ValueHint};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::failure::Failure;
use crate::output::{Output, clean, counted, style, table};
use crate::session::Session;

/// Check a request by its provider's published rules; needs no store and changes nothing
///
/// A file holds the JSON of a whole request, the list of its messages or items, or what
/// `ambit compose --json` printed. docs/checking.md lists the rules.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n\
\x20 ambit check request.json\n\
\x20 ambit check request.json --format anthropic --json\n\
\x20 ambit compose --json | ambit check -")]
pub struct Check {
    /// The request; - is standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    #[serde(skip)]
    pub file: String,
    /// The request's body, with its messages
    #[arg(skip)]
    #[serde(deserialize_with = "given")]
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    pub request: Option<String>,
    /// How it is written [default: seen from its shape]
    #[arg(long, value_parser = Format::WORDS)]
    #[schemars(extend("enum" = Format::WORDS))]
    pub format: Option<String>,
}

impl Check {
    pub fn run(&self, _session: &Session) -> Result<Output, Failure> {
        let format = self.format.as_deref().and_then(Format::parse);
        let answer = check_request(&self.read()?, format)?;
        let messages = counted(answer.messages, "message");
        let (red, green, off) = (style::RED, style::GREEN, style::OFF);
        if answer.ok {
            let text = format!(
                "{green}{messages}{off}, nothing to complain about (as {}).\n",
                answer.format
            );
            return Output::new(&answer, text);
        }
        let found = counted(answer.faults.len() as i64, "fault");
        let mut text = format!("{red}{found}{off} in {messages} (as {}):\n", answer.format);
        let rows = answer
            .faults
            .iter()
            .map(|fault| vec![fault.at.clone(), fault.rule.to_string(), fault.message.clone()]);
        text += &table(&["where", "rule", "what"], rows.collect());
        let mut told = Vec::new();
        for fault in &answer.faults {
            if !told.contains(&fault.rule) {
                told.push(fault.rule);
                text += &format!("{}: {}\n", fault.rule, clean(fault.hint));
            }
        }
        Ok(Output::new(&answer, text)?.alarming(Kind::Refused))
    }

    fn read(&self) -> Result<Vec<u8>, Failure> {
        if let Some(request) = &self.request {
            return Ok(request.clone().into_bytes());
        }
        let failed = |error: std::io::Error| Failure {
            kind: match error.kind() {
                std::io::ErrorKind::NotFound => Kind::NotFound,
                _ => Kind::Usage,
            },
            message: format!("{}: {error}", self.file),
            hint: "give a file with the JSON of a request, or - for standard input".into(),
        };
        let source: Box<dyn Read> = match self.file.as_str() {
            "-" => Box::new(std::io::stdin().lock()),
            path => Box::new(std::fs::File::open(path).map_err(failed)?),
        };
        // One byte more shows that there is too much.
        let mut bytes = Vec::new();
        source.take(REQUEST_BYTES_MAX as u64 + 1).read_to_end(&mut bytes).map_err(failed)?;
        Ok(bytes)
    }
}

/// A request that came as data: as it is spelt, so that it is read in one way.
fn given<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    Ok(Some(Box::<RawValue>::deserialize(from)?.get().to_string()))
}
