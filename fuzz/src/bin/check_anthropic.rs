//! Checking any request by the rules of `anthropic` does not panic, and every fault names a rule.
#![no_main]

use ambit_wire::Format;
use ambit_wire::check::{check, rules};
use ambit_wire::json::Json;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let Ok(request) = Json::parse(text) else { return };
    for fault in check(Format::Anthropic, &request) {
        assert!(rules(Format::Anthropic).iter().any(|rule| rule.id == fault.rule), "{fault:?}");
        assert!(!fault.at.is_empty() && !fault.hint.is_empty(), "{fault:?}");
    }
});
