//! An OpenAI Chat message is restored unchanged from its blocks.
#![no_main]

use ambit_wire::Format;

#[path = "../round.rs"]
mod round;

libfuzzer_sys::fuzz_target!(|text: &str| round::trip(Format::Openai, text));
