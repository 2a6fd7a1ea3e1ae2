//! Replacements for forgotten texts: marks for blocks, and a minimal message around them. Calls and
//! replies stay paired, and a provider still accepts the request.

use crate::json::{Json, json};

use crate::format::shape_in;
use crate::{Form, Format, Role};

/// The mark that is shown instead of a forgotten text.
pub const MARK: &str = "[forgotten]";

/// Returns the mark of a block, in the form of its text.
pub fn mark(form: Form) -> &'static str {
    match form {
        Form::Text | Form::Reply => MARK,
        // A call's arguments must stay JSON.
        Form::Call => r#"{"forgotten":true}"#,
        // These blocks are whole parts of a content.
        Form::Media | Form::Other | Form::Reasoning => r#"{"type":"text","text":"[forgotten]"}"#,
    }
}

/// The largest token count of a mark.
pub fn mark_tokens(form: Form) -> i64 {
    match form {
        Form::Text | Form::Reply => 4,
        Form::Call => 6,
        Form::Media | Form::Other | Form::Reasoning => 14,
    }
}

/// Returns a shape for a message whose own shape was forgotten, with its blocks and nothing else.
/// Only replies to several calls, which share one message in Anthropic's format, use that format.
/// `answers` numbers the call that each block answers.
pub fn skeleton(role: Role, forms: &[Option<Form>], answers: &[Option<i64>]) -> String {
    if role == Role::Tool && answers.iter().any(|call| *call != answers[0]) {
        return replies(forms, answers);
    }
    let numbered = || (0..).zip(forms).filter_map(|(number, form)| Some((number, (*form)?)));
    let parts: Vec<(usize, Form)> = numbered().filter(|(_, form)| *form != Form::Call).collect();
    let content = match parts.as_slice() {
        [] => Json::Null,
        [(number, Form::Text | Form::Reply)] => json!(*number),
        parts => parts.iter().map(|(number, form)| part(*number, *form)).collect(),
    };
    let mut message = json!({"role": role.as_str(), "content": content});
    if role == Role::Tool {
        message["tool_call_id"] = json!("");
    }
    let calls: Vec<_> = numbered().filter(|(_, form)| *form == Form::Call).map(call).collect();
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    message.to_string()
}

fn replies(forms: &[Option<Form>], answers: &[Option<i64>]) -> String {
    let mut content: Vec<Json> = Vec::new();
    let mut last = None;
    for (number, (form, call)) in forms.iter().zip(answers).enumerate() {
        let part = form.map_or(json!({"type": "text", "text": number}), |it| part(number, it));
        match (call, content.last_mut()) {
            (None, _) => content.push(part),
            (Some(_), Some(reply)) if *call == last => {
                if let Some(parts) = reply["content"].as_array_mut() {
                    parts.push(part);
                }
            }
            (Some(_), _) => {
                content
                    .push(json!({"type": "tool_result", "tool_use_id": "", "content": vec![part]}));
            }
        }
        last = *call;
    }
    shape_in(Format::Anthropic, &json!({"role": "user", "content": content}))
}

fn part(number: usize, form: Form) -> Json {
    match form {
        Form::Text | Form::Reply => json!({"type": "text", "text": number}),
        Form::Call | Form::Media | Form::Other | Form::Reasoning => json!(number),
    }
}

/// Returns a call without an id: it gets one derived from the turn when it is shown.
fn call((number, _): (usize, Form)) -> Json {
    let function = json!({"name": "forgotten", "arguments": number});
    json!({"id": "", "type": "function", "function": function})
}

/// Returns the largest token count of a skeleton with this number of blocks.
pub fn skeleton_tokens(blocks: i64) -> i64 {
    20 + 32 * blocks
}

#[cfg(test)]
mod tests {
    use super::{MARK, mark, skeleton};
    use crate::json::{Json, json};
    use crate::{CallKind, Form, Format, RequestWriter, Role, ShownBlock, ShownTurn, restore};

    #[test]
    fn skeletons_replace_texts_by_marks() {
        let part = json!({"type": "text", "text": MARK});
        let function = json!({"name": "forgotten", "arguments": r#"{"forgotten":true}"#});
        let calls = vec![json!({"id": "c", "type": "function", "function": function})];
        let table: [(Role, &[Form], Json); 4] = [
            (Role::User, &[Form::Text], json!({"role": "user", "content": MARK})),
            (
                Role::User,
                &[Form::Text, Form::Media],
                json!({"role": "user", "content": vec![part.clone(), part.clone()]}),
            ),
            (
                Role::Assistant,
                &[Form::Call],
                json!({"role": "assistant", "content": Json::Null, "tool_calls": calls.clone()}),
            ),
            (
                Role::Tool,
                &[Form::Reply],
                json!({"role": "tool", "content": MARK, "tool_call_id": "c"}),
            ),
        ];
        for (role, forms, expected) in table {
            let some: Vec<_> = forms.iter().copied().map(Some).collect();
            let shape = skeleton(role, &some, &vec![None; some.len()]);
            let given = |form: &Form| ShownBlock {
                form: *form,
                text: mark(*form).into(),
                instead: (*form == Form::Media).then(|| MARK.into()),
                id: Some("c".to_string()),
                answers: CallKind::Function,
            };
            let blocks = forms.iter().map(given).collect();
            let shape = Some(shape.as_str());
            let mut writer = RequestWriter::new(Format::Openai);
            writer.write(
                &String::new,
                &ShownTurn { role, shape, blocks, bare: false, handle: &|_| String::new() },
            );
            assert_eq!(writer.finish().messages, [expected.to_string()]);
            let texts: Vec<_> = forms.iter().map(|form| mark(*form)).collect();
            assert!(restore(role, shape, &texts).contains("forgotten"));
        }
    }
}
