//! The rules of OpenAI Responses, from its API reference, its OpenAPI description, and the errors
//! of the service (pairs of calls and outputs, items after reasoning, ids).

use std::collections::{HashMap, HashSet};

use crate::json::Json;

use super::{Faults, Path, RequestBody, Rule, kind, quoted, text};

const CALL_ID_CHARS_MAX: usize = 64;
const ITEM_ID_CHARS_MAX: usize = 64;
const NAME_CHARS_MAX: usize = 128;

pub const RULES: &[Rule] = &[
    Rule {
        id: "shape",
        says: "`input` is a string or a list of objects, each with a type or a role.",
        hint: "give {\"input\": [{\"role\": \"user\", \"content\": \"…\"}]}",
    },
    Rule {
        id: "empty",
        says: "There is an input, unless the request continues a stored response, conversation \
               or prompt.",
        hint: "add an item, such as a message of the user",
    },
    Rule {
        id: "instructions",
        says: "`instructions` is a string.",
        hint: "give one text, or put the parts into developer messages",
    },
    Rule {
        id: "role",
        says: "A message's role is user, assistant, system or developer.",
        hint: "a tool's reply is an item of type function_call_output, not a message",
    },
    Rule {
        id: "content",
        says: "A message's content is a string or a list of parts.",
        hint: "give a string, or a list of parts with types",
    },
    Rule {
        id: "part-role",
        says: "Parts are input_text, input_image and input_file from user, system and developer; \
               output_text and refusal from the assistant.",
        hint: "use input_… parts for what goes in and output_text for what the model said",
    },
    Rule {
        id: "part-shape",
        says: "A part is an object with a type and the fields that the type requires.",
        hint: "see the part's type in the API reference",
    },
    Rule {
        id: "item-id",
        says: "An item's id, where it has one, has 1 to 64 characters and begins as the service \
               writes it: msg, fc, ctc or rs.",
        hint: "leave the id out: only call_id ties a call to its output",
    },
    Rule {
        id: "item-twice",
        says: "No two items have the same id.",
        hint: "leave one of the two out",
    },
    Rule {
        id: "call-id",
        says: "A call_id is a string of 1 to 64 characters.",
        hint: "give the call, and its output, a shorter call_id",
    },
    Rule {
        id: "call-name",
        says: "A tool's name has 1 to 128 letters, digits, underscores and dashes.",
        hint: "rename the tool",
    },
    Rule {
        id: "call-shape",
        says: "A function call's arguments and a custom call's input are strings.",
        hint: "write arguments as a string of JSON, not as an object",
    },
    Rule {
        id: "call-twice",
        says: "No two calls have the same call_id.",
        hint: "give each call a distinct call_id",
    },
    Rule {
        id: "output-shape",
        says: "An output is a string or a list of input_text, input_image and input_file parts.",
        hint: "give a string",
    },
    Rule {
        id: "orphan-output",
        says: "An output comes after a call of its type with the same call_id.",
        hint: "put it after its call, or leave it out",
    },
    Rule {
        id: "answered-twice",
        says: "Each call has one output.",
        hint: "leave out all outputs but one",
    },
    Rule {
        id: "unanswered",
        says: "Every call that the caller runs has an output in the same request.",
        hint: "add the missing output, or take the call out",
    },
    Rule {
        id: "reasoning-shape",
        says: "A reasoning item has a list `summary`, and an id or encrypted_content.",
        hint: "send reasoning items back as they came",
    },
    Rule {
        id: "reasoning-alone",
        says: "A reasoning item is followed by what it led to: a message of the assistant or a \
               call.",
        hint: "leave the reasoning out where what follows it is left out",
    },
];

/// Calls that the caller runs, and the type of their outputs.
const CALLS: [(&str, &str); 6] = [
    ("function_call", "function_call_output"),
    ("custom_tool_call", "custom_tool_call_output"),
    ("computer_call", "computer_call_output"),
    ("local_shell_call", "local_shell_call_output"),
    ("shell_call", "shell_call_output"),
    ("apply_patch_call", "apply_patch_call_output"),
];

/// The prefixes of the service's item ids.
const PREFIXES: [(&str, &str); 4] =
    [("message", "msg"), ("function_call", "fc"), ("custom_tool_call", "ctc"), ("reasoning", "rs")];

