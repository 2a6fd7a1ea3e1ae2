//! JSON as it was spelt: the reader agrees with serde_json, what it read is written in a way that
//! reads the same, and repairing changes nothing but lone surrogates.
#![no_main]

use ambit_wire::json::{Json, repair_surrogates};
use serde_json::Value;
use serde_json::value::RawValue;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let (repaired, count) = repair_surrogates(text);
    // An escape is as long as its mark.
    assert_eq!(repaired.len(), text.len());
    assert!(count > 0 || repaired == text);
    assert_eq!(repair_surrogates(&repaired).1, 0);
    let read = Json::parse(&repaired);
    // serde_json refuses large numbers and takes an object with its own private key for a text.
    if serde_json::from_str::<Value>(&repaired).is_ok() {
        assert!(read.is_ok(), "{read:?}");
    }
    if let Ok(json) = read {
        assert!(serde_json::from_str::<&RawValue>(&repaired).is_ok());
        assert_eq!(Json::parse(&json.to_string()).ok(), Some(json));
    }
});
