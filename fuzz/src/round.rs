//! The round trip of a wire format: parses a message, restores it, and writes it in every format.

#[path = "../../crates/ambit-wire/tests/formats/written.rs"]
mod written;

use ambit_wire::json::{Json, repair_surrogates};
use ambit_wire::{Format, parse, restore};
use written::write;

pub fn trip(format: Format, text: &str) {
    let (text, _) = repair_surrogates(text);
    let Ok(message) = Json::parse(&text) else { return };
    let Ok(turns) = parse(format, vec![message.clone()]) else { return };
    let [turn] = turns.as_slice() else { panic!("expected one turn for one message") };
    let texts: Vec<_> = turn.blocks.iter().map(|block| block.text.as_str()).collect();
    let restored = restore(turn.role, turn.shape.as_deref(), &texts);
    assert_eq!(Json::parse(&restored).ok(), Some(message), "{restored}");
    for to in Format::ALL {
        for calls in [true, false] {
            // The output is valid JSON.
            let written = write(turn, to, calls);
            for json in written.messages.iter().chain(&written.system) {
                assert!(Json::parse(json).is_ok(), "{json}");
            }
        }
    }
}
