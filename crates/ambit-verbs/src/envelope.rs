//! The envelope: the form of every answer, on every interface.

use ambit_wire::json::Json;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::arguments::{Object, properties, whole};
use crate::failure::Failure;
use crate::words::{Interface, word};

/// `{ok, actor, timestamp, result | error}`.
#[derive(Debug, Serialize)]
pub struct Envelope<'a> {
    ok: bool,
    actor: Option<&'a str>,
    timestamp: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorBody<'a>>,
}

#[derive(Debug, Serialize)]
struct ErrorBody<'a> {
    code: &'static str,
    message: &'a str,
    hint: String,
}

impl<'a> Envelope<'a> {
    /// The envelope of an answer.
    pub fn result(actor: Option<&'a str>, result: &'a RawValue) -> Envelope<'a> {
        Envelope { ok: true, actor, timestamp: now(), result: Some(result), error: None }
    }

    /// The envelope of a failure, in the words of the interface it goes out by.
    pub fn error(
        actor: Option<&'a str>,
        failure: &'a Failure,
        interface: Interface,
    ) -> Envelope<'a> {
        let (code, message) = (word(failure.kind), failure.message.as_str());
        let error = Some(ErrorBody { code, message, hint: failure.hint(interface) });
        Envelope { ok: false, actor, timestamp: now(), result: None, error }
    }

    /// The envelope as JSON. A number of a message that is too large for a [`Value`] becomes a
    /// string: it must not cost the whole answer.
    pub fn to_value(&self) -> Value {
        serde_json::to_value(self).unwrap_or_else(|_| {
            let text = serde_json::to_string(self).unwrap_or_default();
            Json::parse(&text).unwrap_or_default().into()
        })
    }
}

fn now() -> String {
    ambit::rfc3339(ambit::Outside::real().now())
}

/// The schema of an answer.
pub fn answer_schema<A: JsonSchema>() -> Object {
    whole::<A>(SchemaSettings::draft2020_12().for_serialize())
}

/// The schema of an envelope with this answer in its result, in few words: the fields that are
/// always there and always of one type. It fits failures too: they have an error in the result's
/// place.
pub fn envelope_schema(answer: &Object) -> Object {
    let always: Vec<_> =
        answer.get("required").and_then(Value::as_array).into_iter().flatten().collect();
    let fields: Object = properties(answer)
        .filter(|(name, field)| always.iter().any(|it| *it == *name) && field["type"].is_string())
        .map(|(name, field)| (name.clone(), json!({"type": field["type"]})))
        .collect();
    let required: Vec<_> = fields.keys().collect();
    let result = json!({"type": "object", "properties": fields, "required": required});
    Object::from_iter([
        ("type".to_string(), json!("object")),
        ("properties".to_string(), json!({"ok": {"type": "boolean"}, "result": result})),
        ("required".to_string(), json!(["ok"])),
    ])
}
