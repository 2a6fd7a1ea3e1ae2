//! Any bytes as messages (lines, a list or a request) are parsed or refused, in every format.
#![no_main]

use ambit::{Source, parse_messages};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    for word in Source::WORDS {
        let source = Source::parse(word).unwrap_or_default();
        let _ = parse_messages(bytes, source, &|_| {});
    }
    let _ = parse_messages(bytes, Source::Tau(Some(1)), &|_| {});
});
