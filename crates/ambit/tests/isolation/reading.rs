//! Reading back by handle, block, turn and hash; idempotency keys; isolation of vaults.

use ambit::{BlockAnswer, Caller, Kind, Part, PartAnswer, ReadAnswer, tokens};
use serde_json::Value;

use crate::world::{MINUTE, World, ada, bot, calls, message, reply};

fn block(world: &World, name: &str) -> BlockAnswer {
    match world.engine.read_handle(&ada(), name).unwrap() {
        ReadAnswer::Block(block) => block,
        other => panic!("{other:?}"),
    }
}

fn turn(world: &World, name: &str) -> Value {
    match world.engine.read_handle(&ada(), name).unwrap() {
        ReadAnswer::Turn { message, .. } => serde_json::from_str(message.get()).unwrap(),
        other => panic!("{other:?}"),
    }
}

pub fn turns_blocks_and_handles_can_be_read(world: &World) {
    let me = ada();
    let call = calls("looking", &["a", "b"]);
    let at = world.append(&me, std::slice::from_ref(&call));
    assert_eq!(turn(world, &at.to_string()), serde_json::from_str::<Value>(&call).unwrap());
    let text = block(world, &format!("{at}.0"));
    assert_eq!((text.text.as_str(), text.form.as_str()), ("looking", "text"));
    assert_eq!((text.role.as_str(), text.author.as_str()), ("assistant", "ada"));
    assert_eq!(text.timestamp, "2027-01-15T08:00:00.000Z");
    assert_eq!(text.tokens, ambit::tokens::count("looking") as i64);
    let arguments = block(world, &format!("{at}.2"));
    assert_eq!((arguments.text.as_str(), arguments.form.as_str()), ("{\"n\":1}", "call"));
    // The handle is the block's name with four digits of its key: it cannot name another text.
    assert!(arguments.handle.starts_with(&format!("{at}.2-")));
    assert_eq!(arguments.handle.len(), format!("{at}.2-").len() + 4);
    assert_eq!(block(world, &arguments.handle).text, "{\"n\":1}");
    let other = if arguments.handle.ends_with('0') { "1" } else { "0" };
    let wrong = format!("{}{other}", &arguments.handle[..arguments.handle.len() - 1]);
    for name in [wrong, format!("{at}.3"), format!("{at}.2-"), format!("{at}.2-abcde")] {
        world.refuses(Kind::NotFound, |it| it.read_handle(&me, &name));
    }
}

pub fn a_note_can_be_read_by_hash_and_by_event(world: &World) {
    let me = ada();
    world.pass(MINUTE);
    let away = world.engine.scope(&me, "step-1", "why\nand how").unwrap();
    let inside = world.engine.note(&me, "learned").unwrap();
    for digits in [7, 12, 64] {
        let found = world.engine.read_handle(&me, &away.note.hash[..digits]).unwrap();
        let ReadAnswer::Note(note) = found else { panic!("{found:?}") };
        assert_eq!(note.hash, away.note.hash);
        assert_eq!(note.message, "[→ step-1] why\nand how");
        assert_eq!((note.author.as_str(), note.parent_hash), ("ada", None));
        assert_eq!(note.timestamp, "2027-01-15T08:01:00.000Z");
    }
    assert_eq!(block(world, &inside.head.to_string()).text, "learned");
    let departure = world.notes("main").len() as i64 + 2;
    assert_eq!(block(world, &departure.to_string()).text, "why\nand how", "as it was written");
}

// Messages hidden by a rewind or a clearing can still be read.
pub fn hidden_messages_can_be_read(world: &World) {
    let me = ada();
    let kept = world.say(&me, "user", "kept");
    let hidden = world.say(&me, "assistant", "hidden");
    world.engine.rewind(&me, kept).unwrap();
    assert_eq!(turn(world, &hidden.to_string())["content"], "hidden");
    assert_eq!(world.compose(&me).messages.len(), 1);
}

pub fn unknown_names_are_not_found(world: &World) {
    let me = ada();
    world.say(&me, "user", "hello");
    let names = [
        "",
        "0",
        "1",
        "2",
        "999",
        "-1",
        "3.1",
        "3.-1",
        "3.",
        ".0",
        "x",
        "3.0-zzzz",
        "3.0.0",
        "3 ",
        "-9223372036854775808",
        "9223372036854775807",
        "99999999999999999999",
        "-9223372036854775808.0",
        "9223372036854775807.9223372036854775807",
        "abcdef",
        "ABCDEF0",
        "deadbeefdeadbeef",
        "💥",
        "3.0-ÄÄ",
    ];
    for name in names {
        world.refuses(Kind::NotFound, |it| it.read_handle(&me, name));
    }
    for to in [0, 1, -1, i64::MIN, i64::MAX] {
        world.refuses(Kind::NotFound, |it| it.rewind(&me, to));
    }
}

