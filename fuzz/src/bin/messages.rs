//! Messages as people bring them: lines or a list, any bytes.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = ambit::parse_messages(bytes, &|_| {});
});
