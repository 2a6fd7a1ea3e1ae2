//! Bad input: an error that names the problem and the remedy, and an unchanged log.

use ambit::{Caller, Kind, Source, parse_messages};

use crate::world::{World, ada, message};

pub fn invalid_names_are_refused(world: &World) {
    let me = ada();
    world.say(&me, "user", "hello");
    let long = "x".repeat(101);
    let bad = [
        "",
        " ",
        " a",
        "a ",
        "a\nb",
        "a\tb",
        "\u{1b}[31mred",
        "a\0b",
        "a\u{202e}b",
        "scp_1",
        "act_1",
        &long,
    ];
    for name in bad {
        world.refuses(Kind::Usage, |it| it.scope(&me, name, "why"));
        // A name in the form of an actor's id is looked up.
        let kind = if name == "act_1" { Kind::NotFound } else { Kind::Usage };
        world.refuses(kind, |it| it.note(&Caller::new(name), "who?"));
    }
    for good in ["a b", "Größe", "修复", "..", "-x", "a/b", "😀", "O'Brien", "%_"] {
        world.engine.scope(&me, good, "why").unwrap();
        assert_eq!(world.engine.where_am_i(&me).unwrap().primary_scope.as_deref(), Some(good));
    }
    world.verified();
}

pub fn invalid_messages_are_refused(world: &World) {
    let me = ada();
    world.say(&me, "user", "hello");
    let good = message("user", "fine");
    let table = [
        ("", "no message"),
        ("[]", "no message"),
        ("\n \n", "no message"),
        (r#"{"role":"user","content":"half"#, "line 1"),
        ("nonsense", "not JSON"),
        ("[1]", "message 1"),
        ("[{\"role\":\"user\"", "not a JSON array"),
        ("\"text\"", "a JSON object"),
        ("null", "a JSON object"),
        ("{}", "no role"),
        (r#"{"content":"x"}"#, "no role"),
        (r#"{"role":1,"content":"x"}"#, "no role"),
        (r#"{"role":"bard","content":"x"}"#, "invalid role \"bard\""),
        (r#"{"role":"user","content":5}"#, "invalid \"content\""),
        (r#"{"role":"user","content":{"a":1}}"#, "invalid \"content\""),
        (r#"{"role":"user","content":[5]}"#, "invalid \"type\" of a content part"),
        (r#"{"role":"user","content":[{"text":"x"}]}"#, "invalid \"type\" of a content part"),
        (r#"{"role":"user","content":[{"type":"text"}]}"#, "invalid \"text\" of a text part"),
        (r#"{"role":"assistant","tool_calls":5}"#, "invalid \"tool_calls\""),
        (r#"{"role":"assistant","tool_calls":[{}]}"#, "invalid \"id\" of a tool call"),
        (r#"{"role":"assistant","tool_calls":[{"id":"a"}]}"#, "invalid \"function\""),
        (r#"{"role":"assistant","tool_calls":[{"id":"a","function":{}}]}"#, "invalid \"name\""),
        (
            concat!(
                r#"{"role":"assistant","tool_calls":"#,
                r#"[{"id":"a","function":{"name":"f","arguments":{}}}]}"#
            ),
            "invalid \"arguments\"",
        ),
        (r#"{"role":"tool","tool_call_id":7,"content":"x"}"#, "invalid \"tool_call_id\""),
    ];
    for (bad, why) in table {
        let words = world.refuses(Kind::Usage, |it| it.append_json(&me, bad));
        assert!(words.contains(why), "{bad}: {words}");
        if !bad.trim().is_empty() && !bad.starts_with('[') {
            // All or none: a bad line refuses the good ones before it, and is named.
            let lines = format!("{good}\n\n{good}\n{bad}");
            let words = world.refuses(Kind::Usage, |it| it.append_json(&me, &lines));
            assert!(words.contains("line 4"), "{bad}: {words}");
        }
    }
}

pub fn invalid_utf8_is_refused(world: &World) {
    let me = ada();
    for bytes in [&b"{\"role\":\"user\",\"content\":\"\xff\"}"[..], b"\xc3", b"\xed\xa0\x80"] {
        let words = world.refuses(Kind::Usage, |it| {
            it.append(&me, parse_messages(bytes, Source::default(), &|_| {})?)
        });
        assert!(words.contains("not UTF-8"), "{words}");
    }
    let words = world.refuses(Kind::Usage, |it| {
        it.append(&me, parse_messages(b"{\"a\":\"\xff\"}", Source::default(), &|_| {})?)
    });
    assert!(words.contains("byte 7"), "{words}");
}

pub fn deep_nesting_is_refused(world: &World) {
    let me = ada();
    for exponent in ["", "1e5"] {
        let (open, close) = ("[".repeat(100_000), "]".repeat(100_000));
        let deep = format!(r#"{{"role":"user","content":"x","deep":{open}{exponent}{close}}}"#);
        world.refuses(Kind::Usage, |it| it.append_json(&me, &deep));
    }
}

pub fn a_message_over_the_limit_is_refused(world: &World) {
    let me = ada();
    // Short words: one long word is slow to count.
    let large = "four ".repeat(16 * 1024 * 1024 / 5 + 1);
    let words = world.refuses(Kind::Refused, |it| it.append_text(&me, "user", &large));
    assert!(words.contains("message_bytes_max"), "{words}");
    world.refuses(Kind::Refused, |it| it.note(&me, &"x".repeat(65_537)));
    world.engine.note(&me, &"x".repeat(65_536)).unwrap();
}

pub fn unknown_scopes_and_settings_are_refused(world: &World) {
    let me = ada();
    world.say(&me, "user", "hello");
    world.refuses(Kind::NotFound, |it| it.goto(&me, "nowhere", "x"));
    world.refuses(Kind::NotFound, |it| it.goto(&me, "scp_nowhere", "x"));
    world.refuses(Kind::NotFound, |it| it.compose(&ada().in_scope("nowhere"), &Default::default()));
    world.refuses(Kind::NotFound, |it| it.settings(&ada().in_scope("nowhere")));
    world.refuses(Kind::NotFound, |it| it.where_am_i(&ada().in_scope("nowhere")));
    world.refuses(Kind::NotFound, |it| it.set(&ada().in_scope("nowhere"), "budget", Some("9")));
    let words = world.refuses(Kind::Usage, |it| it.set(&me, "budgets", Some("9")));
    assert!(words.contains("\"budgets\""), "{words}");
    world.refuses(Kind::Usage, |it| it.set(&me, "budget", Some("lots")));
    // A home scope cannot be named, entered or written to.
    let home = world.home("ada");
    let home = world.rows().scopes.remove(&home).unwrap().id;
    world.refuses(Kind::NotFound, |it| it.goto(&me, &home, "x"));
    world.refuses(Kind::NotFound, |it| it.note(&ada().in_scope(home), "x"));
}