pub fn check(request: &RequestBody<'_>, faults: &mut Faults) {
    if let Some(other) = request.field("instructions").filter(|value| !value.is_string()) {
        let message = format!("instructions are {}, not a string", kind(other));
        faults.add(&Path::root("instructions"), "instructions", message);
    }
    // The items that the service has stored are unknown here.
    let stored = ["previous_response_id", "conversation", "prompt"];
    let stored = stored.into_iter().any(|field| request.field(field).is_some());
    if matches!(request.list, Some(Json::String(text)) if !text.is_empty() || stored) {
        return;
    }
    let none = request.list.is_none() || request.list.and_then(Json::as_array) == Some(&vec![]);
    if stored && none {
        return;
    }
    if request.list == Some(&Json::from("")) {
        faults.add(&Path::root(request.name), "empty", "the input is an empty string");
        return;
    }
    let list = faults.list(request);
    let mut pairs = Pairs { stored, ..Pairs::default() };
    let root = Path::root(request.name);
    for (index, one) in list.iter().enumerate() {
        let at = root.index(index);
        let Some(sort) = sort(one) else {
            let is = if one.is_object() { "an item without type or role" } else { kind(one) };
            faults.add(&at, "shape", format!("this is {is}, not an item"));
            continue;
        };
        item(one, sort, &at, &mut pairs, faults);
        pairs.item(one, sort, index, &at, faults);
        if sort == "reasoning" {
            reasoning(one, &list[index + 1..], &at, faults);
        }
    }
    for (index, id) in &pairs.calls {
        if pairs.answered.get(id) == Some(&false) {
            let message = format!("the call {} has no output", quoted(id));
            faults.add(&root.index(*index), "unanswered", message);
        }
    }
}

/// Returns an item's type. An item with a role and no type is a message.
fn sort(item: &Json) -> Option<&str> {
    match item.get("type") {
        None if item.get("role").is_some() => Some("message"),
        None | Some(Json::Null) if item.get("id").is_some() => Some("item_reference"),
        Some(Json::String(sort)) => Some(sort),
        _ => None,
    }
}

fn item<'a>(item: &'a Json, sort: &str, at: &Path<'_>, pairs: &mut Pairs<'a>, faults: &mut Faults) {
    match sort {
        "message" => message(item, at, faults),
        "function_call" | "custom_tool_call" => {
            faults.name(at, item, NAME_CHARS_MAX);
            let input = if sort == "function_call" { "arguments" } else { "input" };
            faults.string(at, "call-shape", item, input);
        }
        "function_call_output" | "custom_tool_call_output" => output(item, at, faults),
        "item_reference" => {
            // An unknown item may be a call, or the result of reasoning.
            pairs.stored = true;
            return;
        }
        _ => {}
    }
    let at = at.field("id");
    match item.get("id") {
        None | Some(Json::Null) => {}
        Some(Json::String(id)) => {
            let chars = id.chars().count();
            let prefix = PREFIXES.iter().find(|(known, _)| *known == sort).map_or("", |it| it.1);
            if chars == 0 || chars > ITEM_ID_CHARS_MAX {
                let message = format!("an id of {chars} characters; 1 to 64 are allowed");
                faults.add(&at, "item-id", message);
            } else if !id.starts_with(prefix) {
                let message = format!("the id {} does not begin with {prefix}", quoted(id));
                faults.add(&at, "item-id", message);
            }
            if !pairs.ids.insert(id) {
                let message = format!("an item before has the id {} too", quoted(id));
                faults.add(&at, "item-twice", message);
            }
        }
        Some(other) => faults.add(&at, "item-id", format!("the id is {}", kind(other))),
    }
}

/// Calls and their outputs.
#[derive(Default)]
struct Pairs<'a> {
    /// Whether calls may be in stored items, which are unknown here.
    stored: bool,
    ids: HashSet<&'a str>,
    calls: Vec<(usize, &'a str)>,
    sorts: HashMap<&'a str, &'static str>,
    answered: HashMap<&'a str, bool>,
}

impl<'a> Pairs<'a> {
    fn item(
        &mut self,
        item: &'a Json,
        sort: &str,
        index: usize,
        at: &Path<'_>,
        faults: &mut Faults,
    ) {
        let call = CALLS.iter().find(|(call, _)| *call == sort);
        let output = CALLS.iter().find(|(_, output)| *output == sort);
        if call.or(output).is_none() {
            return;
        }
        // The OpenAPI description omits this field of the output.
        let field = match item.get("call_id") {
            None if sort == "local_shell_call_output" => "id",
            _ => "call_id",
        };
        let Some(id) = faults.string(at, "call-id", item, field) else { return };
        let chars = id.chars().count();
        if chars == 0 || chars > CALL_ID_CHARS_MAX {
            let message =
                format!("a call_id of {chars} characters; 1 to {CALL_ID_CHARS_MAX} are allowed");
            faults.add(&at.field("call_id"), "call-id", message);
        }
        if let Some((_, output)) = call {
            if self.sorts.insert(id, output).is_some() {
                let message = format!("a call before has the call_id {} too", quoted(id));
                faults.add(&at.field("call_id"), "call-twice", message);
            } else {
                self.calls.push((index, id));
                self.answered.insert(id, false);
            }
            return;
        }
        match self.answered.get_mut(id) {
            Some(answered) if *answered => {
                let message = format!("the call {} already has an output", quoted(id));
                faults.add(at, "answered-twice", message);
            }
            Some(answered) if self.sorts.get(id) == output.map(|(_, output)| output) => {
                *answered = true;
            }
            None if self.stored => {}
            _ => {
                let message = format!("no call before it has the call_id {}", quoted(id));
                faults.add(at, "orphan-output", message);
            }
        }
    }
}

