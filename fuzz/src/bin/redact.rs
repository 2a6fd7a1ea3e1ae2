//! Redacting a redacted text finds nothing, with the default rules and with a vault's own rules.
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