pub fn a_key_makes_a_repeated_call_safe(world: &World) {
    let key = |key: &str| ada().with_key(key);
    let first = world.engine.append_text(&key("k1"), "user", "hello").unwrap();
    let scope = world.engine.scope(&key("k2"), "step-1", "away").unwrap();
    let head = world.head();
    world.pass(MINUTE);
    assert_eq!(world.engine.append_text(&key("k1"), "user", "hello").unwrap(), first);
    assert_eq!(world.engine.scope(&key("k2"), "step-1", "away").unwrap(), scope);
    assert_eq!(world.head(), head, "nothing changed");
    world.refuses(Kind::Conflict, |it| it.append_text(&key("k1"), "user", "hello!"));
    world.refuses(Kind::Conflict, |it| it.note(&key("k1"), "hello"));
    // A refusal is not stored: the key can be used again.
    world.refuses(Kind::NotFound, |it| it.goto(&key("k3"), "step-2", "later"));
    world.engine.scope(&ada(), "step-2", "opened").unwrap();
    world.engine.goto(&ada(), "main", "back").unwrap();
    assert_eq!(world.engine.goto(&key("k3"), "step-2", "later").unwrap().scope, "step-2");
    let other = world.engine.append_text(&bot().with_key("k1"), "user", "bot's own").unwrap();
    assert!(other.head > first.head);
    world.pass(8 * 24 * 60 * MINUTE);
    let again = world.engine.append_text(&key("k1"), "user", "hello").unwrap();
    assert!(again.head > first.head, "a week later it is a new call");
    world.refuses(Kind::Usage, |it| it.note(&key(""), "x"));
    world.refuses(Kind::Usage, |it| it.note(&key(&"k".repeat(257)), "x"));
    world.engine.note(&key(&"k".repeat(256)), "x").unwrap();
    world.verified();
}

pub fn vaults_are_isolated_from_each_other(world: &World) {
    let there = Caller { vault: "team".to_string(), ..ada() };
    let words = world.refuses(Kind::NotFound, |it| it.note(&there, "nowhere"));
    assert!(words.contains("\"team\""), "{words}");
    assert!(world.engine.create_vault("team").unwrap());
    assert!(!world.engine.create_vault("team").unwrap());
    assert_eq!(world.engine.vaults().unwrap(), ["default", "team"]);
    let before = world.rows();
    let away = world.engine.scope(&there, "step-1", "in team").unwrap();
    world.engine.append_text(&there, "user", "secret").unwrap();
    assert_eq!(world.rows(), before);
    world.refuses(Kind::NotFound, |it| it.read_handle(&ada(), &away.note.hash));
    world.refuses(Kind::NotFound, |it| it.read_handle(&ada(), "8"));
    world.refuses(Kind::NotFound, |it| it.goto(&ada(), "step-1", "x"));
    let id = world.engine.scopes(&there).unwrap().scopes.remove(1).id;
    world.refuses(Kind::NotFound, |it| it.goto(&ada(), &id, "x"));
    world.engine.scope(&ada(), "step-1", "a name of our own").unwrap();
    for bad in ["", "a\u{7}b", " x"] {
        world.refuses(Kind::Usage, |it| it.create_vault(bad));
    }
}

// An actor can be named by its name or its id.
pub fn an_actor_is_named_by_name_or_id(world: &World) {
    world.say(&ada(), "user", "hello");
    let id = world.rows().actors.into_values().next().unwrap().id;
    assert!(id.starts_with("act_"));
    let answer = world.engine.append_text(&Caller::new(id), "user", "by id").unwrap();
    assert_eq!(world.rows().actors.len(), 1);
    assert_eq!(block(world, &format!("{}.0", answer.head)).author, "ada");
    world.refuses(Kind::NotFound, |it| it.note(&Caller::new("act_nobody"), "x"));
}

