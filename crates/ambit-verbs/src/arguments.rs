//! Arguments of a call: a verb's struct as a short JSON schema, and the validation of a call
//! against it. Errors are sentences that a model can act on.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::failure::Failure;

pub type Object = Map<String, Value>;

/// Returns the JSON schema of a verb's struct, without what a model does not need.
pub fn schema<V: JsonSchema>() -> Object {
    let mut root = whole::<V>(SchemaSettings::draft2020_12());
    root.remove("title");
    root.remove("description");
    let properties = root.entry("properties").or_insert_with(|| json!({}));
    for property in properties.as_object_mut().into_iter().flat_map(Object::values_mut) {
        shorten(property);
    }
    root
}

/// A type's schema with those of its parts inside.
pub fn whole<T: JsonSchema>(settings: SchemaSettings) -> Object {
    let settings = settings.with(|it| {
        it.meta_schema = None;
        it.inline_subschemas = true;
    });
    match settings.into_generator().into_root_schema_for::<T>().to_value() {
        Value::Object(root) => root,
        _ => Object::new(),
    }
}

/// Removes what costs tokens without helping a model: null as a type of an optional value, formats
/// of numbers, and defaults.
fn shorten(property: &mut Value) {
    let Some(property) = property.as_object_mut() else { return };
    for word in ["format", "default"] {
        property.remove(word);
    }
    if let Some(Value::Array(types)) = property.get("type")
        && let Some(first) = types.iter().find(|it| *it != "null").cloned()
    {
        property.insert("type".into(), first);
    }
    if let Some(items) = property.get_mut("items").and_then(Value::as_object_mut) {
        items.remove("additionalProperties");
    }
}

/// Parses a verb's struct from the text of a call. It reads the text itself: fields that are kept
/// verbatim keep their spelling.
pub fn parse<V: DeserializeOwned>(schema: &Object, text: &str) -> Result<V, Failure> {
    let invalid = |error: serde_json::Error| {
        Failure::usage(error.to_string(), "compare the arguments with the schema")
    };
    let mut arguments: Object = serde_json::from_str(text).map_err(invalid)?;
    let changed = numbers_to_strings(schema, &mut arguments);
    check(schema, &arguments).map_err(|why| {
        let names: Vec<_> = properties(schema).map(|(name, _)| name.as_str()).collect();
        let hint = match names.is_empty() {
            true => "it takes no arguments".to_string(),
            false => format!("it takes: {}", names.join(", ")),
        };
        Failure::usage(why, hint)
    })?;
    match changed {
        true => serde_json::to_string(&arguments).and_then(|it| serde_json::from_str(&it)),
        false => serde_json::from_str(text),
    }
    .map_err(invalid)
}

/// Turns numbers into strings where the schema asks for a string: a turn or a handle may look like
/// a number. Returns whether it changed an argument.
fn numbers_to_strings(schema: &Object, arguments: &mut Object) -> bool {
    let mut changed = false;
    for (name, _) in properties(schema).filter(|(_, it)| it["type"] == "string") {
        if let Some(value) = arguments.get_mut(name).filter(|it| it.is_number()) {
            *value = Value::from(value.to_string());
            changed = true;
        }
    }
    changed
}

pub fn properties(schema: &Object) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}

fn check(schema: &Object, arguments: &Object) -> Result<(), String> {
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    for name in required.filter_map(Value::as_str) {
        if arguments.get(name).is_none_or(Value::is_null) {
            return Err(format!("the argument {name:?} is missing"));
        }
    }
    for (name, value) in arguments {
        let Some((_, property)) = properties(schema).find(|(known, _)| *known == name) else {
            return Err(format!("there is no argument {name:?}"));
        };
        // Null means that the value was left out.
        if value.is_null() {
            continue;
        }
        check_value(property, value).map_err(|why| format!("the argument {name:?} {why}"))?;
    }
    Ok(())
}

fn check_value(schema: &Value, value: &Value) -> Result<(), String> {
    let kind = schema["type"].as_str().unwrap_or("any");
    let fits = match kind {
        "string" => value.is_string(),
        "integer" => value.is_i64(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    };
    if !fits {
        return Err(format!("is not of type {kind}"));
    }
    if let Some(choices) = schema["enum"].as_array().filter(|it| !it.contains(value)) {
        let choices: Vec<_> = choices.iter().filter_map(Value::as_str).collect();
        return Err(format!("is not one of: {}", choices.join(", ")));
    }
    if let (Some(number), Some(least), Some(most)) =
        (value.as_i64(), schema["minimum"].as_i64(), schema["maximum"].as_i64())
        && !(least..=most).contains(&number)
    {
        return Err(format!("is not from {least} to {most}"));
    }
    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
        let nth = index + 1;
        let at = |why| format!("is invalid: value {nth} {why}");
        check_value(&schema["items"], item).map_err(at)?;
    }
    Ok(())
}
