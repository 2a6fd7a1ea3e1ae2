//! The rules of OpenAI Chat Completions, from its API reference, its OpenAPI description, and the
//! errors of the service (the length of ids).

use std::collections::HashMap;

use crate::json::Json;

use super::{Faults, Path, RequestBody, Rule, kind, quoted, text};

/// The service: "Expected a string with maximum length 40".
const CALL_ID_CHARS_MAX: usize = 40;
const NAME_CHARS_MAX: usize = 64;

pub const RULES: &[Rule] = &[
    Rule {
        id: "shape",
        says: "`messages` is a list of objects.",
        hint: "give {\"messages\": [{\"role\": \"user\", \"content\": \"…\"}]}",
    },
    Rule { id: "empty", says: "There is at least one message.", hint: "add a user message" },
    Rule {
        id: "role",
        says: "A role is developer, system, user, assistant, tool or function.",
        hint: "use one of the known roles",
    },
    Rule {
        id: "content",
        says: "Content is a string or a list of at least one part; only the assistant's may be \
               null or missing.",
        hint: "give a string, or leave the message out",
    },
    Rule {
        id: "no-content",
        says: "A message of the assistant has content, tool calls, a refusal, audio or a function \
               call.",
        hint: "leave the message out, or give it a content",
    },
    Rule {
        id: "part-role",
        says: "Parts are text everywhere; image_url, input_audio and file from the user; refusal \
               from the assistant.",
        hint: "move the part into a message of the user, or say it in text",
    },
    Rule {
        id: "part-shape",
        says: "A part is an object with a type and the fields that the type requires.",
        hint: "see the part's type in the API reference",
    },
    Rule {
        id: "calls-role",
        says: "Only the assistant has tool_calls, and only a tool has tool_call_id.",
        hint: "remove the field, or fix the role",
    },
    Rule {
        id: "calls-empty",
        says: "tool_calls, if present, is a list of at least one call.",
        hint: "leave out an empty tool_calls",
    },
    Rule {
        id: "call-shape",
        says: "A call has the type function, with a function of name and arguments, or custom, \
               with name and input; arguments and input are strings.",
        hint: "write arguments as a string of JSON, not as an object",
    },
    Rule {
        id: "call-id",
        says: "A call's id is a string of 1 to 40 characters.",
        hint: "give the call, and its reply, a shorter id",
    },
    Rule {
        id: "call-name",
        says: "A tool's name has 1 to 64 letters, digits, underscores and dashes.",
        hint: "rename the tool",
    },
    Rule {
        id: "call-twice",
        says: "Ids differ within one message's calls.",
        hint: "give each call a distinct id",
    },
    Rule {
        id: "reply-id",
        says: "A message of a tool names its call in tool_call_id.",
        hint: "set tool_call_id to the id of the call that it answers",
    },
    Rule {
        id: "orphan-reply",
        says: "A message of a tool answers a call of the assistant's message right before, with \
               nothing but other replies in between.",
        hint: "put it directly after its call, or leave it out",
    },
    Rule {
        id: "answered-twice",
        says: "Each call is answered once.",
        hint: "leave out all replies but one",
    },
    Rule {
        id: "unanswered",
        says: "Every call is answered before any other message and before the request ends.",
        hint: "add the missing reply, or take the call out",
    },
    Rule {
        id: "function-name",
        says: "A message of role function (deprecated) names the function.",
        hint: "use tool calls, or give the message a name",
    },
];

pub fn check(request: &RequestBody<'_>, faults: &mut Faults) {
    let root = Path::root(request.name);
    let mut open = Batch::default();
    for (index, message) in faults.list(request).iter().enumerate() {
        let at = root.index(index);
        if !message.is_object() {
            faults.add(&at, "shape", format!("a message is {}, not an object", kind(message)));
            continue;
        }
        let role = match text(message, "role") {
            Some(role) => role,
            None => {
                faults.add(&at, "role", "the message has no role");
                continue;
            }
        };
        if role == "tool" {
            reply(message, &at, &mut open, faults);
        } else {
            open.close(&root, faults);
        }
        fields(message, role, &at, faults);
        match role {
            "assistant" => open = assistant(message, index, &at, faults),
            "developer" | "system" | "user" | "tool" => {
                content(message, role, &at, faults);
            }
            "function" => function(message, &at, faults),
            _ => faults.add(&at, "role", format!("the role {} is unknown", quoted(role))),
        }
    }
    open.close(&root, faults);
}

/// The calls of the assistant's last message, and which of them were answered.
#[derive(Default)]
struct Batch<'a> {
    message: usize,
    calls: Vec<(usize, &'a str)>,
    answered: HashMap<&'a str, bool>,
}

impl Batch<'_> {
    fn close(&mut self, root: &Path<'_>, faults: &mut Faults) {
        let message = root.index(self.message);
        let calls = message.field("tool_calls");
        for (index, id) in &self.calls {
            if self.answered.get(id) == Some(&false) {
                let message = format!("nothing answers the call {}", quoted(id));
                faults.add(&calls.index(*index), "unanswered", message);
            }
        }
        *self = Batch::default();
    }
}

fn reply(message: &Json, at: &Path<'_>, open: &mut Batch<'_>, faults: &mut Faults) {
    let Some(id) = faults.string(at, "reply-id", message, "tool_call_id") else { return };
    match open.answered.get_mut(id) {
        None => {
            let message = format!("no call right before it has the id {}", quoted(id));
            faults.add(at, "orphan-reply", message);
        }
        Some(answered) if *answered => {
            faults.add(at, "answered-twice", format!("{} was answered before", quoted(id)));
        }
        Some(answered) => *answered = true,
    }
}

