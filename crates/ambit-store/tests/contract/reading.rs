//! Reads by name: events in order, texts once, notes by hash, blocks by turn, State by Needs.

use std::collections::BTreeSet;

use ambit_core::{Answer, ContentNo, Needs, Reach, WriteNote, digest, key_of};
use ambit_store::Store;

use crate::driver::{Driver, append, calls, counted, goto, note, reply, say, scope, set};
use crate::session;

pub fn events_come_in_pages(store: &dyn Store) {
    let mut driver = Driver::new(store);
    session::play(&mut driver);
    let all = driver.log();
    for size in [1, 7, 1000] {
        let mut paged = Vec::new();
        loop {
            let page = driver.read(|it| it.events(paged.len() as i64, size));
            assert!(page.len() as i64 <= size);
            if page.is_empty() {
                break;
            }
            paged.extend(page);
        }
        assert_eq!(paged, all);
    }
    let end = all.len() as i64;
    for (after, limit, expected) in
        [(0, 0, 0), (0, -1, 0), (end, 10, 0), (end + 5, 10, 0), (end - 2, 10, 2), (-5, 3, 3)]
    {
        let page = driver.read(|it| it.events(after, limit));
        assert_eq!(page.len(), expected, "after {after}, {limit} at most");
    }
}

pub fn contents_are_stored_once_and_come_in_pages(store: &dyn Store) {
    let mut driver = Driver::new(store);
    driver.must(&append(&[&calls(&["a"]), &reply("a"), &calls(&["a"]), &reply("a")]));
    driver.must(&say("twice"));
    driver.must(&say("twice"));
    driver.by("bob").must(&note("twice"));
    let all = driver.read(|it| it.contents(ContentNo(0), i64::MAX));
    let texts: BTreeSet<_> = all.iter().map(|content| content.text.clone()).collect();
    assert_eq!(all.len(), texts.len(), "equal texts are one content");
    assert!(texts.contains(&b"twice"[..]));
    let salts: BTreeSet<_> = all.iter().map(|content| content.salt).collect();
    assert_eq!(salts.len(), all.len(), "each has a salt of its own");
    for content in &all {
        assert_eq!(content.key, key_of(&content.salt, &content.text));
        assert_eq!(content.digest, digest(&content.text));
    }
    let mut paged = Vec::new();
    while let Some(next) = driver
        .read(|it| it.contents(paged.last().map_or(ContentNo(0), content_of), 1))
        .into_iter()
        .next()
    {
        paged.push(next);
    }
    assert_eq!(paged, all);
    for (after, limit) in [(0, 0), (0, -1), (i64::MAX, 10)] {
        assert_eq!(driver.read(|it| it.contents(ContentNo(after), limit)), []);
    }
}

fn content_of(content: &ambit_core::Content) -> ContentNo {
    content.content
}

pub fn notes_are_found_by_their_hash(store: &dyn Store) {
    let mut driver = Driver::new(store);
    let mut hashes = Vec::new();
    for number in 0..40 {
        let Answer::Noted(noted) = driver.must(&note(&format!("note {number}"))) else {
            panic!("a note")
        };
        hashes.push(noted.hash);
    }
    driver.read(|it| {
        for hash in &hashes {
            for digits in [7, 8, 63, 64] {
                let found = it.notes_by_hash(&hash[..digits])?;
                assert_eq!(found.len(), 1);
                assert_eq!(found[0].hash.to_hex(), *hash);
            }
            // Prefixes are lower-case digits, at most as many as a hash has.
            assert_eq!(it.notes_by_hash(&format!("{hash}0"))?, []);
            if hash[..16].bytes().any(|byte| byte.is_ascii_alphabetic()) {
                assert_eq!(it.notes_by_hash(&hash[..16].to_uppercase())?, []);
            }
        }
        let with_one_digit = |digit: char| hashes.iter().filter(|it| it.starts_with(digit)).count();
        for digit in "0123456789abcdef".chars() {
            let found = it.notes_by_hash(&digit.to_string())?;
            assert_eq!(found.len(), with_one_digit(digit).min(2), "two show that it is ambiguous");
            assert!(found.iter().all(|note| note.hash.to_hex().starts_with(digit)));
        }
        assert_eq!(it.notes_by_hash("xyz")?, []);
        assert_eq!(it.notes_by_hash("")?.len(), 2);
        Ok(())
    });
}

