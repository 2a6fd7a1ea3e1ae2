//! A message of OpenAI Chat that is taken apart is put together again as it was.
#![no_main]

use ambit_wire::Format;

#[path = "../round.rs"]
mod round;

libfuzzer_sys::fuzz_target!(|text: &str| round::trip(Format::Openai, text));
