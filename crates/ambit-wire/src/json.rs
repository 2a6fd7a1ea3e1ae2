//! JSON beyond what its parser gives: lone surrogates, which UTF-8 cannot hold, become U+FFFD and
//! are counted; numbers stay as they were spelt.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Number, Value};

/// How deep a value may be nested, as in serde_json.
const DEPTH_MAX: usize = 128;

/// The value of a JSON text, its numbers spelt as they were. Alone, serde_json makes `1e+5` of
/// `1e5` and takes an object with one of its own private keys for a number.
pub fn exact(text: &str) -> serde_json::Result<Value> {
    let exponent = |three: &[u8]| {
        three[0].is_ascii_digit()
            && matches!(three[1], b'e' | b'E')
            && (three[2].is_ascii_digit() || matches!(three[2], b'+' | b'-'))
    };
    if !text.as_bytes().windows(3).any(exponent) && !text.contains("$serde_json::private") {
        return serde_json::from_str(text);
    }
    nested(serde_json::from_str(text)?, DEPTH_MAX)
}

fn nested(raw: &RawValue, depth: usize) -> serde_json::Result<Value> {
    let text = raw.get();
    let depth = || depth.checked_sub(1).ok_or_else(|| serde_json::Error::custom("too deep"));
    match text.as_bytes().first() {
        Some(b'{') => {
            let depth = depth()?;
            let Pairs(pairs) = serde_json::from_str(text)?;
            let values = pairs.into_iter().map(|(key, raw)| Ok((key, nested(raw, depth)?)));
            Ok(Value::Object(values.collect::<serde_json::Result<Map<_, _>>>()?))
        }
        Some(b'[') => {
            let depth = depth()?;
            let list: Vec<&RawValue> = serde_json::from_str(text)?;
            list.into_iter().map(|raw| nested(raw, depth)).collect()
        }
        Some(b'-' | b'0'..=b'9') => {
            Ok(Value::Number(Number::from_string_unchecked(text.to_string())))
        }
        _ => serde_json::from_str(text),
    }
}

/// An object's entries, their values not yet read.
struct Pairs<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Pairs<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;

        impl<'de> Visitor<'de> for Entries {
            type Value = Pairs<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs<'de>, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }

        deserializer.deserialize_map(Entries)
    }
}

/// Replaces escapes of lone surrogates by `\ufffd`. Gives the text and how many there were.
pub fn repair_surrogates(text: &str) -> (Cow<'_, str>, usize) {
    let has_any = text.as_bytes().windows(4).any(is_surrogate_start);
    if !has_any {
        return (Cow::Borrowed(text), 0);
    }
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let (mut at, mut kept, mut mended) = (0, 0, 0);
    while at < bytes.len() {
        if bytes[at] != b'\\' {
            at += 1;
            continue;
        }
        match (unit(bytes, at), unit(bytes, at + 6)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => at += 12,
            (Some(0xD800..=0xDFFF), _) => {
                out.push_str(&text[kept..at]);
                out.push_str("\\ufffd");
                at += 6;
                kept = at;
                mended += 1;
            }
            // Some other escape: its second byte must not be taken for a backslash.
            _ => at += 2,
        }
    }
    out.push_str(&text[kept..]);
    (Cow::Owned(out), mended)
}

fn is_surrogate_start(four: &[u8]) -> bool {
    four[0] == b'\\' && four[1] == b'u' && matches!(four[2], b'd' | b'D') && four[3] >= b'8'
}

/// The code unit of a `\uXXXX` at a place.
fn unit(bytes: &[u8], at: usize) -> Option<u32> {
    let escape = bytes.get(at..at + 6)?;
    if escape[0] != b'\\' || escape[1] != b'u' {
        return None;
    }
    let digits = std::str::from_utf8(&escape[2..]).ok()?;
    digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests {
    use super::repair_surrogates;

    #[test]
    fn lone_ones_are_mended_and_pairs_are_kept() {
        let check = |input: &str, expected: &str, count: usize| {
            let (mended, n) = repair_surrogates(input);
            assert_eq!((mended.as_ref(), n), (expected, count), "{input}");
        };
        check(r#""plain \n text""#, r#""plain \n text""#, 0);
        check(r#""\ud83d\ude00""#, r#""\ud83d\ude00""#, 0);
        check(r#""a\ud83d""#, r#""a\ufffd""#, 1);
        check(r#""\uDE00\ud83dx""#, r#""\ufffd\ufffdx""#, 2);
        check(r#""\\ud83d""#, r#""\\ud83d""#, 0);
        check(r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#, 1);
        check(r#""\ud83d\u""#, r#""\ufffd\u""#, 1);
    }
}