fn fields(message: &Json, role: &str, at: &Path<'_>, faults: &mut Faults) {
    for (field, owner) in [("tool_calls", "assistant"), ("tool_call_id", "tool")] {
        if role != owner && message.get(field).is_some() {
            let message = format!("a message of role {} has {field}", quoted(role));
            faults.add(&at.field(field), "calls-role", message);
        }
    }
}

fn assistant<'a>(message: &'a Json, index: usize, at: &Path<'_>, faults: &mut Faults) -> Batch<'a> {
    let there = |field: &str| message.get(field).is_some_and(|value| !value.is_null());
    let batch = match message.get("tool_calls") {
        None => Batch::default(),
        Some(Json::Array(list)) if !list.is_empty() => {
            calls(list, index, &at.field("tool_calls"), faults)
        }
        Some(other) => {
            let is = if other.is_array() { "an empty list" } else { kind(other) };
            faults.add(&at.field("tool_calls"), "calls-empty", format!("tool_calls is {is}"));
            Batch::default()
        }
    };
    if there("content") {
        content(message, "assistant", at, faults);
    } else if !["tool_calls", "refusal", "audio", "function_call"].into_iter().any(there) {
        faults.add(at, "no-content", "the assistant's message has no content");
    }
    if let Some(call) = message.get("function_call").filter(|call| !call.is_null()) {
        let at = at.field("function_call");
        faults.name(&at, call, NAME_CHARS_MAX);
        faults.string(&at, "call-shape", call, "arguments");
    }
    batch
}

fn calls<'a>(list: &'a [Json], index: usize, at: &Path<'_>, faults: &mut Faults) -> Batch<'a> {
    let mut batch = Batch { message: index, ..Batch::default() };
    for (index, call) in list.iter().enumerate() {
        let at = at.index(index);
        let (body, input) = match text(call, "type") {
            Some("function") => ("function", "arguments"),
            Some("custom") => ("custom", "input"),
            _ => {
                let is = call.get("type").map_or("missing".into(), |is| quoted(&is.to_string()));
                let message = format!("the call's type is {is}, not function or custom");
                faults.add(&at.field("type"), "call-shape", message);
                ("function", "arguments")
            }
        };
        match call.get(body).filter(|body| body.is_object()) {
            Some(object) => {
                let at = at.field(body);
                faults.name(&at, object, NAME_CHARS_MAX);
                faults.string(&at, "call-shape", object, input);
            }
            None => faults.add(&at, "call-shape", format!("the call has no {body}")),
        }
        let Some(id) = faults.string(&at, "call-id", call, "id") else { continue };
        let chars = id.chars().count();
        if chars == 0 || chars > CALL_ID_CHARS_MAX {
            let message =
                format!("an id of {chars} characters; 1 to {CALL_ID_CHARS_MAX} are allowed");
            faults.add(&at.field("id"), "call-id", message);
        }
        if batch.answered.insert(id, false).is_some() {
            let message = format!("a call before has the id {} too", quoted(id));
            faults.add(&at.field("id"), "call-twice", message);
        } else {
            batch.calls.push((index, id));
        }
    }
    batch
}

fn content(message: &Json, role: &str, at: &Path<'_>, faults: &mut Faults) {
    let at = at.field("content");
    let parts = match message.get("content") {
        Some(Json::String(_)) => return,
        Some(Json::Array(parts)) if !parts.is_empty() => parts,
        other => {
            let is = match other {
                None => "missing",
                Some(Json::Array(_)) => "an empty list",
                Some(other) => kind(other),
            };
            faults.add(&at, "content", format!("the content is {is}"));
            return;
        }
    };
    for (index, one) in parts.iter().enumerate() {
        part(one, role, &at.index(index), faults);
    }
}

fn part(part: &Json, role: &str, at: &Path<'_>, faults: &mut Faults) {
    let Some(sort) = text(part, "type") else {
        faults.add(at, "part-shape", "a part is an object with a type");
        return;
    };
    let fits = match sort {
        "text" => true,
        "image_url" | "input_audio" | "file" => role == "user",
        "refusal" => role == "assistant",
        _ => false,
    };
    if !fits {
        let message = format!("a part of type {} in a message of role {role}", quoted(sort));
        faults.add(at, "part-role", message);
        return;
    }
    let inner = part.get(sort).unwrap_or(&Json::Null);
    let has = |field: &str| text(inner, field).is_some();
    let expected = match sort {
        "text" | "refusal" if inner.is_string() => return,
        "image_url" if has("url") => return,
        "input_audio" if has("data") && matches!(text(inner, "format"), Some("wav" | "mp3")) => {
            return;
        }
        "file" if has("file_id") || has("file_data") => return,
        "image_url" => "an object with a url",
        "input_audio" => "an object with data, and a format of wav or mp3",
        "file" => "an object with a file_id or file_data",
        _ => "a string",
    };
    faults.add(at, "part-shape", format!("invalid {sort}: expected {expected}"));
}

fn function(message: &Json, at: &Path<'_>, faults: &mut Faults) {
    faults.string(at, "function-name", message, "name");
    if !matches!(message.get("content"), Some(Json::String(_) | Json::Null)) {
        faults.add(&at.field("content"), "content", "a function's content is a string or null");
    }
}
