//! `kill`: kills writers and opens the store again. Every acknowledged text is stored once. The
//! next text of each writer, which may be stored without an acknowledgement, is appended again
//! under the same key, and is then stored once too.

use std::time::{Duration, Instant};

use indicatif::ProgressBar;

use super::load::{LastNumbers, Load, Shape, compare, last_numbers};
use super::rng::Rng;
use super::table::Row;
use super::testbed::{Database, Place, Testbed, describe};

/// The shortest and the longest lifetime of writers.
const LIFETIME: [Duration; 2] = [Duration::from_millis(5), Duration::from_millis(600)];

/// The number of kills on one store.
const KILLS: u64 = 5;

/// How writers write; stores cycle through them.
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

/// Stores written at a time on each database; writers mostly wait for the disk.
const LANES: u64 = 4;

pub fn run(testbed: &Testbed, rounds: u64, bar: &ProgressBar) -> Result<Vec<Row>, String> {
    bar.set_length(rounds * Database::ALL.len() as u64);
    // Starts the server once, before the lanes run in parallel.
    testbed.cluster()?;
    std::thread::scope(|scope| {
        let start = |database| {
            let lane = move |lane| {
                let (rng, row) = (Rng::new(rounds + lane), Row::new(""));
                let stores = Lane { testbed, database, bar, rng, row };
                scope.spawn(move || stores.run(lane, rounds))
            };
            (database, (0..LANES).map(lane).collect::<Vec<_>>())
        };
        let running = Database::ALL.map(start);
        let rows = running.into_iter().map(|(database, lanes)| {
            let mut row = Row::new(format!("kill, {}", database.name()));
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

/// Stores of one database that are written one after the other, and their results.
struct Lane<'a> {
    testbed: &'a Testbed,
    database: Database,
    bar: &'a ProgressBar,
    rng: Rng,
    row: Row,
}

impl Lane<'_> {
    /// Runs every `LANES`-th store, beginning with number `lane`.
    fn run(mut self, lane: u64, rounds: u64) -> Row {
        for store in (lane..rounds.div_ceil(KILLS)).step_by(LANES as usize) {
            let kills = KILLS.min(rounds - store * KILLS);
            // Each lane begins with another shape, so that all combinations run in parallel.
            let shape = SHAPES[(store / LANES + lane) as usize % SHAPES.len()];
            if let Err(why) = self.store(store, shape, kills) {
                self.row.fault(format!("store {store}, {shape:?}: {why}"));
                break;
            }
        }
        self.row
    }

    /// Runs several kills on one store.
    fn store(&mut self, store: u64, shape: Shape, kills: u64) -> Result<(), String> {
        let place = self.testbed.place(self.database, &format!("kill-{store}"))?;
        let mut last = LastNumbers::new();
        for _ in 0..kills {
            self.row.rounds += 1;
            self.bar.inc(1);
            let load = Load::start(&place, shape, &last, &[])?;
            std::thread::sleep(self.rng.time(LIFETIME[0], LIFETIME[1]));
            let acks = load.kill()?;
            self.row.acknowledged += acks.len() as u64;
            last = last_numbers(&last, &acks)?;
            last = reopen(&place, last, acks.len() as u64, &mut self.row)?;
        }
        self.testbed.clear(&place)
    }
}

/// Opens the store again, compares it with the acknowledged texts, and appends the next text of
/// each writer again. Returns the last numbers after that.
fn reopen(
    place: &Place,
    mut last: LastNumbers,
    new: u64,
    row: &mut Row,
) -> Result<LastNumbers, String> {
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
        engine.append_text(&caller, "user", &text).map_err(describe)?;
    }
    let tally = compare(&last, &place.texts(&engine)?);
    row.doubled += tally.doubled;
    tally.wrong.map_or(Ok(last), |wrong| Err(format!("after appending again: {wrong}")))
}
