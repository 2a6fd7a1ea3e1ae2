//! Any bytes are checked or refused, in every detected format.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(answer) = ambit::check_request(bytes, None) {
        assert_eq!(answer.ok, answer.faults.is_empty());
    }
});
