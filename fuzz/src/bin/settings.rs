//! A value of a setting is refused, or its formatted form parses to the same value.
#![no_main]

use ambit_core::{SETTINGS, Setting};

libfuzzer_sys::fuzz_target!(|text: &str| {
    let _ = Setting::find(text);
    for setting in SETTINGS {
        if let Ok(held) = setting.parse(text) {
            assert_eq!(setting.parse(&setting.show(&held)).ok(), Some(held), "{}", setting.name);
        }
    }
});
