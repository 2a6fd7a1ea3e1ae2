//! The search index: every store finds what the reference finds, with the same scores, in segments
//! or outside of them; and no word finds a forgotten text.

use std::collections::BTreeSet;

use ambit_core::search::{Bearer, Matches, Query, SPAN, Shortlist, Sought};
use ambit_core::{Command, Content, ContentNo, Hash, ItemNo};
use ambit_store::{Import, Memory, Store};

use crate::driver::{Driver, append, calls, deciding, forget, note, read, reply, say};

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % bound.max(1)
    }

    /// Returns a word; words with lower numbers are more frequent.
    fn word(&mut self) -> String {
        let bound = 1 + self.below(3_000);
        match self.below(12) {
            0 => format!("part{}_name{}", self.below(bound), self.below(9)),
            1 => format!("src/dir{}/file{}.rs", self.below(9), self.below(bound)),
            2 => self.below(bound).to_string(),
            3 => format!("wordCase{}", self.below(bound)),
            _ => format!("word{}", self.below(bound)),
        }
    }

    fn text(&mut self, words: u64) -> String {
        let count = 1 + self.below(words);
        (0..count).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }
}

/// Gives a command without the driver's checks.
fn give(driver: &mut Driver<'_>, command: Command) {
    let ask = driver.ask(&command);
    let decide = deciding(&ask, command);
    driver.store.transact(ask, decide).unwrap();
}

