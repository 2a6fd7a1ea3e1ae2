//! JSON as it was spelt: the exact reader agrees with the plain one, and mending changes nothing
//! but lone surrogates.
#![no_main]

use ambit_wire::json::{exact, repair_surrogates};
use serde_json::Value;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let (mended, count) = repair_surrogates(text);
    // An escape is as long as its mark.
    assert_eq!(mended.len(), text.len());
    assert!(count > 0 || mended == text);
    assert_eq!(repair_surrogates(&mended).1, 0);
    let read = exact(&mended);
    let plain: Result<Value, _> = serde_json::from_str(&mended);
    if !mended.contains("$serde_json::private") {
        assert_eq!(read.is_ok(), plain.is_ok(), "{read:?} {plain:?}");
    }
    if let Ok(value) = read {
        // What was read once is written in a way that reads the same.
        assert_eq!(exact(&value.to_string()).ok(), Some(value));
    }
});
