//! `append`: messages, from the command line, a file or standard input.

use std::path::Path;

use ambit::{AppendAnswer, Format, Kind, MessageSource, Source, parse_messages};
use clap::{Args, ValueHint};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::Keyed;
use crate::failure::Failure;
use crate::files;
use crate::output::Output;
use crate::session::{Progress, Session};
use crate::table::Run;
use crate::text::{clean, counted, grouped, warned};

/// Append messages to the current scope: all of them, or nothing on an error
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n\
\x20 ambit append --role user \"why does login time out?\"\n\
\x20 ambit append --role tool --tool-call-id call_1 \"exit 0\"\n\
\x20 ambit append -  < conversation.jsonl\n\
\x20 ambit append conversation.json\n\
\x20 ambit append --format anthropic request.json\n\
\x20 ambit append --format pi session.jsonl")]
pub struct Append {
    /// With --role, the text; otherwise a file of JSON lines or one JSON array (-: standard input)
    #[arg(value_name = "TEXT|FILE", allow_hyphen_values = true, value_hint = ValueHint::FilePath)]
    #[serde(skip)]
    pub input: String,
    /// Append one message with this role: system, developer, user, assistant or tool
    #[arg(long, value_name = "ROLE")]
    #[serde(skip)]
    pub role: Option<String>,
    /// The id of the tool call that this message answers
    #[arg(long, value_name = "ID", requires = "role")]
    #[serde(skip)]
    pub tool_call_id: Option<String>,
    /// The input's format: a provider's messages, a pi session, or tau-bench runs
    #[arg(long, value_name = "FORMAT", value_parser = Source::WORDS, default_value = "openai")]
    #[serde(default = "super::openai")]
    #[schemars(extend("enum" = Format::WORDS), description = "Their format")]
    pub format: String,
    /// With --format tau: the number of the run in the file, counted from 1
    #[arg(long, value_name = "NUMBER")]
    #[serde(skip)]
    pub run: Option<usize>,
    /// Messages in the provider's format
    #[arg(skip)]
    #[serde(deserialize_with = "super::as_spelt")]
    #[schemars(with = "Vec<serde_json::Map<String, serde_json::Value>>")]
    pub messages: Option<String>,
    /// Refuse if the scope's head is not this event
    #[arg(long, value_name = "SEQ")]
    pub expect_head: Option<i64>,
    #[command(flatten)]
    #[serde(flatten)]
    pub keyed: Keyed,
}

/// The most bytes read from a file or standard input.
const INPUT_BYTES_MAX: u64 = 4 << 30;

/// Progress is shown for more messages than this.
const MANY: usize = 1_000;

/// Smaller inputs are parsed in a moment: no progress is shown.
const LARGE_BYTES: usize = 1 << 20;

impl Run for Append {
    type Answer = AppendAnswer;

    fn run(&self, session: &Session) -> Result<Output<AppendAnswer>, Failure> {
        let mut caller = self.keyed.caller(session);
        caller.expect_head = self.expect_head;
        let engine = session.engine()?;
        let messages = self.messages(session)?;
        if messages.len() > MANY {
            let what = format!("storing {} messages", grouped(messages.len() as i64));
            session.report(Progress::Working(&what));
        }
        let answer = engine.append(&caller, messages)?;
        let mut text = format!(
            "Appended {} to {} ({} tokens, head {}).\n",
            counted(answer.appended, "message"),
            clean(&answer.scope),
            grouped(answer.tokens),
            answer.head,
        );
        text += &warned(&answer.warnings);
        Ok(Output::new(text, answer))
    }
}

impl Append {
    fn messages(&self, session: &Session) -> Result<MessageSource, Failure> {
        if let Some(messages) = &self.messages {
            return Ok(parse_messages(messages.as_bytes(), self.source()?, &|_| {})?);
        }
        if let Some(role) = &self.role {
            if self.tool_call_id.is_some() && role != "tool" {
                return Err(Failure::usage(
                    format!("a message with role {role:?} cannot answer a call"),
                    "--tool-call-id goes with --role tool",
                ));
            }
            let mut message = json!({"role": role});
            if let Some(id) = &self.tool_call_id {
                message["tool_call_id"] = json!(id);
            }
            message["content"] = match self.input.as_str() {
                "-" => json!(utf8(read("-")?)?),
                text => json!(text),
            };
            let text = message.to_string();
            return Ok(parse_messages(text.as_bytes(), Source::default(), &|_| {})?);
        }
        let source = self.source()?;
        let bytes = read(&self.input)?;
        if bytes.len() < LARGE_BYTES {
            return Ok(parse_messages(&bytes, source, &|_| {})?);
        }
        let (what, total) = ("counting tokens", bytes.len() as u64);
        let report = |done| session.report(Progress::Bytes { what, done, total });
        Ok(parse_messages(&bytes, source, &report)?)
    }

    fn source(&self) -> Result<Source, Failure> {
        match (Source::parse(&self.format), self.run) {
            (Some(Source::Tau(_)), run) => Ok(Source::Tau(run)),
            (Some(source), None) => Ok(source),
            (Some(_), Some(_)) => Err(Failure::usage(
                "cannot choose a run: the format is not tau",
                "add --format tau",
            )),
            (None, _) => Err(Failure::usage(
                format!("invalid format {:?}", self.format),
                "expected openai, responses, anthropic, pi or tau",
            )),
        }
    }
}

fn utf8(bytes: Vec<u8>) -> Result<String, Failure> {
    String::from_utf8(bytes)
        .map_err(|_| Failure::usage("the input is not UTF-8", "convert it to UTF-8 first"))
}

fn read(input: &str) -> Result<Vec<u8>, Failure> {
    let hint = "give a file of messages, - for standard input, or --role ROLE TEXT";
    let bytes = files::read(Path::new(input), INPUT_BYTES_MAX, hint)?;
    if bytes.len() as u64 > INPUT_BYTES_MAX {
        let message = format!("cannot append more than {INPUT_BYTES_MAX} bytes at once");
        return Err(Failure::new(Kind::Refused, message, "append it in several calls"));
    }
    Ok(bytes)
}