fn message(message: &Json, at: &Path<'_>, faults: &mut Faults) {
    let role = match text(message, "role") {
        Some(role @ ("user" | "assistant" | "system" | "developer")) => role,
        Some(role) => {
            faults.add(at, "role", format!("the role {} is unknown", quoted(role)));
            return;
        }
        None => {
            faults.add(at, "role", "the message has no role");
            return;
        }
    };
    let at = at.field("content");
    match message.get("content") {
        Some(Json::String(_)) => {}
        Some(Json::Array(list)) => {
            for (index, one) in list.iter().enumerate() {
                part(one, role, &at.index(index), faults);
            }
        }
        other => {
            let is = other.map_or("missing", kind);
            faults.add(&at, "content", format!("the content is {is}"));
        }
    }
}

fn part(part: &Json, role: &str, at: &Path<'_>, faults: &mut Faults) {
    let Some(sort) = text(part, "type") else {
        faults.add(at, "part-shape", "a part is an object with a type");
        return;
    };
    let fits = match sort {
        "input_text" | "input_image" | "input_file" => role != "assistant",
        "output_text" | "refusal" => role == "assistant",
        _ => false,
    };
    if !fits {
        let message = format!("a part of type {} from {role}", quoted(sort));
        faults.add(at, "part-role", message);
    } else if let Some(missing) = lacks(part, sort) {
        faults.add(at, "part-shape", format!("{sort} requires {missing}"));
    }
}

/// Returns what a part lacks.
fn lacks(part: &Json, sort: &str) -> Option<&'static str> {
    let has = |field: &str| text(part, field).is_some();
    match sort {
        "input_text" | "output_text" => (!has("text")).then_some("a text"),
        "refusal" => (!has("refusal")).then_some("a refusal"),
        "input_image" => {
            (!has("image_url") && !has("file_id")).then_some("an image_url (a string) or a file_id")
        }
        _ => (!has("file_id") && !has("file_data") && !has("file_url"))
            .then_some("a file_id, file_data or file_url"),
    }
}

fn output(item: &Json, at: &Path<'_>, faults: &mut Faults) {
    let at = at.field("output");
    match item.get("output") {
        Some(Json::String(_)) => {}
        Some(Json::Array(list)) => {
            for (index, part) in list.iter().enumerate() {
                let sort = text(part, "type").unwrap_or_default();
                let known = matches!(sort, "input_text" | "input_image" | "input_file");
                if !known || lacks(part, sort).is_some() {
                    let message = "a part of an output is an input_text, input_image or input_file";
                    faults.add(&at.index(index), "output-shape", message);
                }
            }
        }
        other => {
            let is = other.map_or("missing", kind);
            faults.add(&at, "output-shape", format!("the output is {is}"));
        }
    }
}

fn reasoning(item: &Json, after: &[Json], at: &Path<'_>, faults: &mut Faults) {
    let known = text(item, "id").is_some() || text(item, "encrypted_content").is_some();
    if !known || !item.get("summary").is_some_and(Json::is_array) {
        let message = "the reasoning lacks a list of summaries, or its id and encrypted_content";
        faults.add(at, "reasoning-shape", message);
    }
    // Consecutive reasoning items belong together: check the last one.
    let next = match after.first() {
        Some(next) => next,
        None => {
            faults.add(at, "reasoning-alone", "nothing follows the reasoning");
            return;
        }
    };
    let sort = sort(next).unwrap_or_default();
    let foreign = match sort {
        "message" => text(next, "role") != Some("assistant"),
        _ => CALLS.iter().any(|(_, output)| *output == sort),
    };
    if foreign {
        let message = format!("the reasoning is followed by {}", quoted(sort));
        faults.add(at, "reasoning-alone", message);
    }
}
