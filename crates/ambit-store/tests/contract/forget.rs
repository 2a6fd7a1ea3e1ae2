//! Forgetting: a text is deleted with its last reference, and a mark is shown in each place.

use std::thread;

use ambit_core::compose::Shown;
use ambit_core::{Answer, Command, ContentNo, ForgetAnswer, ItemNo, Needs, Rewind, ScopeNo};
use ambit_store::{Error, Store};

use crate::driver::{Driver, append, calls, deciding, forget, note, reply, say, scope};

const MAIN: ScopeNo = ScopeNo(1);

fn texts(driver: &Driver<'_>) -> Vec<String> {
    let contents = driver.read(|it| it.contents(ContentNo(0), i64::MAX));
    contents.into_iter().map(|it| String::from_utf8(it.text).unwrap()).collect()
}

fn forgets(driver: &mut Driver<'_>, command: &Command) -> ForgetAnswer {
    match driver.must(command) {
        Answer::Forgot(answer) => answer,
        other => panic!("{other:?}"),
    }
}

fn shown(driver: &Driver<'_>) -> Vec<Shown> {
    driver.read(|it| it.messages(MAIN, 0, i64::MAX))
}

pub fn a_text_is_deleted_with_its_last_reference(store: &dyn Store) {
    let mut driver = Driver::new(store);
    driver.must(&say("shared"));
    driver.by("bob").must(&say("shared"));
    driver.must(&note("shared"));
    driver.must(&say("alone"));
    let items: Vec<_> = driver.rows().items.keys().copied().collect();
    let first = forgets(&mut driver, &forget(&items[..1], &[]));
    assert_eq!((first.blocks, first.notes, first.texts), (1, 0, 0), "two others use the text");
    assert_eq!(texts(&driver), ["shared", "alone"]);
    assert_eq!(shown(&driver)[1].text, "shared", "the others are unchanged");
    let second = forgets(&mut driver, &forget(&items[1..3], &[]));
    assert_eq!((second.blocks, second.notes, second.texts), (1, 1, 1));
    assert_eq!(texts(&driver), ["alone"]);
}

pub fn marks_replace_forgotten_texts(store: &dyn Store) {
    let mut driver = Driver::new(store);
    driver.must(&append(&[&calls(&["a", "b"]), &reply("a"), &reply("b")]));
    driver.must(&note("learned something"));
    let before = shown(&driver);
    let items: Vec<_> = before.iter().map(|row| row.item).collect();
    let answer = forgets(&mut driver, &forget(&items, &[]));
    let after = shown(&driver);
    assert_eq!(before.len(), after.len());
    for (before, after) in before.iter().zip(&after) {
        let kept = |row: &Shown| (row.position, row.item, row.form, row.role, row.call, row.turn);
        assert_eq!(kept(before), kept(after));
        assert_eq!((before.forgotten, after.forgotten), (None, Some(answer.head)));
        assert_eq!(before.shape, after.shape, "the rest of the message stays");
        assert!(after.text.contains("forgotten"), "{after:?}");
        assert!(after.text_tokens > 0 && after.tokens >= after.text_tokens);
    }
    let noted = driver.rows().notes.values().next().unwrap().clone();
    let answer = forgets(&mut driver, &forget(&[noted.item], &[]));
    let notes = driver.read(|it| it.notes_by_hash(&noted.hash.to_hex()));
    assert_eq!((notes[0].text.as_str(), notes[0].forgotten), ("[forgotten]", Some(answer.head)));
    assert_eq!(driver.read(|it| it.blocks(noted.seq))[0].forgotten, Some(answer.head));
}

pub fn the_shape_of_a_turn_can_be_forgotten_too(store: &dyn Store) {
    let mut driver = Driver::new(store);
    let message = r#"{"role":"user","content":"hello","mood":"secret"}"#;
    driver.must(&append(&[message, message]));
    let before = shown(&driver);
    let answer = forgets(&mut driver, &forget(&[], &[before[0].turn]));
    assert_eq!((answer.blocks, answer.shapes, answer.texts), (0, 1, 0), "the other has it too");
    let after = shown(&driver);
    assert!(after[0].shapeless && !after[1].shapeless);
    assert_eq!((after[0].shape.as_deref(), after[0].text.as_str()), (None, "hello"));
    assert_eq!(after[1].shape, before[1].shape);
    let answer = forgets(&mut driver, &forget(&[], &[before[1].turn]));
    assert_eq!((answer.shapes, answer.texts), (1, 1));
    assert_eq!(texts(&driver), ["hello"]);
}

