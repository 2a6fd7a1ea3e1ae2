//! Arguments of a call: what a verb's struct takes, as a schema of few words, and the check of what
//! came against it, so that what is wrong is said in words a model can act upon.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::failure::Failure;

pub type Object = Map<String, Value>;

/// What a verb's struct takes, without what a model does not need.
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

/// An optional value is one that may be left out: there is no need to say null. Nor are formats of
/// numbers of any use, or what stands where nothing is said.
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

/// Reads a verb's struct from what came: from the text itself, so that whatever the struct keeps as
/// it is spelt stays so.
pub fn parse<V: DeserializeOwned>(schema: &Object, text: &str) -> Result<V, Failure> {
    let odd = |error: serde_json::Error| Failure::usage(error.to_string(), "look at its schema");
    let mut arguments: Object = serde_json::from_str(text).map_err(odd)?;
    let mended = words_for_numbers(schema, &mut arguments);
    check(schema, &arguments).map_err(|why| {
        let names: Vec<_> = properties(schema).map(|(name, _)| name.as_str()).collect();
        let hint = match names.is_empty() {
            true => "it takes no arguments".to_string(),
            false => format!("it takes: {}", names.join(", ")),
        };
        Failure::usage(why, hint)
    })?;
    match mended {
        true => serde_json::to_string(&arguments).and_then(|it| serde_json::from_str(&it)),
        false => serde_json::from_str(text),
    }
    .map_err(odd)
}

/// Turns and handles are words that may look like numbers, and then a model writes numbers. True
/// where one was taken for what it means.
fn words_for_numbers(schema: &Object, arguments: &mut Object) -> bool {
    let mut mended = false;
    for (name, _) in properties(schema).filter(|(_, it)| it["type"] == "string") {
        if let Some(value) = arguments.get_mut(name).filter(|it| it.is_number()) {
            *value = Value::from(value.to_string());
            mended = true;
        }
    }
    mended
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
        // Null stands for a value that was left out.
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
        let at = |why| format!("holds a value, the {nth}th, that {why}");
        check_value(&schema["items"], item).map_err(at)?;
    }
    Ok(())
}
