//! Checks that a provider accepts a request: an independent implementation of OpenAI's published
//! rules for Chat messages. It shares no code with the composer.

use std::collections::BTreeSet;

use serde_json::Value;

/// Whether the request may end with open calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Every call has its reply.
    Whole,
    /// The last batch may still wait for replies: a caller asked to keep it in sight.
    MayWait,
}

/// Checks the messages of a request. The error names the message and the rule it breaks.
pub fn check(messages: &[Value], ending: Ending) -> Result<(), String> {
    // Ids of the batch directly before, that still wait for their reply, and all of its ids.
    let mut waiting: BTreeSet<&str> = BTreeSet::new();
    let mut batch: BTreeSet<&str> = BTreeSet::new();
    for (index, message) in messages.iter().enumerate() {
        let fail = |rule: &str| Err(format!("message {index}: {rule}: {message}"));
        let Some(role) = message.get("role").and_then(Value::as_str) else {
            return fail("a message has a role");
        };
        if let Err(rule) = content(role, message) {
            return fail(rule);
        }
        if role == "tool" {
            let Some(id) = message.get("tool_call_id").and_then(Value::as_str) else {
                return fail("a tool message has a tool_call_id");
            };
            if !batch.contains(id) {
                return fail("a tool message answers a call of the batch directly before it");
            }
            if !waiting.remove(id) {
                return fail("a call has one reply");
            }
            continue;
        }
        if !waiting.is_empty() {
            return fail("every call is answered before anything else is said");
        }
        batch = match calls(role, message) {
            Ok(ids) => ids,
            Err(rule) => return fail(rule),
        };
        waiting = batch.clone();
    }
    match (waiting.is_empty(), ending) {
        (true, _) | (_, Ending::MayWait) => Ok(()),
        (false, Ending::Whole) => Err(format!("at the end: calls without a reply: {waiting:?}")),
    }
}

fn content(role: &str, message: &Value) -> Result<(), &'static str> {
    let content = message.get("content").unwrap_or(&Value::Null);
    let has_calls = message.get("tool_calls").is_some();
    match (role, content) {
        ("system" | "developer" | "user", Value::String(text)) => {
            not_empty(!text.is_empty(), "a content is not empty")
        }
        ("assistant", Value::String(text)) => {
            not_empty(!text.is_empty() || has_calls, "an assistant's content is not empty")
        }
        ("tool", Value::String(_)) => Ok(()),
        ("system" | "developer" | "user" | "assistant" | "tool", Value::Array(list)) => {
            not_empty(!list.is_empty(), "a list of parts is not empty")?;
            list.iter().try_for_each(|it| part(role, it))
        }
        ("assistant", Value::Null) => not_empty(has_calls, "only calls stand without a content"),
        ("system" | "developer" | "user" | "assistant" | "tool", _) => {
            Err("a content is a string or a list of parts")
        }
        _ => Err("the role is one of those known"),
    }
}

fn not_empty(holds: bool, rule: &'static str) -> Result<(), &'static str> {
    if holds { Ok(()) } else { Err(rule) }
}

fn part(role: &str, part: &Value) -> Result<(), &'static str> {
    let Some(kind) = part.get("type").and_then(Value::as_str) else {
        return Err("a part is an object with a type");
    };
    match (kind, part.get("text")) {
        ("text", Some(Value::String(text))) => {
            not_empty(!text.is_empty(), "a part of text is not empty")
        }
        ("text", _) => Err("a part of text has a text"),
        ("refusal", _) => not_empty(role == "assistant", "only an assistant refuses"),
        _ => not_empty(role == "user", "only a user message holds media"),
    }
}

