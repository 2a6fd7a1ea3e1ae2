//! The JSON parser agrees with serde_json, its output parses to the same value, and repairing
//! changes only lone surrogates.
#![no_main]

use ambit_wire::json::{Json, repair_surrogates};
use serde_json::Value;
use serde_json::value::RawValue;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let (repaired, count) = repair_surrogates(text);
    // The replacement is as long as the escape.
    assert_eq!(repaired.len(), text.len());
    assert!(count > 0 || repaired == text);
    assert_eq!(repair_surrogates(&repaired).1, 0);
    let read = Json::parse(&repaired);
    // serde_json refuses large numbers and reads an object with its private key as raw text.
    if serde_json::from_str::<Value>(&repaired).is_ok() {
        assert!(read.is_ok(), "{read:?}");
    }
    if let Ok(json) = read {
        assert!(serde_json::from_str::<&RawValue>(&repaired).is_ok());
        assert_eq!(Json::parse(&json.to_string()).ok(), Some(json));
    }
});
