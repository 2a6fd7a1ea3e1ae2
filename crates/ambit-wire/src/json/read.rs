//! Reads JSON without interpreting its numbers.

use serde::de::Error as _;
use serde_json::Deserializer;
use serde_json::value::RawValue;

use super::{Json, Map};

/// The deepest nesting of a value, as in serde_json.
const DEPTH_MAX: usize = 127;

/// Reads a text. serde_json checks the syntax and reports errors, so the reader below handles only
/// well-formed text.
pub fn parse(text: &str) -> serde_json::Result<Json> {
    let raw: &RawValue = serde_json::from_str(text)?;
    Reader { text: raw.get(), at: 0 }.value(DEPTH_MAX)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    /// Returns the next byte that is not white space; 0 at the end.
    fn peek(&mut self) -> u8 {
        let rest = &self.text.as_bytes()[self.at..];
        let blank = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
        let skipped = rest.iter().take_while(|byte| blank(byte)).count();
        self.at += skipped;
        rest.get(skipped).copied().unwrap_or_default()
    }

    fn value(&mut self, depth: usize) -> serde_json::Result<Json> {
        match self.peek() {
            b'{' => Ok(Json::Object(self.object(inner(depth)?)?)),
            b'[' => Ok(Json::Array(self.array(inner(depth)?)?)),
            b'"' => Ok(Json::String(self.string()?)),
            b't' => Ok(self.word("true", Json::Bool(true))),
            b'f' => Ok(self.word("false", Json::Bool(false))),
            b'n' => Ok(self.word("null", Json::Null)),
            _ => Ok(Json::Number(self.number().into())),
        }
    }

    fn object(&mut self, depth: usize) -> serde_json::Result<Map> {
        let mut map = Map::new();
        while self.next_entry(b'}') {
            let key = self.string()?;
            self.peek();
            self.at += 1; // the colon
            // Of duplicate keys, the last one wins.
            map.insert(key, self.value(depth)?);
        }
        Ok(map)
    }

    fn array(&mut self, depth: usize) -> serde_json::Result<Vec<Json>> {
        let mut list = Vec::new();
        while self.next_entry(b']') {
            list.push(self.value(depth)?);
        }
        Ok(list)
    }

    /// Skips a bracket or comma. Returns false at the end of the object or list.
    fn next_entry(&mut self, end: u8) -> bool {
        if self.peek() != end {
            self.at += 1;
        }
        let more = self.peek() != end;
        self.at += usize::from(!more);
        more
    }

    fn string(&mut self) -> serde_json::Result<String> {
        let mut strings = Deserializer::from_str(&self.text[self.at..]).into_iter();
        let string = strings.next().unwrap_or_else(|| Err(serde_json::Error::custom("no string")));
        self.at += strings.byte_offset();
        string
    }

    fn number(&mut self) -> &str {
        let rest = &self.text.as_bytes()[self.at..];
        let digits = |b: &&u8| matches!(b, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
        let length = rest.iter().take_while(digits).count();
        self.at += length;
        &self.text[self.at - length..self.at]
    }

    fn word(&mut self, word: &str, value: Json) -> Json {
        self.at += word.len();
        value
    }
}

fn inner(depth: usize) -> serde_json::Result<usize> {
    depth.checked_sub(1).ok_or_else(|| serde_json::Error::custom("recursion limit exceeded"))
}

#[cfg(test)]
mod tests {
    use super::super::Json;

    #[test]
    fn numbers_and_keys_are_unchanged() {
        for text in [
            r#"{"z":1.50,"a":1e5,"n":12345678901234567890123,"m":-0,"big":1E+999,"one":1.0}"#,
            r#"[[],{},null,true,false,"",[[1],[2,{"a":[]}]]]"#,
            r#"{"$serde_json::private::Number":"1","$serde_json::private::RawValue":"[1]"}"#,
            r#""\"\\\n\u0000é😀""#,
        ] {
            assert_eq!(Json::parse(text).unwrap().to_string(), text);
        }
        let spaced = " { \"a\" : [ 1 , \"\\u0041\\/\" ] ,\r\n\t\"b\":{ } } ";
        assert_eq!(Json::parse(spaced).unwrap().to_string(), r#"{"a":[1,"A/"],"b":{}}"#);
        assert_eq!(Json::parse(r#"{"a":1,"b":2,"a":3}"#).unwrap().to_string(), r#"{"a":3,"b":2}"#);
    }

    #[test]
    fn invalid_or_too_deep_json_is_refused() {
        for text in ["", "{", "[1,]", "01", "1.", "\"\\x\"", "\"\\ud800\"", "{} {}", "nul", "'a'"] {
            assert!(Json::parse(text).is_err(), "{text}");
        }
        let nested = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
        assert!(Json::parse(&nested(127)).is_ok());
        assert!(Json::parse(&nested(128)).is_err());
        assert!(Json::parse(&nested(100_000)).is_err());
    }
}
