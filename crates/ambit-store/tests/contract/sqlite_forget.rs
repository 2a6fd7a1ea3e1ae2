//! A forgotten text is in no table, index, file or write-ahead log: a search for its bytes finds
//! nothing, regardless of what was written and forgotten around it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use ambit_core::{ContentNo, Hash, ItemNo};
use ambit_store::{Import, Options, Sqlite, Store};
use ambit_text::terms::Term;
use rusqlite::{Connection, TransactionBehavior};
use tempfile::TempDir;

use crate::chance::Chance;
use crate::driver::{Driver, append, deciding, forget, note};

/// The repeated unit of every text: any piece of a text identifies it.
const SIGN: &str = "~sign~";
const SIGN_DIGITS: usize = 8;

fn text(number: u64, repeats: u64) -> String {
    format!("{SIGN}{number:0SIGN_DIGITS$}").repeat(repeats as usize)
}

/// Returns the numbers of all texts of which a piece is in any file of a folder.
fn found(folder: &Path) -> BTreeSet<u64> {
    let mut found = BTreeSet::new();
    for file in fs::read_dir(folder).unwrap() {
        let bytes = fs::read(file.unwrap().path()).unwrap();
        let mut at = 0;
        while let Some(next) = memchr(&bytes[at..]) {
            at += next + SIGN.len();
            let digits = bytes.get(at..at + SIGN_DIGITS).map(std::str::from_utf8);
            found.extend(digits.and_then(Result::ok).and_then(|it| it.parse::<u64>().ok()));
        }
    }
    found
}

fn memchr(bytes: &[u8]) -> Option<usize> {
    let first = SIGN.as_bytes()[0];
    let mut at = 0;
    loop {
        at += bytes[at..].iter().position(|byte| *byte == first)?;
        if bytes[at..].starts_with(SIGN.as_bytes()) {
            return Some(at);
        }
        at += 1;
    }
}

/// Gives commands without the driver's checks after each.
struct Writer<'a> {
    driver: Driver<'a>,
    chance: Chance,
    /// The items of each text, and which of them are forgotten.
    kept: Vec<(u64, ItemNo)>,
    gone: BTreeSet<u64>,
    next: u64,
}

