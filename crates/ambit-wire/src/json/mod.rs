//! JSON whose numbers keep their spelling and whose objects keep the order of their keys.

mod read;
mod surrogates;

use std::fmt;
use std::ops::{Index, IndexMut};

use indexmap::IndexMap;
use serde::ser::{Error as _, Serialize, Serializer};
use serde_json::value::RawValue;

pub use surrogates::repair_surrogates;

/// The entries of an object, in order.
pub type Map = IndexMap<String, Json>;

/// A JSON value. Its text differs from what was read in white space and escapes only.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Json {
    #[default]
    Null,
    Bool(bool),
    /// A number as it was spelt.
    Number(Box<str>),
    String(String),
    Array(Vec<Json>),
    Object(Map),
}

/// Creates an object, or converts a value to [`Json`].
macro_rules! json {
    ({ $($key:tt : $value:expr),* $(,)? }) => {
        $crate::json::Json::Object($crate::json::Map::from_iter([
            $((String::from($key), $crate::json::Json::from($value))),*
        ]))
    };
    ($value:expr) => { $crate::json::Json::from($value) };
}

pub(crate) use json;

impl Json {
    /// Reads one JSON text.
    pub fn parse(text: &str) -> serde_json::Result<Json> {
        read::parse(text)
    }

    pub fn get(&self, key: &str) -> Option<&Json> {
        self.as_object()?.get(key)
    }

    pub fn get_mut(&mut self, key: &str) -> Option<&mut Json> {
        self.as_object_mut()?.get_mut(key)
    }

    /// Returns the value and leaves null in its place.
    pub fn take(&mut self) -> Json {
        std::mem::take(self)
    }

    pub fn as_bool(&self) -> Option<bool> {
        if let Json::Bool(value) = self { Some(*value) } else { None }
    }

    pub fn as_u64(&self) -> Option<u64> {
        if let Json::Number(spelling) = self { spelling.parse().ok() } else { None }
    }

    pub fn as_str(&self) -> Option<&str> {
        if let Json::String(text) = self { Some(text) } else { None }
    }

    pub fn as_array(&self) -> Option<&Vec<Json>> {
        if let Json::Array(list) = self { Some(list) } else { None }
    }

    pub fn as_array_mut(&mut self) -> Option<&mut Vec<Json>> {
        if let Json::Array(list) = self { Some(list) } else { None }
    }

    pub fn as_object(&self) -> Option<&Map> {
        if let Json::Object(map) = self { Some(map) } else { None }
    }

    pub fn as_object_mut(&mut self) -> Option<&mut Map> {
        if let Json::Object(map) = self { Some(map) } else { None }
    }

    pub fn is_null(&self) -> bool {
        matches!(self, Json::Null)
    }

    pub fn is_number(&self) -> bool {
        matches!(self, Json::Number(_))
    }

    pub fn is_string(&self) -> bool {
        matches!(self, Json::String(_))
    }

    pub fn is_array(&self) -> bool {
        matches!(self, Json::Array(_))
    }

    pub fn is_object(&self) -> bool {
        matches!(self, Json::Object(_))
    }
}

/// Returns null if there is no such field.
impl Index<&str> for Json {
    type Output = Json;

    fn index(&self, key: &str) -> &Json {
        self.get(key).unwrap_or(&Json::Null)
    }
}

/// Adds the field if it is missing; a value that is not an object becomes one.
impl IndexMut<&str> for Json {
    fn index_mut(&mut self, key: &str) -> &mut Json {
        if !self.is_object() {
            *self = Json::Object(Map::new());
        }
        match self {
            Json::Object(map) => map.entry(key.to_string()).or_default(),
            other => other,
        }
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Json::Null => serializer.serialize_unit(),
            Json::Bool(value) => serializer.serialize_bool(*value),
            Json::Number(spelling) => {
                let raw: &RawValue = serde_json::from_str(spelling).map_err(S::Error::custom)?;
                raw.serialize(serializer)
            }
            Json::String(text) => serializer.serialize_str(text),
            Json::Array(list) => serializer.collect_seq(list),
            Json::Object(map) => serializer.collect_map(map),
        }
    }
}

/// Compact JSON text.
impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

/// Converts from `serde_json`. Numbers lose their spelling; too large ones become strings.
impl From<Json> for serde_json::Value {
    fn from(json: Json) -> Self {
        match json {
            Json::Null => Self::Null,
            Json::Bool(value) => Self::Bool(value),
            Json::Number(spelling) => {
                serde_json::from_str(&spelling).unwrap_or_else(|_| Self::String(spelling.into()))
            }
            Json::String(text) => Self::String(text),
            Json::Array(list) => list.into_iter().map(Self::from).collect(),
            Json::Object(map) => {
                map.into_iter().map(|(key, value)| (key, Self::from(value))).collect()
            }
        }
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Json {
        Json::Bool(value)
    }
}

impl From<usize> for Json {
    fn from(number: usize) -> Json {
        Json::Number(number.to_string().into())
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Json {
        Json::String(text.to_string())
    }
}

impl From<&String> for Json {
    fn from(text: &String) -> Json {
        Json::String(text.clone())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Json {
        Json::String(text)
    }
}

impl From<Vec<Json>> for Json {
    fn from(list: Vec<Json>) -> Json {
        Json::Array(list)
    }
}

impl FromIterator<Json> for Json {
    fn from_iter<I: IntoIterator<Item = Json>>(list: I) -> Json {
        Json::Array(list.into_iter().collect())
    }
}
