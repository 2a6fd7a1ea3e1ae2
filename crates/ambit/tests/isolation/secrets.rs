//! Secrets are removed from texts, and from nothing else, before anything is counted, hashed or
//! stored.

use ambit::{Kind, tokens};
use serde_json::{Value, json};

use crate::world::{World, ada, bytes, message, shown, texts};

/// Built at run time, so that no file contains a secret.
fn token() -> String {
    format!("ghp_{}", "a1B2c3".repeat(6))
}

const MARK: &str = "[redacted: GitHub token]";

pub fn secrets_are_removed_before_anything_is_stored(world: &World) {
    let (me, secret) = (ada(), token());
    let arguments = json!({"command": format!("export T=\n{secret}")}).to_string();
    let call = json!({"role": "assistant", "content": "trying", "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "sh", "arguments": arguments}},
        {"id": "c2", "type": "custom", "custom": {"name": "do", "input": format!("use {secret}")}},
    ]});
    let messages = [
        message("user", &format!("my token is {secret}")),
        call.to_string(),
        json!({"role": "tool", "tool_call_id": "c1", "content": [
            {"type": "text", "text": format!("T={secret}")},
            {"type": "text", "text": format!("{secret} and {secret}, AKIAIOSFODNN7EXAMPLE")},
        ]})
        .to_string(),
        message("user", "nothing here"),
    ];
    let answer = world.engine.append_json(&me, &messages.join("\n")).unwrap();
    let said = [
        "message 1: a GitHub token was redacted",
        "message 2: 2 GitHub tokens were redacted",
        "message 3: 3 GitHub tokens were redacted",
        "message 3: an AWS key id was redacted",
    ];
    assert_eq!(answer.warnings, said);
    let words = ["a GitHub token was redacted"];
    assert_eq!(world.engine.note(&me, &format!("found {secret}")).unwrap().warnings, words);
    assert_eq!(world.engine.scope(&me, "step", &format!("why {secret}")).unwrap().warnings, words);
    assert_eq!(world.engine.goto(&me, "main", &format!("got {secret}")).unwrap().warnings, words);
    assert!(world.engine.note(&me, "nothing here").unwrap().warnings.is_empty());
    for content in world.contents() {
        let text = String::from_utf8(content.text).unwrap();
        assert!(!text.contains(&secret[4..]) && !text.contains("AKIA"), "{text}");
        assert_eq!(content.tokens, tokens::count(&text) as i64, "{text}");
    }
    assert_eq!(world.notes("main")[0].0, format!("found {MARK}"));
    // The arguments of a call are still the same JSON.
    let composed = shown(&world.engine.compose(&me, &Default::default()).unwrap());
    assert!(composed.iter().any(|it| it["content"] == format!("my token is {MARK}")));
    let read = world.engine.read_handle(&me, "4").unwrap();
    let turn: Value = serde_json::to_value(&read).unwrap();
    let arguments = turn["message"]["tool_calls"][0]["function"]["arguments"].as_str().unwrap();
    let arguments: Value = serde_json::from_str(arguments).unwrap();
    assert_eq!(arguments["command"], format!("export T=\n{MARK}"));
    world.verified();
}

pub fn only_texts_arguments_and_replies_are_redacted(world: &World) {
    let (me, secret) = (ada(), token());
    let given = [
        json!({"role": "user", "name": secret, "x": {"y": secret}, "content": [
            {"type": "image_url", "image_url": {"url": format!("https://h/?t={secret}")}},
            {"type": "file", "file": {"file_data": secret}},
            {"type": "reasoning", "signature": secret, "encrypted_content": secret},
            {"type": "text", "text": "look", "cache": secret},
        ]}),
        json!({"role": "assistant", "content": null, "signature": secret, "tool_calls": [
            {"id": secret, "type": "function", "function": {"name": secret, "arguments": "{}"}},
        ]}),
        json!({"role": "tool", "tool_call_id": secret, "content": "done"}),
    ];
    let lines: Vec<_> = given.iter().map(Value::to_string).collect();
    let answer = world.engine.append_json(&me, &lines.join("\n")).unwrap();
    assert_eq!(answer.warnings, Vec::<String>::new());
    for (turn, given) in (3..).zip(&lines) {
        let read = world.engine.read_handle(&me, &turn.to_string()).unwrap();
        let message = serde_json::to_value(&read).unwrap()["message"].to_string();
        assert_eq!(&message, given);
    }
    // Names are labels and are not redacted.
    assert_eq!(world.engine.scope(&me, &secret, "why").unwrap().scope, secret);
}

pub fn redaction_is_a_setting(world: &World) {
    let (me, secret) = (ada(), token());
    world.set("redact", "off");
    let answer = world.engine.append_text(&me, "user", &secret).unwrap();
    assert!(answer.warnings.is_empty());
    world.engine.note(&me, &secret).unwrap();
    world.engine.set(&me, "redact", None).unwrap();
    world.engine.append_text(&me, "user", &secret).unwrap();
    let shown = texts(&world.compose(&me));
    assert!(shown[0].contains(&secret), "{shown:?}");
    assert_eq!(shown[1..], [secret, MARK.to_string()]);
    world.verified();
}

pub fn a_vault_can_configure_prefixes_of_secrets(world: &World) {
    let (me, secret) = (ada(), token());
    world.set("redact_also", "ACME-,corp_");
    let text = format!("ACME-12345678, corp_short, {secret}");
    let first = world.engine.append_text(&me.clone().with_key("k"), "user", &text).unwrap();
    let said = ["GitHub", "configured"].map(|it| format!("message 1: a {it} token was redacted"));
    assert_eq!(first.warnings, said);
    let again = world.engine.append_text(&me.clone().with_key("k"), "user", &text).unwrap();
    assert_eq!(again, first, "the same call gives the first answer");
    world.refuses(Kind::Conflict, |it| {
        it.append_text(&ada().with_key("k"), "user", "ACME-12345678 and more")
    });
    let noted = world.engine.note(&me, "corp_abc-defgh").unwrap();
    assert_eq!(noted.warnings, ["a configured token was redacted"]);
    assert_eq!(world.notes("main")[0].0, "[redacted: configured token]");
    world.say(&me, "user", "no secret");
    let shown = bytes(&world.compose(&me)).concat();
    assert!(shown.contains(&format!("[redacted: configured token], corp_short, {MARK}")));
    assert!(!shown.contains("ACME-1"));
    // With redaction off nothing is removed, configured or not.
    world.set("redact", "off");
    assert!(world.engine.note(&me, &text).unwrap().warnings.is_empty());
    assert_eq!(world.notes("main")[1].0, text);
    // A command that is refused for another reason still reports that reason.
    let words = world.refuses(Kind::NotFound, |it| it.goto(&me, "nowhere", &text));
    assert!(words.contains("nowhere"), "{words}");
    world.verified();
}

pub fn warnings_about_many_secrets_are_summed_up(world: &World) {
    let line = message("user", &token());
    let lines = vec![line; 25].join("\n");
    let warnings = world.engine.append_json(&ada(), &lines).unwrap().warnings;
    assert_eq!(warnings.len(), 21);
    assert_eq!(warnings[19], "message 20: a GitHub token was redacted");
    assert_eq!(warnings[20], "secrets were redacted in 5 more of the messages");
}
