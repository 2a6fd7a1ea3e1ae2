//! OpenAI Responses items are restored unchanged from their blocks.
#![no_main]

use ambit_wire::Format;

#[path = "../round.rs"]
mod round;

libfuzzer_sys::fuzz_target!(|text: &str| round::trip(Format::Responses, text));