impl Writer<'_> {
    fn give(&mut self, command: ambit_core::Command) {
        let ask = self.driver.ask(&command);
        let decide = deciding(&ask, command);
        self.driver.store.transact(ask, decide).unwrap();
    }

    /// Appends a message: usually a line, sometimes more than a page.
    fn say(&mut self) {
        let repeats = match self.chance.below(10) {
            0..=4 => 1 + self.chance.below(10),
            5..=7 => 50 + self.chance.below(200),
            _ => 500 + self.chance.below(4_000),
        };
        let text = text(self.next, repeats);
        let command = match self.chance.below(3) {
            0 if repeats < 250 => note(&text),
            // Half of the message is in unknown fields.
            1 => append(&[&format!(r#"{{"role":"user","content":"hi","mood":"{text}"}}"#)]),
            _ => append(&[&format!(r#"{{"role":"user","content":"{text}"}}"#)]),
        };
        self.give(command);
        let last = self.driver.read(|it| {
            let head = it.state(&Default::default())?.vault.head_seq;
            Ok(it.blocks(head)?[0].item)
        });
        self.kept.push((self.next, last));
        self.next += 1;
    }

    fn forget(&mut self, count: usize) {
        let mut items = Vec::new();
        for _ in 0..count.min(self.kept.len()) {
            let at = self.chance.below(self.kept.len() as u64) as usize;
            let (number, item) = self.kept.swap_remove(at);
            self.gone.insert(number);
            items.push(item);
        }
        let rows = self.driver.rows();
        let turns: Vec<_> = items.iter().map(|item| rows.items[item].turn).collect();
        self.give(forget(&items, &turns));
        assert!(self.driver.store.scrub().unwrap());
    }

    fn check(&self, folder: &Path) {
        let found = found(folder);
        let left: Vec<_> = found.intersection(&self.gone).collect();
        assert!(left.is_empty(), "forgotten, and found in a file: {left:?}");
        let kept: BTreeSet<_> = self.kept.iter().map(|(number, _)| *number).collect();
        assert_eq!(found, kept, "what was not forgotten is there");
    }
}

fn writer<'a>(store: &'a Sqlite, seed: u64) -> Writer<'a> {
    let chance = Chance::new(seed);
    let (kept, gone) = (Vec::new(), BTreeSet::new());
    Writer { driver: Driver::new(store), chance, kept, gone, next: 0 }
}

#[test]
fn no_file_contains_bytes_of_a_forgotten_text() {
    for seed in 1..=4 {
        let folder = TempDir::new().unwrap();
        let store = Sqlite::create(&folder.path().join("ambit.db"), &Options::default()).unwrap();
        let mut writer = writer(&store, seed);
        (0..150).for_each(|_| writer.say());
        writer.check(folder.path());
        while !writer.kept.is_empty() {
            let more = writer.chance.below(3).min(150u64.saturating_sub(writer.gone.len() as u64));
            (0..more).for_each(|_| writer.say());
            let fewer = 1 + writer.chance.below(4) as usize;
            writer.forget(fewer);
            writer.check(folder.path());
        }
        assert!(writer.gone.len() > 150);
    }
}

/// Returns the entries of a word in the search index: its hash with a count, in a term vector or
/// in a segment.
fn entries(word: &str) -> [Vec<u8>; 3] {
    let hash = Term::from(word.as_bytes()).0.to_be_bytes();
    [[&hash[..], &[1]].concat(), [&hash[..], &[0x81]].concat(), [&hash[1..], &[0, 1]].concat()]
}

/// Counts how many of these byte strings are in any file of a folder.
fn count_in_files(folder: &Path, sought: &BTreeSet<Vec<u8>>) -> usize {
    let mut found = BTreeSet::new();
    for file in fs::read_dir(folder).unwrap() {
        let bytes = fs::read(file.unwrap().path()).unwrap();
        found.extend(bytes.windows(5).filter(|it| sought.contains(*it)).map(<[u8]>::to_vec));
    }
    found.len()
}

/// Nothing of a forgotten text remains in the search index either: not in its term vector, not in a
/// segment, and not in pages that were rewritten when neighbouring rows changed.
#[test]
fn no_file_contains_index_entries_of_a_forgotten_text() {
    let folder = TempDir::new().unwrap();
    let store = Sqlite::create(&folder.path().join("ambit.db"), &Options::default()).unwrap();
    let mut writer = writer(&store, 5);
    let words = |number: u64| (0..6).map(move |it| format!("q{number}z{it}"));
    for from in (0..3_000).step_by(250) {
        let text = |it| words(it).collect::<Vec<_>>().join(" ");
        let line =
            |it| format!(r#"{{"role":"user","content":"{} {}"}}"#, text(it), "of all ".repeat(9));
        let lines: Vec<String> = (from..from + 250).map(line).collect();
        writer.give(append(&lines.iter().map(String::as_str).collect::<Vec<_>>()));
    }
    let rows = writer.driver.rows();
    let items: Vec<ItemNo> = rows.items.keys().copied().collect();
    // An entry in a segment has few bytes: skip those that two words share.
    let mut shared: BTreeMap<Vec<u8>, i64> = BTreeMap::new();
    for word in (0..3_000).flat_map(words) {
        entries(&word).into_iter().for_each(|it| *shared.entry(it).or_default() += 1);
    }
    let of = |number: &u64| {
        let all = words(*number).flat_map(|word| entries(&word));
        all.filter(|it| shared[it] == 1).collect::<Vec<_>>()
    };
    let mut order: Vec<u64> = (0..3_000).collect();
    let mut gone = BTreeSet::new();
    for round in 0..12 {
        let mut batch = Vec::new();
        for _ in 0..100 {
            let at = writer.chance.below(order.len() as u64) as usize;
            batch.push(order.swap_remove(at));
        }
        let sought: BTreeSet<_> = batch.iter().flat_map(of).collect();
        assert!(
            count_in_files(folder.path(), &sought) >= 600,
            "round {round}: they are there at first"
        );
        let items: Vec<_> = batch.iter().map(|number| items[*number as usize]).collect();
        writer.give(forget(&items, &[]));
        assert!(store.scrub().unwrap());
        gone.extend(sought);
        assert_eq!(count_in_files(folder.path(), &gone), 0, "round {round}");
        // A new text moves existing rows to other pages.
        writer.say();
    }
}

/// The same for an abandoned import; the texts of other vaults stay.
#[test]
fn an_abandoned_import_leaves_no_text_behind() {
    let folder = TempDir::new().unwrap();
    let store = Sqlite::create(&folder.path().join("ambit.db"), &Options::default()).unwrap();
    let mut writer = writer(&store, 9);
    for round in 0..5u64 {
        let source = Hash([round as u8; 32]);
        store.import("other", Import::Begin { source }).unwrap();
        for number in 0..40 {
            writer.say();
            let text = text(10_000 + round * 100 + number, 1 + writer.chance.below(300));
            let content = ambit_core::Content {
                content: ContentNo(number as i64 + 1),
                key: Hash([1; 32]),
                salt: [2; 16],
                digest: number as i64,
                tokens: 1,
                text: text.into_bytes(),
            };
            let step = Import::Load { contents: vec![content], events: Vec::new() };
            store.import("other", step).unwrap();
        }
        store.import("other", Import::Abandon).unwrap();
        writer.forget(20);
        writer.check(folder.path());
    }
}

/// A reader of an older snapshot keeps it in the log: `scrub` waits for a while, reports it, and
/// can be repeated.
#[test]
fn a_reader_that_blocks_scrub_is_reported() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("ambit.db");
    let store = Sqlite::create(&path, &Options { wait_ms: 50, ..Options::default() }).unwrap();
    let mut writer = writer(&store, 1);
    writer.say();
    let mut other = Connection::open(&path).unwrap();
    let reading = other.transaction_with_behavior(TransactionBehavior::Deferred).unwrap();
    let count: i64 = reading.query_row("SELECT COUNT(*) FROM event", [], |it| it.get(0)).unwrap();
    assert!(count > 0);
    let (number, item) = writer.kept.remove(0);
    let turn = writer.driver.rows().items[&item].turn;
    writer.give(forget(&[item], &[turn]));
    assert!(!store.scrub().unwrap(), "the reader still sees it");
    assert!(found(folder.path()).contains(&number));
    drop(reading);
    assert!(store.scrub().unwrap());
    assert!(!found(folder.path()).contains(&number));
}