pub fn forgetting_again_writes_no_event(store: &dyn Store) {
    let mut driver = Driver::new(store);
    driver.must(&append(&[r#"{"role":"user","content":"hello","more":1}"#]));
    let row = shown(&driver).remove(0);
    let command = forget(&[row.item], &[row.turn]);
    driver.key = Some("once".to_string());
    let first = forgets(&mut driver, &command);
    assert_eq!((first.blocks, first.shapes, first.texts), (1, 1, 2));
    let before = (driver.log(), driver.rows());
    assert_eq!(forgets(&mut driver, &command), first, "its key gives the first answer");
    driver.key = None;
    assert_eq!(forgets(&mut driver, &command), ForgetAnswer::default());
    assert_eq!((driver.log(), driver.rows()), before);
    let stranger = driver.by("eve");
    assert_eq!(forgets(stranger, &command), ForgetAnswer::default());
    assert_eq!((driver.log(), driver.rows()), before, "and registers nobody");
}

/// Forgetting a message changes its scope; forgetting a note also changes the scopes that inherit
/// it.
pub fn forgetting_starts_an_epoch_where_it_was_shown(store: &dyn Store) {
    let mut driver = Driver::new(store);
    driver.must(&say("in main"));
    driver.must(&note("inherited"));
    driver.must(&scope("step-1", "away"));
    driver.must(&say("in step-1"));
    let rows = driver.rows();
    let step = rows.scopes.values().find(|row| row.name.as_deref() == Some("step-1")).unwrap();
    let (here, step) = (shown(&driver).remove(0).item, step.scope);
    let boundaries = |driver: &Driver<'_>| {
        let rows = driver.rows();
        (rows.scopes[&MAIN].boundary, rows.scopes[&step].boundary, rows.vault.boundary)
    };
    let head = forgets(&mut driver, &forget(&[here], &[])).head;
    assert_eq!(boundaries(&driver), (head, 0, 0));
    assert_eq!(driver.rows().scopes[&MAIN].head, head);
    let noted = rows.notes.values().find(|row| row.scope == MAIN).unwrap().item;
    let later = forgets(&mut driver, &forget(&[noted], &[])).head;
    assert_eq!(boundaries(&driver), (later, 0, later));

    // A hidden block changes nothing.
    let there = driver.read(|it| it.messages(step, 0, i64::MAX)).remove(0);
    driver.must(&say("to rewind to"));
    driver.must(&Command::Rewind(Rewind { to: there.turn }));
    let hidden = driver.rows().places.values().find(|row| row.to_seq.is_some()).unwrap().item;
    let before = boundaries(&driver);
    forgets(&mut driver, &forget(&[hidden], &[]));
    assert_eq!(boundaries(&driver), before);
}

pub fn an_equal_text_is_stored_again_after_forgetting(store: &dyn Store) {
    let mut driver = Driver::new(store);
    driver.must(&say("again"));
    let before = driver.rows().items.values().next().unwrap().clone();
    forgets(&mut driver, &forget(&[before.item], &[]));
    driver.must(&say("again"));
    let rows = driver.rows();
    let after = rows.items.values().next_back().unwrap();
    assert!(after.content > before.content, "a number is given once");
    assert_eq!(shown(&driver)[1].text, "again");
}

/// Queued commands are decided in one transaction: a text that one of them forgets cannot be the
/// stored text that another one references.
pub fn forgetting_and_appending_an_equal_text_do_not_race(store: &dyn Store) {
    let mut driver = Driver::new(store);
    driver.must(&say("same"));
    for round in 0..30 {
        let items: Vec<ItemNo> = driver.rows().items.keys().copied().collect();
        let mut others: Vec<_> = (0..4).map(|n| named(&driver, n, round)).collect();
        let commands = [say("same"), forget(&items, &[]), note("same"), say("same")];
        thread::scope(|threads| {
            for (other, command) in others.iter_mut().zip(commands) {
                threads.spawn(move || {
                    let ask = other.ask(&command);
                    let decide = deciding(&ask, command);
                    other.store.transact(ask, decide).unwrap();
                });
            }
        });
        // One more command makes the driver check everything.
        driver.seed += 1_000;
        driver.must(&say(&format!("round {round}")));
    }
}

fn named<'a>(driver: &Driver<'a>, number: u64, round: u64) -> Driver<'a> {
    Driver {
        store: driver.store,
        vault: driver.vault.clone(),
        actor: format!("actor {number}"),
        pin: None,
        key: None,
        expect_head: None,
        now: driver.now,
        seed: 1_000_000 * (number + 1) + round * 10,
    }
}

pub fn forgetting_ignores_unknown_numbers(store: &dyn Store) {
    let mut driver = Driver::new(store);
    driver.must(&say("here"));
    let numbers = [0, -1, 99, i64::MIN, i64::MAX];
    let nothing = forget(&numbers.map(ItemNo), &numbers);
    assert_eq!(forgets(&mut driver, &nothing), ForgetAnswer::default());
    let many: Vec<_> = (0..10_000).map(ItemNo).collect();
    let too_many = driver.give(&forget(&many, &[]));
    assert!(matches!(too_many, Err(Error::Refused(_))), "{too_many:?}");
    let items = driver.read(|it| it.items_in(MAIN));
    assert_eq!(items, driver.rows().items.keys().copied().collect());
    assert!(driver.read(|it| it.items_in(ScopeNo(99))).is_empty());
    assert_eq!(driver.read(|it| it.state(&Needs::default())).selected, Default::default());
    assert!(store.scrub().unwrap());
}
