//! Where a store lies: parsed or refused, and no password is shown.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    match ambit::Location::parse(text) {
        Ok(location) => drop(location.to_string()),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