/// The ids of an assistant's calls.
fn calls<'a>(role: &str, message: &'a Value) -> Result<BTreeSet<&'a str>, &'static str> {
    let mut ids = BTreeSet::new();
    let Some(calls) = message.get("tool_calls") else {
        return Ok(ids);
    };
    not_empty(role == "assistant", "only an assistant calls tools")?;
    let calls = calls.as_array().ok_or("tool_calls is a list")?;
    not_empty(!calls.is_empty(), "tool_calls is not empty")?;
    for call in calls {
        let text = |value: Option<&'a Value>| value.and_then(Value::as_str);
        let id = text(call.get("id")).ok_or("a call has an id")?;
        not_empty(!id.is_empty(), "a call's id is not empty")?;
        not_empty(ids.insert(id), "a call's id is unique in its message")?;
        let (body, argument) = match text(call.get("type")) {
            Some("function") => (call.get("function"), "arguments"),
            Some("custom") => (call.get("custom"), "input"),
            _ => return Err("a call's type is function or custom"),
        };
        let body = body.ok_or("a call has a function")?;
        let name = text(body.get("name")).ok_or("a call's function has a name")?;
        not_empty(!name.is_empty(), "a call's function has a name")?;
        text(body.get(argument)).ok_or("a call's arguments are a string")?;
    }
    Ok(ids)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Ending, check};

    fn call(id: &str) -> Value {
        json!({"id": id, "type": "function", "function": {"name": "look", "arguments": "{}"}})
    }

    fn calling(calls: &[Value]) -> Value {
        json!({"role": "assistant", "content": null, "tool_calls": calls})
    }

    fn reply(id: &str) -> Value {
        json!({"role": "tool", "tool_call_id": id, "content": "seen"})
    }

    fn user(content: Value) -> Value {
        json!({"role": "user", "content": content})
    }

    #[test]
    fn good_requests_pass() {
        let parts = json!([{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {}}]);
        let whole = vec![
            json!({"role": "system", "content": "be brief"}),
            json!({"role": "developer", "content": "be kind"}),
            user(parts),
            calling(&[call("a"), call("b")]),
            reply("b"),
            reply("a"),
            calling(&[call("a")]),
            json!({"role": "tool", "tool_call_id": "a", "content": ""}),
            json!({"role": "assistant", "content": "done"}),
        ];
        assert_eq!(check(&whole, Ending::Whole), Ok(()));
        let waiting = [user(json!("go")), calling(&[call("a"), call("b")]), reply("b")];
        assert_eq!(check(&waiting, Ending::MayWait), Ok(()));
    }

    /// One bad request for every rule, with words of its error.
    #[test]
    fn every_rule_has_an_example_that_breaks_it() {
        let bad = |messages: &[Value], rule: &str| {
            let found = check(messages, Ending::Whole).unwrap_err();
            assert!(found.contains(rule), "{rule:?} was expected, and {found:?} found");
        };
        bad(&[json!({"content": "x"})], "has a role");
        bad(&[json!({"role": "robot", "content": "x"})], "those known");
        bad(&[user(json!(""))], "a content is not empty");
        bad(&[user(json!(null))], "a string or a list");
        bad(&[user(json!(7))], "a string or a list");
        bad(&[user(json!([]))], "a list of parts is not empty");
        bad(&[user(json!(["x"]))], "an object with a type");
        bad(&[user(json!([{"type": "text"}]))], "has a text");
        bad(&[user(json!([{"type": "text", "text": ""}]))], "a part of text is not empty");
        bad(&[user(json!([{"type": "refusal", "refusal": "no"}]))], "only an assistant refuses");
        let image = json!({"role": "system", "content": [{"type": "image_url", "image_url": {}}]});
        bad(&[image], "only a user message holds media");
        bad(&[json!({"role": "assistant", "content": ""})], "an assistant's content is not empty");
        bad(&[json!({"role": "assistant", "content": null})], "only calls stand without");
        bad(&[json!({"role": "tool", "content": "x"})], "has a tool_call_id");
        bad(&[reply("a")], "directly before it");
        bad(&[calling(&[call("a")]), reply("b")], "directly before it");
        bad(&[calling(&[call("a")]), reply("a"), reply("a")], "has one reply");
        let late = [calling(&[call("a")]), reply("a"), user(json!("x")), reply("a")];
        bad(&late, "directly before it");
        bad(&[calling(&[call("a")]), user(json!("x"))], "before anything else");
        bad(&[calling(&[call("a"), call("b")]), reply("a")], "at the end");
        bad(&[calling(&[])], "tool_calls is not empty");
        bad(&[json!({"role": "assistant", "content": "x", "tool_calls": {}})], "is a list");
        let users = json!({"role": "user", "content": "x", "tool_calls": [call("a")]});
        bad(&[users], "only an assistant calls");
        bad(&[calling(&[call("")])], "id is not empty");
        bad(&[calling(&[call("a"), call("a")])], "unique");
        bad(&[calling(&[json!({"type": "function"})])], "has an id");
        bad(&[calling(&[json!({"id": "a", "type": "magic"})])], "function or custom");
        bad(&[calling(&[json!({"id": "a", "type": "function"})])], "has a function");
        let nameless = json!({"id": "a", "type": "function", "function": {"arguments": "{}"}});
        bad(&[calling(&[nameless])], "has a name");
        let unnamed = json!({"name": "", "arguments": "{}"});
        let unnamed = json!({"id": "a", "type": "function", "function": unnamed});
        bad(&[calling(&[unnamed])], "has a name");
        let wild = json!({"name": "look", "arguments": {}});
        let wild = json!({"id": "a", "type": "function", "function": wild});
        bad(&[calling(&[wild])], "arguments are a string");
    }
}
