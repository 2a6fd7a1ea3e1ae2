//! Inherited messages under random scripts: a subagent is first shown what its parent was shown,
//! every composition is valid and within its budget, and within an epoch compositions only grow at
//! the end, whatever happens in the scopes they came from.

use std::collections::BTreeMap;

use ambit::{
    Caller, Composition, Format, Inherit, Kind, Layout, Request, Selection, check_request,
};

use crate::chance::Chance;
use crate::world::{MINUTE, World, ada, bot, bytes, calls, message, reply};

const STEPS: usize = 60;

const BUDGETS: [i64; 3] = [100_000, 3_000, 400];

struct Script<'a> {
    world: &'a World,
    chance: Chance,
    /// The actors, with the ids of their open calls.
    actors: Vec<(Caller, Vec<String>)>,
    subs: Vec<Caller>,
    /// The last composition of each actor within the largest budget.
    last: BTreeMap<String, Composition>,
    number: usize,
    /// How often a composition had to extend the one before.
    kept: usize,
}

impl Script<'_> {
    fn step(&mut self) {
        self.number += 1;
        let index = self.chance.below(self.actors.len());
        let (caller, waits) = self.actors[index].clone();
        let text = format!("{} {}", self.number, "word ".repeat(self.chance.below(60)));
        match self.chance.below(12) {
            0..=2 => drop(self.world.append(&caller, &[message("user", &text)])),
            3 => {
                self.world.append(&caller, &[message("assistant", &text)]);
                self.actors[index].1.clear();
            }
            4 | 5 => {
                let ids = [format!("a{}", self.number % 5), format!("b{}", self.number % 5)];
                let few = &ids[..1 + self.chance.below(2)];
                let named: Vec<_> = few.iter().map(String::as_str).collect();
                self.world.append(&caller, &[calls(&text, &named)]);
                self.actors[index].1 = few.to_vec();
            }
            6 | 7 => {
                if let Some(id) = waits.first() {
                    self.world.append(&caller, &[reply(id, &text)]);
                    self.actors[index].1.remove(0);
                }
            }
            8 => drop(self.world.engine.note(&caller, &text).unwrap()),
            9 => self.take_away(&caller),
            10 => self.fork(&caller, waits.is_empty()),
            _ => self.world.pass(MINUTE * self.chance.below(8) as i64),
        }
    }

    /// Rewinds to, or forgets, one of the turns in sight.
    fn take_away(&mut self, caller: &Caller) {
        let ids = self.world.compose(caller).ids;
        let turns: Vec<i64> = ids.iter().flatten().filter_map(|id| id.parse().ok()).collect();
        if turns.is_empty() {
            return;
        }
        let turn = *self.chance.pick(&turns);
        if self.chance.one_in(2) {
            let selection = Selection { names: vec![turn.to_string()], ..Selection::default() };
            self.world.engine.forget(caller, &selection, &|_| {}).unwrap();
        } else {
            // An inherited turn is not in sight in the caller's scope.
            let _ = self.world.engine.rewind(caller, turn);
        }
    }

    fn fork(&mut self, parent: &Caller, waits_for_nothing: bool) {
        if self.subs.len() == 5 {
            return;
        }
        let layered = Request { layout: Some(Layout::Layered), ..Request::default() };
        let before = self.world.engine.compose(parent, &layered).unwrap();
        let name = format!("sub-{}", self.number);
        let line = self.world.engine.fork(parent, &name, "go", Inherit::Full).unwrap();
        let shown = line.composition.unwrap();
        // An open call ends what its author is shown, so this case is skipped.
        if waits_for_nothing && before.left_out.iter().all(|it| it.why != "waits for replies") {
            assert_eq!(said(&shown), said(&before), "{name} of {}", parent.actor);
        }
        let sub = Caller::new(name);
        self.subs.push(sub.clone());
        self.actors.push((sub, Vec::new()));
    }

    fn check(&mut self) {
        for sub in self.subs.clone() {
            for budget in BUDGETS {
                for format in [Format::Openai, Format::Anthropic, Format::Responses] {
                    self.compose(&sub, budget, format);
                }
            }
        }
    }

    fn compose(&mut self, sub: &Caller, budget: i64, format: Format) {
        let request = Request { budget: Some(budget), format: Some(format), ..Request::default() };
        let now = match self.world.engine.compose(sub, &request) {
            // A batch of calls may not fit, not even as stubs.
            Err(error) if budget == BUDGETS[2] && error.kind() == Kind::Refused => return,
            composed => composed.unwrap(),
        };
        assert!(now.tokens <= budget, "{} of {budget}", now.tokens);
        let json = serde_json::to_vec(&now).unwrap();
        let judged = check_request(&json, Some(format)).unwrap();
        // A fork without messages has nothing to send.
        let faults: Vec<_> = judged.faults.iter().filter(|_| !now.messages.is_empty()).collect();
        let empty = |it: &str| it.contains("at least one message") || it.contains("first message");
        assert!(faults.iter().all(|it| empty(&it.message)), "{faults:?}\n{now:#?}");
        if budget != BUDGETS[0] || format != Format::Openai {
            return;
        }
        // Before the first answer in an epoch nothing is cached, and notes fold.
        let answered = |it: &&Composition| it.epoch == now.epoch && it.stable_prefix_tokens > 0;
        if let Some(last) = self.last.get(&sub.actor).filter(answered) {
            self.kept += 1;
            let (last, now) = (bytes(last), bytes(&now));
            let kept = last.len().min(now.len());
            assert_eq!(now[..kept], last[..kept], "{}", sub.actor);
            assert_eq!(kept, last.len(), "{}", sub.actor);
        }
        self.last.insert(sub.actor.clone(), now);
    }
}

/// Returns the conversation without the layers before it.
fn said(composition: &Composition) -> Vec<String> {
    let layer = |text: &String| text.contains("[EPISODIC MEMORY]");
    bytes(composition).into_iter().filter(|text| !layer(text)).collect()
}

fn scripts(seeds: std::ops::Range<u64>, world: fn() -> World) {
    let mut kept = 0;
    for seed in seeds {
        let world = world();
        let actors = vec![(ada(), Vec::new()), (bot(), Vec::new())];
        let (chance, subs) = (Chance::new(seed), Vec::new());
        let last = BTreeMap::new();
        let mut script = Script { world: &world, chance, actors, subs, last, number: 0, kept: 0 };
        for _ in 0..STEPS {
            script.step();
            script.check();
        }
        world.verified();
        kept += script.kept;
    }
    assert!(kept > 100, "only {kept} times was there anything to keep");
}

// Proves D0-9, S0-90.
#[test]
fn inherited_messages_hold_in_random_scripts() {
    scripts(0..40, World::memory);
    scripts(1_000..1_004, World::sqlite);
}
