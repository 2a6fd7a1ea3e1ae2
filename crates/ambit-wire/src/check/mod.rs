//! Checks a request against the provider's published rules. This shares only the formats' names
//! with the code that composes requests: each can reveal errors of the other.

mod anthropic;
mod openai;
mod responses;

use crate::json::{Json, Map};
use serde::Serialize;

use crate::Format;

/// A violation of a rule: the provider would refuse the request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Fault {
    /// The path of the violation, such as `messages[3].content[0]`.
    pub at: String,
    /// The rule's id.
    pub rule: &'static str,
    pub message: String,
    pub hint: &'static str,
}

/// One rule of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    pub id: &'static str,
    /// The requirement, in a sentence.
    pub says: &'static str,
    /// How to fix a violation.
    pub hint: &'static str,
}

/// Returns all rules of a format, in the order of the docs.
pub fn rules(format: Format) -> &'static [Rule] {
    match format {
        Format::Openai => openai::RULES,
        Format::Responses => responses::RULES,
        Format::Anthropic => anthropic::RULES,
    }
}

/// Returns what a provider would refuse in a request: its whole body, the bare list of its
/// messages, or the answer of `compose`. Runs in linear time.
pub fn check(format: Format, request: &Json) -> Vec<Fault> {
    let mut faults = Faults { rules: rules(format), found: Vec::new() };
    let request = RequestBody::of(format, request);
    match format {
        Format::Openai => openai::check(&request, &mut faults),
        Format::Responses => responses::check(&request, &mut faults),
        Format::Anthropic => anthropic::check(&request, &mut faults),
    }
    faults.found
}

/// Returns the number of messages or items of a request.
pub fn count(format: Format, request: &Json) -> usize {
    match RequestBody::of(format, request).list {
        Some(Json::Array(list)) => list.len(),
        Some(Json::String(_)) => 1,
        _ => 0,
    }
}

/// Detects the format of a request.
pub fn detect(request: &Json) -> Format {
    let body = body(request);
    // A composition names its format.
    let said = body.and_then(|body| body.get("format")?.as_str());
    if let Some(format) = said.and_then(Format::parse) {
        return format;
    }
    if body.is_some_and(|body| body.contains_key("input")) {
        return Format::Responses;
    }
    if body.and_then(|body| body.get("system")).is_some_and(|it| !it.is_null()) {
        return Format::Anthropic;
    }
    let list = body.and_then(|body| body.get("messages")).unwrap_or(request);
    for message in list.as_array().into_iter().flatten() {
        if text(message, "type").is_some() {
            return Format::Responses;
        }
        let blocks = message.get("content").and_then(Json::as_array).into_iter().flatten();
        for block in blocks {
            match text(block, "type") {
                Some("input_text" | "output_text" | "input_image" | "input_file") => {
                    return Format::Responses;
                }
                Some("tool_use" | "tool_result" | "thinking" | "redacted_thinking") => {
                    return Format::Anthropic;
                }
                Some("image" | "document") => return Format::Anthropic,
                _ => {}
            }
        }
    }
    Format::Openai
}

/// Returns the body of a request, without the envelope of an answer.
fn body(request: &Json) -> Option<&Map> {
    let body = request.as_object()?;
    let within = body.get("result").and_then(Json::as_object);
    Some(within.filter(|_| body.contains_key("ok")).unwrap_or(body))
}

/// A request, from any of the accepted inputs.
struct RequestBody<'a> {
    /// `None` for a bare list of messages.
    body: Option<&'a Map>,
    /// The field with the list of messages.
    name: &'static str,
    list: Option<&'a Json>,
}

impl<'a> RequestBody<'a> {
    fn of(format: Format, request: &'a Json) -> RequestBody<'a> {
        let usual = if format == Format::Responses { "input" } else { "messages" };
        let Some(body) = body(request) else {
            let list = request.is_array().then_some(request);
            return RequestBody { body: None, name: usual, list };
        };
        // The answer of `compose` uses `messages` for every format.
        match body.get(usual) {
            None => RequestBody { body: Some(body), name: "messages", list: body.get("messages") },
            list => RequestBody { body: Some(body), name: usual, list },
        }
    }

    /// Returns a field of the body, unless it is missing or null.
    fn field(&self, name: &str) -> Option<&'a Json> {
        self.body?.get(name).filter(|value| !value.is_null())
    }
}

