//! What verbs answer, as schemas: the envelope of every verb, and in it the fields that others rely
//! on. A test holds them against real answers.

use serde_json::{Value, json};

use crate::arguments::Object;

/// Fields with their types. All of them are always there.
pub type Fields = &'static [(&'static str, &'static str)];

pub const SWITCHED: Fields = &[
    ("scope", "string"),
    ("origin", "string"),
    ("note", "object"),
    ("head", "integer"),
    ("carried", "integer"),
];

pub const NOTED: Fields = &[("hash", "string"), ("scope", "string"), ("head", "integer")];

pub const APPENDED: Fields =
    &[("scope", "string"), ("appended", "integer"), ("tokens", "integer"), ("head", "integer")];

pub const COMPOSED: Fields = &[
    ("scope", "string"),
    ("messages", "array"),
    ("tokens", "integer"),
    ("budget", "integer"),
    ("head", "integer"),
    ("layers", "array"),
    ("stable_prefix_tokens", "integer"),
    ("left_out", "array"),
    ("cost", "object"),
    ("epoch", "integer"),
];

pub const FOUND: Fields = &[("query", "string"), ("hits", "array")];

/// The envelope with these fields in its result. It fits failures too: they have an error in the
/// result's place.
pub fn schema(fields: Fields) -> Object {
    let properties: Object =
        fields.iter().map(|(name, kind)| (name.to_string(), json!({"type": kind}))).collect();
    let required: Vec<_> = fields.iter().map(|(name, _)| name).collect();
    let result = json!({"type": "object", "properties": properties, "required": required});
    let envelope = json!({
        "type": "object",
        "properties": {"ok": {"type": "boolean"}, "result": result},
        "required": ["ok"],
    });
    match envelope {
        Value::Object(envelope) => envelope,
        _ => Object::new(),
    }
}
