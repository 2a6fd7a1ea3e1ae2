//! Any bytes as an export: accepted, or refused with a line number.
#![no_main]

use std::io::Cursor;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = ambit::check_export(&mut Cursor::new(bytes), &|_| {});
});