/// A path in a request. Its text is only built for a violation.
#[derive(Clone, Copy)]
struct Path<'a> {
    parent: Option<&'a Path<'a>>,
    step: Step,
}

#[derive(Clone, Copy)]
enum Step {
    Field(&'static str),
    Index(usize),
}

impl<'a> Path<'a> {
    fn root(name: &'static str) -> Path<'static> {
        Path { parent: None, step: Step::Field(name) }
    }

    fn field(&'a self, name: &'static str) -> Path<'a> {
        Path { parent: Some(self), step: Step::Field(name) }
    }

    fn index(&'a self, index: usize) -> Path<'a> {
        Path { parent: Some(self), step: Step::Index(index) }
    }

    fn path(&self) -> String {
        let before = self.parent.map(Path::path).unwrap_or_default();
        match self.step {
            Step::Field(name) if before.is_empty() => name.to_string(),
            Step::Field(name) => format!("{before}.{name}"),
            Step::Index(index) => format!("{before}[{index}]"),
        }
    }
}

/// The violations found so far.
struct Faults {
    rules: &'static [Rule],
    found: Vec<Fault>,
}

impl Faults {
    fn add(&mut self, at: &Path<'_>, rule: &'static str, message: impl Into<String>) {
        let hint = self.rules.iter().find(|known| known.id == rule).map_or("", |known| known.hint);
        self.found.push(Fault { at: at.path(), rule, message: message.into(), hint });
    }

    /// Returns the list of messages, if it is a list and not empty.
    fn list<'a>(&mut self, request: &RequestBody<'a>) -> &'a [Json] {
        let at = Path::root(request.name);
        match request.list {
            Some(Json::Array(list)) if list.is_empty() => {
                self.add(&at, "empty", "there are no messages");
                &[]
            }
            Some(Json::Array(list)) => list,
            Some(other) => {
                self.add(&at, "shape", format!("this is {}, not a list of messages", kind(other)));
                &[]
            }
            None => {
                self.add(&at, "shape", "there is no list of messages");
                &[]
            }
        }
    }

    /// Returns a field that must be a string.
    fn string<'a>(
        &mut self,
        at: &Path<'_>,
        rule: &'static str,
        object: &'a Json,
        field: &'static str,
    ) -> Option<&'a str> {
        let found = text(object, field);
        if found.is_none() {
            let is = object.get(field).map_or("missing", kind);
            self.add(&at.field(field), rule, format!("{field} is {is}, not a string"));
        }
        found
    }

    /// Checks the name of a tool.
    fn name(&mut self, at: &Path<'_>, object: &Json, longest: usize) {
        let Some(name) = self.string(at, "call-name", object, "name") else { return };
        let known = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        let chars = name.chars().count();
        if chars == 0 || chars > longest {
            let message = format!("a name of {chars} characters; 1 to {longest} are allowed");
            self.add(&at.field("name"), "call-name", message);
        } else if let Some(c) = name.chars().find(|c| !known(*c)) {
            let message = format!("the name {} has the character {c:?}", quoted(name));
            self.add(&at.field("name"), "call-name", message);
        }
    }
}

/// Returns a field's string.
fn text<'a>(object: &'a Json, field: &str) -> Option<&'a str> {
    object.get(field).and_then(Json::as_str)
}

/// Describes the type of a value.
fn kind(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "true or false",
        Json::Number(_) => "a number",
        Json::String(_) => "a string",
        Json::Array(_) => "a list",
        Json::Object(_) => "an object",
    }
}

/// The longest quote from a request in a message.
const QUOTED_CHARS_MAX: usize = 48;

fn quoted(text: &str) -> String {
    let mut head: String = text.chars().take(QUOTED_CHARS_MAX).collect();
    if head.len() < text.len() {
        head.push('…');
    }
    format!("{head:?}")
}
