//! Random sessions: three actors give random commands, and the driver checks after each step. This
//! finds the cases that the scripted session does not think of.

use ambit_core::{Command, ItemNo, Rewind};
use ambit_store::Store;

use crate::driver::{Driver, MINUTE, append, calls, forget, goto, note, reply, say, scope, set};

/// A small random generator (xorshift): the same seed gives the same session on every store.
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Self {
        Chance(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    pub fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }

    fn of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len() as u64) as usize]
    }
}

const SCOPES: [&str; 4] = ["main", "one", "two", "three"];
const IDS: [&str; 3] = ["x", "y", "z"];
const SWITCHES: [&str; 3] = ["clear_on_note", "clear_on_scope", "clear_on_goto"];

fn command(chance: &mut Chance, head: i64) -> Command {
    let scope_name = chance.of(&SCOPES);
    match chance.below(15) {
        0..=2 => say(chance.of(&["a", "b", "some words more"])),
        3 => append(&[&calls(&[chance.of(&IDS)])]),
        4 => append(&[&calls(&[chance.of(&IDS), chance.of(&IDS)]), &reply(chance.of(&IDS))]),
        5 | 6 => append(&[&reply(chance.of(&IDS))]),
        7 => note(chance.of(&["learned", "forgot"])),
        8 => scope(scope_name, "away"),
        9 | 10 => goto(scope_name, "there"),
        11 => Command::Rewind(Rewind { to: chance.below(head as u64 + 2) as i64 }),
        12 | 13 => {
            // Numbers without an item or a turn are ignored.
            let items = [0; 4].map(|_| ItemNo(chance.below(4 * head as u64) as i64));
            forget(&items, &[chance.below(head as u64 + 2) as i64])
        }
        _ => match chance.below(3) {
            0 => set("frame_size", Some(chance.of(&["1", "2", "5"]))),
            1 => set("idle_seconds", Some(chance.of(&["10", "300"]))),
            _ => set(chance.of(&SWITCHES), Some(chance.of(&["on", "off"]))),
        },
    }
}

pub fn random_sessions_follow_from_their_log(store: &dyn Store) {
    let mut accepted = 0;
    for seed in 1..=6u64 {
        let mut chance = Chance::new(seed);
        let mut driver = Driver::of(store, &format!("vault {seed}"));
        for _ in 0..80 {
            driver.by(chance.of(&["ada", "bob", "bot"]));
            driver.after([1, 1, 1, 6 * MINUTE][chance.below(4) as usize]);
            let pinned = chance.below(5) == 0;
            driver.pin = pinned.then(|| chance.of(&SCOPES).to_string());
            let head = driver.rows().vault.head_seq;
            let command = command(&mut chance, head);
            // Many are refused without a trace: the driver checks that.
            accepted += i64::from(driver.give(&command).is_ok());
        }
    }
    assert!(accepted > 200, "{accepted} were accepted");
}
