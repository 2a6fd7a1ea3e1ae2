//! The round trip of every wire format: apart, together again, and written in every other.

use ambit_core::Hash;
use ambit_core::json::{exact, mend_surrogates};
use ambit_core::wire::{
    CallKind, Format, Given, Handle, Message, Sheet, Turn, parse, parse_json, restore,
};

pub fn trip(format: Format, text: &str) {
    let (text, _) = mend_surrogates(text);
    let Ok(message) = parse_json(&text) else { return };
    let Ok(turns) = parse(format, vec![message.clone()], &|_, error| error) else { return };
    let [turn] = turns.as_slice() else { panic!("one message is one turn") };
    let texts: Vec<_> = turn.blocks.iter().map(|block| block.text.as_str()).collect();
    let restored = restore(turn.role, turn.shape.as_deref(), &texts);
    assert_eq!(exact(&restored).ok(), Some(message), "{restored}");
    for to in Format::ALL {
        for calls in [true, false] {
            write(turn, to, calls);
        }
    }
}

/// Whatever is written is JSON.
fn write(turn: &Turn, format: Format, calls: bool) {
    let key = Hash::default();
    let mut blocks = Vec::new();
    for (block, at) in turn.blocks.iter().zip(0..) {
        blocks.push(Given {
            form: block.form,
            text: block.text.as_str().into(),
            instead: None,
            id: block.call_id.clone().or_else(|| block.reply_to.clone()).filter(|_| calls),
            answers: CallKind::Function,
            handle: Handle { turn: 7, block: at, key: &key },
        });
    }
    let message = Message { role: turn.role, shape: turn.shape.as_deref(), blocks, bare: false };
    let mut sheet = Sheet::new(format);
    sheet.write(&|| "7".into(), &message);
    let written = sheet.finish();
    for json in written.messages.iter().chain(&written.system) {
        assert!(exact(json).is_ok(), "{json}");
    }
}