/// Writes enough texts to fill segments and leave some outside, once and repeatedly, as messages,
/// calls, replies and notes.
pub fn fill(store: &dyn Store) -> Driver<'_> {
    let mut driver = Driver::new(store);
    let mut dice = Dice(42);
    give(&mut driver, say("the first of all"));
    give(&mut driver, append(&[&calls(&["a"]), &reply("a")]));
    for round in 0..6 {
        let line = |it: u64| {
            let text = if it.is_multiple_of(50) { "ok".into() } else { dice.text(40) };
            match it % 7 {
                0 => format!(r#"{{"role":"user","content":"{text}","mood":"mood{it}"}}"#),
                _ => format!(r#"{{"role":"user","content":"{text} once{round}x{it}"}}"#),
            }
        };
        let lines: Vec<String> = (0..500).map(line).collect();
        give(&mut driver, append(&lines.iter().map(String::as_str).collect::<Vec<_>>()));
        give(&mut driver, note(&dice.text(12)));
    }
    let state = driver.read(|it| Ok(it.vault().clone()));
    assert!(state.next > SPAN + 1_000, "{}", state.next);
    driver
}

pub type Finds = (Vec<(ContentNo, f64)>, Vec<Bearer>);

pub fn finds(store: &dyn Store, vault: &str, words: &str) -> Finds {
    let query = Query::of(words);
    read(store, vault, &mut |snapshot| {
        let index = snapshot.index(&query.parts())?;
        assert_eq!(index.missing, 0);
        let list = Shortlist::new(&Matches::new(&index, &query), 50);
        let sought: Vec<_> = list.texts.iter().map(|(it, _)| Sought::Text(*it)).collect();
        let mut bearers = snapshot.bearers(&sought)?;
        let rests: Vec<_> = list.texts.iter().map(|(it, _)| Sought::Rest(*it)).collect();
        bearers.extend(snapshot.bearers(&rests)?);
        // The order is unspecified.
        bearers.sort_by_key(|it| (it.item.item, it.scope, it.hidden));
        Ok((list.texts, bearers))
    })
}

fn queries() -> Vec<String> {
    let mut dice = Dice(7);
    let random = (0..40).map(|_| dice.text(15));
    let fixed = ["ok", "once3x78", "mood14", "run", "the first", "absentword", "result of a"];
    random.chain(fixed.map(String::from)).collect()
}

/// Both stores hold the same script.
pub fn same(store: &dyn Store, vault: &str, other: &dyn Store, other_vault: &str) {
    let mut found = 0;
    for query in queries() {
        let (one, two) = (finds(store, vault, &query), finds(other, other_vault, &query));
        assert_eq!(one, two, "{query}");
        found += one.1.len();
    }
    assert!(found > 1_000, "{found}");
}

pub fn every_store_finds_what_the_reference_finds(store: &dyn Store) {
    let memory = Memory::default();
    let (driver, reference) = (fill(store), fill(&memory));
    same(store, &driver.vault, &memory, &reference.vault);
    let (_, bearers) = finds(store, &driver.vault, "once3x78");
    assert_eq!(bearers.len(), 1);
    assert!(bearers[0].before.is_some() && bearers[0].after.is_some());
    let bearers = finds(store, &driver.vault, "ok").1;
    let alike =
        |it: &Bearer| bearers.iter().filter(|to| to.item.content == it.item.content).count();
    assert_eq!(bearers.iter().map(alike).max(), Some(4), "the last few of many");
    assert!(finds(store, &driver.vault, "absentword").0.is_empty());
}

pub fn no_word_finds_a_forgotten_text(store: &dyn Store) {
    let memory = Memory::default();
    let (mut driver, mut reference) = (fill(store), fill(&memory));
    let mut items: Vec<ItemNo> = driver.rows().items.keys().copied().step_by(3).collect();
    items.retain(|item| driver.rows().items[item].turn > 2);
    items.truncate(400);
    let rows = driver.rows();
    let turns: Vec<i64> = items.iter().map(|item| rows.items[item].turn).collect();
    let gone: Vec<ContentNo> = items.iter().map(|item| rows.items[item].content).collect();
    for part in 0..4 {
        let range = part * items.len() / 4..(part + 1) * items.len() / 4;
        for driver in [&mut driver, &mut reference] {
            give(driver, forget(&items[range.clone()], &turns[range.clone()]));
        }
    }
    same(store, &driver.vault, &memory, &reference.vault);
    let kept: BTreeSet<_> = driver.rows().items.values().map(|row| row.content).collect();
    let gone: BTreeSet<_> = gone.into_iter().filter(|it| !kept.contains(it)).collect();
    assert!(gone.len() > 300);
    // No part of the index references the forgotten texts.
    let every: BTreeSet<i64> = (0..ambit_core::search::PARTS).collect();
    let index = driver.read(|it| it.index(&every));
    let named = Query::of(&queries().join(" "));
    let matches = Matches::new(&index, &named);
    assert!(gone.iter().all(|it| matches.length(*it).is_none() && !index.recent.contains_key(it)));
    for word in 0..named.words.len() {
        assert!(gone.iter().all(|it| matches.count(*it, word).is_none()));
    }
}

pub fn rebuilt_and_imported_vaults_find_the_same(store: &dyn Store) {
    let memory = Memory::default();
    let (driver, reference) = (fill(store), fill(&memory));
    store.rebuild(&driver.vault, &|_, _| {}).unwrap();
    same(store, &driver.vault, &memory, &reference.vault);
    let events = driver.events();
    let contents = driver.read(|it| it.contents(ContentNo(0), i64::MAX));
    store.import("copy", Import::Begin { source: Hash([9; 32]) }).unwrap();
    let mut contents = contents.into_iter().peekable();
    for part in events.chunks(700) {
        let named: BTreeSet<ContentNo> =
            part.iter().flat_map(|it| it.event.body.what.texts()).map(|it| it.content).collect();
        let last = named.last().copied().unwrap_or_default();
        let mut texts: Vec<Content> = Vec::new();
        while let Some(text) = contents.next_if(|it| it.content <= last) {
            texts.push(text);
        }
        let step = Import::Load { contents: texts, events: part.to_vec() };
        store.import("copy", step).unwrap();
    }
    store.import("copy", Import::Finish).unwrap();
    same(store, "copy", &memory, &reference.vault);
}

pub fn a_vault_finds_nothing_of_another(store: &dyn Store) {
    let driver = fill(store);
    let mut other = Driver::of(store, "other");
    other.must(&say("something else"));
    for query in queries() {
        assert!(finds(store, "other", &query).0.is_empty(), "{query}");
    }
    assert_eq!(finds(store, "other", "something").1.len(), 1);
    assert!(finds(store, &driver.vault, "something else").0.is_empty());
}