// The answer of an append states how many messages, how many tokens and where; replies count like
// any message.
pub fn append_reports_what_it_did(world: &World) {
    let me = ada();
    let texts = ["hello", "calling", "{\"n\":1}", "done"];
    let answer = world
        .engine
        .append_json(&me, &[message("user", texts[0]), calls(texts[1], &["a"])].join("\n"))
        .unwrap();
    assert_eq!((answer.scope.as_str(), answer.appended, answer.head), ("main", 2, 4));
    let place = world.engine.where_am_i(&me).unwrap();
    assert_eq!((place.tokens, place.head, place.messages), (answer.tokens, Some(4), 2));
    let reply = world.engine.append_json(&me, &reply("a", texts[3])).unwrap();
    assert_eq!(world.engine.where_am_i(&me).unwrap().tokens, answer.tokens + reply.tokens);
    // An array is the same as lines.
    let array = format!("[{},{}]", message("user", "x"), message("user", "y"));
    assert_eq!(world.engine.append_json(&me, &array).unwrap().appended, 2);
    let lone = r#"{"role":"user","content":"a\ud800b"}"#;
    let answer = world.engine.append_json(&me, lone).unwrap();
    assert_eq!(answer.warnings, ["replaced 1 lone surrogate with U+FFFD"]);
    assert_eq!(block(world, &format!("{}.0", answer.head)).text, "a\u{FFFD}b");
}

fn part_of(world: &World, handle: &str, part: &Part) -> PartAnswer {
    match world.engine.read_part(&ada(), handle, part).unwrap() {
        ReadAnswer::Part(part) => part,
        other => panic!("{other:?}"),
    }
}

// Proves S1-3: a shortened text can be read back part by part, byte for byte.
pub fn any_part_of_any_handle_equals_the_stored_bytes(world: &World) {
    let me = ada();
    let text: String =
        (0..900).map(|n| format!("{n}: größer, 修复 line with words {}\n", n * 7)).collect();
    let turn = world.engine.append_text(&me, "user", &text).unwrap().head;
    let handle = format!("{turn}.0");
    // Part after part, as each answer names the next.
    let (mut read, mut part) = (String::new(), Part::Start);
    let mut pieces = 0;
    loop {
        let answer = part_of(world, &handle, &part);
        assert!(tokens::count(&answer.text) <= 2_000, "{}", answer.part);
        assert_eq!(answer.bytes, text.len() as i64);
        read += &answer.text;
        pieces += 1;
        match answer.next {
            Some(next) => part = Part::bytes(next.strip_prefix("--range ").unwrap()).unwrap(),
            None => break,
        }
    }
    assert!(pieces > 3 && read == text);
    // Ranges of bytes and lines from any position.
    let mut chance = 17usize;
    for _ in 0..200 {
        chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let from = text.floor_char_boundary(chance % text.len());
        let to = text.floor_char_boundary((from + chance % 999).min(text.len()));
        let wanted = Part::Bytes { from, to: Some(to) };
        assert_eq!(part_of(world, &handle, &wanted).text, text[from..to]);
        let line = 1 + chance % 890;
        let wanted = Part::Lines { from: line, to: Some(line + 5) };
        let lines: String = text.split_inclusive('\n').skip(line - 1).take(6).collect();
        assert_eq!(part_of(world, &handle, &wanted).text, lines);
    }
    let grep = Part::Grep { pattern: "^(7|42): ".into(), from: 1 };
    let found = part_of(world, &handle, &grep).text;
    assert_eq!(found.lines().count(), 2);
    assert!(found.starts_with("8: 7: größer"), "{found}");
    // A whole message over the limit is read in parts too; a smaller one is returned whole.
    let whole = part_of(world, &turn.to_string(), &Part::Start);
    assert!(tokens::count(&whole.text) <= 2_000 && whole.next.is_some());
    let short = world.say(&me, "user", "short").to_string();
    let short = world.engine.read_part(&me, &short, &Part::Start).unwrap();
    assert!(matches!(short, ReadAnswer::Turn { .. }), "{short:?}");
    // A range past the end is refused.
    let bad = [
        Part::Bytes { from: text.len() + 1, to: None },
        Part::Bytes { from: text.find('ö').unwrap() + 1, to: None },
        Part::Lines { from: 901, to: None },
        Part::Lines { from: 0, to: None },
        Part::Grep { pattern: "(".into(), from: 1 },
    ];
    for part in bad {
        world.refuses(Kind::Usage, |it| it.read_part(&me, &handle, &part));
    }
    world.refuses(Kind::NotFound, |it| it.read_part(&me, "999999.0", &Part::Start));
    world.refuses(Kind::NotFound, |it| it.read_part(&me, &format!("{turn}.0-0000"), &Part::Start));
    for text in ["5", "a..b", "9..3"] {
        assert!(Part::bytes(text).is_err(), "{text}");
    }
}
