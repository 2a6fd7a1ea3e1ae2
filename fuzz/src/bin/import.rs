//! An export from anybody: found whole, or refused by its line.
#![no_main]

use std::io::Cursor;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = ambit::check_export(&mut Cursor::new(bytes), &|_| {});
});
