//! Secrets: what was redacted once has nothing left to find, by the default rules and by a
//! vault's own.
#![no_main]

use ambit_text::redact::Redaction;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let own = Redaction { on: true, also: "ACME-,corp_".into() };
    for redaction in [Redaction::default(), own] {
        if let Some(redacted) = redaction.redact(text) {
            assert!(!redacted.found.is_empty());
            assert_eq!(redaction.redact(&redacted.text), None, "{:?}", redacted.text);
        }
    }
});