pub fn blocks_are_those_of_one_event(store: &dyn Store) {
    let mut driver = Driver::new(store);
    driver.must(&append(&[&calls(&["a", "b"]), &reply("b")]));
    driver.must(&note("a note"));
    driver.must(&scope("step-1", "carries the chain"));
    driver.read(|it| {
        let call = it.blocks(3)?;
        let texts: Vec<_> = call.iter().map(|row| (row.block, row.text.as_str())).collect();
        assert_eq!(texts, [(0, "on it"), (1, "{}"), (2, "{}")]);
        assert!(call.iter().all(|row| row.turn == 3 && row.shape.is_some() == (row.block == 0)));
        let reply = it.blocks(4)?;
        assert_eq!((reply.len(), reply[0].call), (1, Some(call[2].item)));
        assert_eq!(it.blocks(5)?[0].text, "a note");
        for none in [1, 2, 0, -1, 999, i64::MIN, i64::MAX] {
            assert_eq!(it.blocks(none)?, [], "event {none} made no block");
        }
        Ok(())
    });
}

pub fn state_holds_what_was_asked_for(store: &dyn Store) {
    let mut driver = Driver::new(store);
    driver.must(&say("one"));
    driver.must(&scope("step-1", "away"));
    driver.must(&goto("main", "back"));
    driver.must(&scope("step-2", "away"));
    driver.must(&append(&[&calls(&["a"])]));
    driver.by("bob").pin = Some("step-1".to_string());
    driver.must(&set("notes_shown", Some("2")));
    driver.pin = None;
    let names = |needs: &Needs| {
        let state = driver.read(|it| it.state(needs));
        let mut names: Vec<_> =
            state.scopes.values().map(|at| at.row.name.clone().unwrap()).collect();
        names.sort();
        (names, state)
    };
    let needs = Needs { actor: "ada".to_string(), ..Needs::default() };
    let (scopes, state) = names(&needs);
    assert_eq!(scopes, ["main", "step-2"], "main and what is active");
    assert_eq!(state.calls.len(), 1);
    assert!(state.frames.is_empty() && state.streams.is_empty() && state.texts.is_empty());
    assert!(state.settings.0.is_empty(), "no setting of a scope that is not at hand");

    let (scopes, state) = names(&Needs { all_scopes: true, ..needs.clone() });
    assert_eq!(scopes, ["main", "step-1", "step-2"], "no home scope");
    assert_eq!(state.settings.0.len(), 1);
    let by_id = state.find_scope("step-1").unwrap().id.clone();
    let wanted = Needs { scopes: vec![by_id.clone(), "nowhere".to_string()], ..needs.clone() };
    assert_eq!(names(&wanted).0, ["main", "step-1", "step-2"]);
    let home = driver.rows().scopes.into_values().find(|row| row.name.is_none()).unwrap().id;
    assert_eq!(names(&Needs { scopes: vec![home], ..needs.clone() }).0, ["main", "step-2"]);

    let actor = state.actor.unwrap();
    assert_eq!(names(&Needs { actor: actor.id, ..needs.clone() }).1.actor.unwrap().name, "ada");
    let stranger = Needs { actor: "eve".to_string(), ..needs.clone() };
    let (scopes, state) = names(&stranger);
    assert_eq!(
        (scopes, state.actor.is_none(), state.presence.len()),
        (vec!["main".into()], true, 0)
    );

    let reach = Reach { frames: true, streams: true, chain: true, ..Reach::default() };
    let texts = vec!["one".into(), "never said".into()];
    let state = names(&Needs { reach, texts, ..needs.clone() }).1;
    assert_eq!((state.frames.len(), state.streams.len()), (3, 3), "two scopes and the home");
    assert_eq!(state.chain.unwrap().len(), 2, "the call's text and arguments");
    assert_eq!(state.texts.len(), 1);
    let bobs = Needs { actor: "bob".to_string(), pin: Some("step-2".to_string()), ..needs };
    assert_eq!(names(&bobs).1.calls.len(), 0, "another's calls are not read");
    let all = Needs { reach: Reach { calls_of_all: true, ..Reach::default() }, ..bobs };
    let state = names(&all).1;
    assert_eq!((state.calls.len(), state.batches.len()), (1, 1));
}

/// Texts with NUL, line ends, and other characters that databases may mishandle.
pub fn texts_keep_every_byte(store: &dyn Store) {
    let mut driver = Driver::new(store);
    let odd = "a\0b\r\n\t'\"\\ %_ 😀 \u{FFFD} e\u{301}";
    let json = serde_json::json!({"role": "user", "content": odd}).to_string();
    driver.must(&append(&[&json]));
    driver.must(&ambit_core::Command::Note(WriteNote { message: counted(odd) }));
    driver.must(&scope("O'Brien; DROP TABLE place", odd));
    driver.read(|it| {
        assert_eq!(it.blocks(3)?[0].text, odd);
        let main = ambit_core::ScopeNo(1);
        let notes = it.notes(main, ambit_core::compose::NoteRange::ALL, 10)?;
        assert!(notes.iter().all(|note| note.text == odd));
        assert_eq!(notes[1].way, Some((true, "O'Brien; DROP TABLE place".to_string())));
        assert_eq!(it.contents(ContentNo(0), 10)?.len(), 1);
        Ok(())
    });
}
