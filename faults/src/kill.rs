//! `kill`: writers are killed without warning; the store is opened again; what they said is there,
//! once; and what they may have stored without saying is given again under the same key, and is
//! then there once, too.

use std::time::{Duration, Instant};

use indicatif::ProgressBar;

use super::chance::Chance;
use super::ground::{Base, Ground, Place, said};
use super::load::{Load, Numbers, Shape, compare, numbers};
use super::table::Row;

/// How long writers live.
const LIFE: [Duration; 2] = [Duration::from_millis(5), Duration::from_millis(600)];

/// How many kills a store has to bear.
const KILLS: u64 = 5;

/// How writers write, in turn.
const SHAPES: [Shape; 8] = [
    Shape::Threads { writers: 4 },
    Shape::Program { writers: 1 },
    Shape::Processes { processes: 2, threads: 1 },
    Shape::Threads { writers: 1 },
    Shape::Program { writers: 4 },
    Shape::Processes { processes: 4, threads: 1 },
    Shape::Threads { writers: 3 },
    Shape::Program { writers: 2 },
];

/// How many stores are written at a time on each database: writers mostly wait for the disk.
const LANES: u64 = 4;

pub fn run(ground: &Ground, rounds: u64, bar: &ProgressBar) -> Result<Vec<Row>, String> {
    bar.set_length(rounds * Base::ALL.len() as u64);
    // Before the lanes, which would each start one.
    ground.cluster()?;
    std::thread::scope(|scope| {
        let start = |base| {
            let lane = move |lane| {
                let (chance, row) = (Chance::new(rounds + lane), Row::new(""));
                let stores = Lane { ground, base, bar, chance, row };
                scope.spawn(move || stores.run(lane, rounds))
            };
            (base, (0..LANES).map(lane).collect::<Vec<_>>())
        };
        let running = Base::ALL.map(start);
        let rows = running.into_iter().map(|(base, lanes)| {
            let mut row = Row::new(format!("kill, {}", base.name()));
            for lane in lanes {
                row.add(lane.join().map_err(|_| "a lane panicked".to_string())?);
            }
            if row.acknowledged == 0 {
                row.fault("no writer lived long enough to write");
            }
            Ok(row)
        });
        rows.collect()
    })
}

/// Stores of one database that are written one after the other, and what was seen of them.
struct Lane<'a> {
    ground: &'a Ground,
    base: Base,
    bar: &'a ProgressBar,
    chance: Chance,
    row: Row,
}

impl Lane<'_> {
    /// Every so many-th store of a database.
    fn run(mut self, lane: u64, rounds: u64) -> Row {
        for store in (lane..rounds.div_ceil(KILLS)).step_by(LANES as usize) {
            let kills = KILLS.min(rounds - store * KILLS);
            // Lanes differ in what they begin with, so that each shape meets every other.
            let shape = SHAPES[(store / LANES + lane) as usize % SHAPES.len()];
            if let Err(why) = self.store(store, shape, kills) {
                self.row.fault(format!("store {store}, {shape:?}: {why}"));
                break;
            }
        }
        self.row
    }

    /// Some kills in a row on one store.
    fn store(&mut self, store: u64, shape: Shape, kills: u64) -> Result<(), String> {
        let place = self.ground.place(self.base, &format!("kill-{store}"))?;
        let mut last = Numbers::new();
        for _ in 0..kills {
            self.row.rounds += 1;
            self.bar.inc(1);
            let load = Load::start(&place, shape, &last, &[])?;
            std::thread::sleep(self.chance.time(LIFE[0], LIFE[1]));
            let told = load.kill()?;
            self.row.acknowledged += told.len() as u64;
            last = numbers(&last, &told)?;
            last = reopen(&place, last, told.len() as u64, &mut self.row)?;
        }
        self.ground.clear(&place)
    }
}

/// Opens the store again, compares, and gives what comes next once more. Answers with what is said
/// now.
fn reopen(place: &Place, mut last: Numbers, new: u64, row: &mut Row) -> Result<Numbers, String> {
    let begun = Instant::now();
    let engine = place.engine()?;
    let texts = place.texts(&engine)?;
    row.took(begun.elapsed());
    let tally = compare(&last, &texts);
    row.doubled += tally.doubled;
    row.found += new.saturating_sub(tally.acknowledged - tally.found);
    if let Some(wrong) = tally.wrong {
        return Err(wrong);
    }
    place.check(&engine)?;
    for (writer, number) in &mut last {
        *number += 1;
        let text = format!("{writer} {number:06}");
        let caller = place.caller(writer).with_key(&text);
        engine.append_text(&caller, "user", &text).map_err(said)?;
    }
    let tally = compare(&last, &place.texts(&engine)?);
    row.doubled += tally.doubled;
    tally.wrong.map_or(Ok(last), |wrong| Err(format!("given again: {wrong}")))
}
