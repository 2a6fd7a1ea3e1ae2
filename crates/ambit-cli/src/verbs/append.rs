//! `append`: messages, from the command line, a file or standard input.

use std::io::Read;
use std::path::Path;

use ambit::{Format, Kind, MessageSource, Source, parse_messages};
use clap::{Args, ValueHint};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::json;
use serde_json::value::RawValue;

use super::Keyed;
use crate::failure::Failure;
use crate::output::{Output, clean, counted, grouped, warned};
use crate::progress;
use crate::session::Session;

/// Append messages to the current scope, all or none
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n\
\x20 ambit append --role user \"why does login time out?\"\n\
\x20 ambit append --role tool --tool-call-id call_1 \"exit 0\"\n\
\x20 ambit append -  < conversation.jsonl\n\
\x20 ambit append conversation.json\n\
\x20 ambit append --format anthropic request.json\n\
\x20 ambit append --format pi session.jsonl")]
pub struct Append {
    /// With --role: the text. Else a file of JSON lines or one JSON array. - is standard input
    #[arg(value_name = "TEXT|FILE", allow_hyphen_values = true, value_hint = ValueHint::FilePath)]
    #[serde(skip)]
    pub input: String,
    /// One message with this role: system, developer, user, assistant or tool
    #[arg(long, value_name = "ROLE")]
    #[serde(skip)]
    pub role: Option<String>,
    /// The call that a tool's message answers
    #[arg(long, value_name = "ID", requires = "role")]
    #[serde(skip)]
    pub tool_call_id: Option<String>,
    /// How the messages are written: a provider's format, a session of pi, a run of tau-bench
    #[arg(long, value_name = "FORMAT", value_parser = Source::WORDS, default_value = "openai")]
    #[serde(default = "super::openai")]
    #[schemars(extend("enum" = Format::WORDS), description = "Their format")]
    pub format: String,
    /// With --format tau: which run of the file, from 1 on
    #[arg(long, value_name = "NUMBER")]
    #[serde(skip)]
    pub run: Option<usize>,
    /// Messages, as the model's provider has them
    #[arg(skip)]
    #[serde(deserialize_with = "given")]
    #[schemars(with = "Vec<serde_json::Map<String, serde_json::Value>>")]
    pub messages: Option<String>,
    /// Refuse if the scope's head is another by now
    #[arg(long, value_name = "SEQ")]
    pub expect_head: Option<i64>,
    #[command(flatten)]
    #[serde(flatten)]
    pub keyed: Keyed,
}

/// The most that is read from a file or standard input.
const INPUT_BYTES_MAX: u64 = 4 << 30;

/// Below this no progress is shown: it is over in a moment.
const LARGE_BYTES: usize = 1 << 20;

impl Append {
    pub fn run(&self, session: &Session) -> Result<Output, Failure> {
        let mut caller = self.keyed.caller(session);
        caller.expect_head = self.expect_head;
        let engine = session.engine()?;
        let messages = self.messages()?;
        let waiting = (messages.len() > 1_000).then(|| {
            progress::spinner(format!("storing {} messages", grouped(messages.len() as i64)))
        });
        let answer = engine.append(&caller, messages);
        if let Some(bar) = waiting {
            bar.finish_and_clear();
        }
        let answer = answer?;
        let mut text = format!(
            "Appended {} to {} ({} tokens, head {}).\n",
            counted(answer.appended, "message"),
            clean(&answer.scope),
            grouped(answer.tokens),
            answer.head,
        );
        text += &warned(&answer.warnings);
        Output::new(&answer, text)
    }

    fn messages(&self) -> Result<MessageSource, Failure> {
        if let Some(messages) = &self.messages {
            return Ok(parse_messages(messages.as_bytes(), self.source()?, &|_| {})?);
        }
        if let Some(role) = &self.role {
            if self.tool_call_id.is_some() && role != "tool" {
                return Err(Failure::usage(
                    format!("a message of role {role:?} answers no call"),
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
        let bar = progress::bytes("counting tokens", bytes.len() as u64);
        let messages = parse_messages(&bytes, source, &|done| bar.set_position(done));
        bar.finish_and_clear();
        Ok(messages?)
    }
}

impl Append {
    fn source(&self) -> Result<Source, Failure> {
        match (Source::parse(&self.format), self.run) {
            (Some(Source::Tau(_)), run) => Ok(Source::Tau(run)),
            (Some(source), None) => Ok(source),
            (Some(_), Some(_)) => {
                Err(Failure::usage("there is no run to choose", "--run goes with --format tau"))
            }
            (None, _) => Err(Failure::usage(
                format!("{:?} is no format", self.format),
                "it is openai, responses, anthropic, pi or tau",
            )),
        }
    }
}

/// Messages that came as data: as they are spelt, so that they are read in one way.
fn given<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    Ok(Some(Box::<RawValue>::deserialize(from)?.get().to_string()))
}

fn utf8(bytes: Vec<u8>) -> Result<String, Failure> {
    String::from_utf8(bytes)
        .map_err(|_| Failure::usage("the input is not UTF-8", "convert it to UTF-8 first"))
}

fn read(input: &str) -> Result<Vec<u8>, Failure> {
    let failed = |error: std::io::Error| Failure {
        kind: match error.kind() {
            std::io::ErrorKind::NotFound => Kind::NotFound,
            _ => Kind::Usage,
        },
        message: format!("{input}: {error}"),
        hint: "give a file of messages, - for standard input, or --role ROLE TEXT".into(),
    };
    let mut bytes = Vec::new();
    let source: Box<dyn Read> = match input {
        "-" => Box::new(std::io::stdin().lock()),
        path => Box::new(std::fs::File::open(Path::new(path)).map_err(failed)?),
    };
    source.take(INPUT_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > INPUT_BYTES_MAX {
        return Err(Failure {
            kind: Kind::Refused,
            message: format!("the input has more than {INPUT_BYTES_MAX} bytes"),
            hint: "append it in several calls".into(),
        });
    }
    Ok(bytes)
}
