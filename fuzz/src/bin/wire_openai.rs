//! A message of OpenAI Chat that is taken apart is put together again as it was.
#![no_main]

use ambit_core::json::{exact, mend_surrogates};
use ambit_core::wire::{openai, parse_json};

libfuzzer_sys::fuzz_target!(|text: &str| {
    let (text, _) = mend_surrogates(text);
    let Ok(message) = parse_json(&text) else { return };
    let Ok(turn) = openai::parse(message.clone()) else { return };
    let texts: Vec<_> = turn.blocks.iter().map(|block| Some(block.text.as_str())).collect();
    let restored = openai::restore(turn.role, turn.shape.as_deref(), &texts);
    assert_eq!(exact(&restored).ok(), Some(message), "{restored}");
});
