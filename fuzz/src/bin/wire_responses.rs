//! Items of OpenAI's Responses that are taken apart are put together again as they were.
#![no_main]

use ambit_wire::Format;

#[path = "../round.rs"]
mod round;

libfuzzer_sys::fuzz_target!(|text: &str| round::trip(Format::Responses, text));
