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

pub fn run(ground: &Ground, rounds: u64, bar: &ProgressBar) -> Result<Vec<Row>, String> {
    bar.set_length(rounds * Base::ALL.len() as u64);
    Ok(Base::ALL.into_iter().map(|base| on(ground, base, rounds, bar)).collect())
}

fn on(ground: &Ground, base: Base, rounds: u64, bar: &ProgressBar) -> Row {
    let mut row = Row::new(format!("kill, {}", base.name()));
    let mut chance = Chance::new(rounds);
    for store in 0..rounds.div_ceil(KILLS) {
        let kills = KILLS.min(rounds - row.rounds);
        let shape = SHAPES[store as usize % SHAPES.len()];
        if let Err(why) = chain(ground, base, shape, kills, &mut chance, &mut row, bar) {
            row.fault(format!("round {}, {shape:?}: {why}", row.rounds));
            break;
        }
    }
    if row.acknowledged == 0 {
        row.fault("no writer lived long enough to write");
    }
    row
}

/// Some kills in a row on one store.
fn chain(
    ground: &Ground,
    base: Base,
    shape: Shape,
    kills: u64,
    chance: &mut Chance,
    row: &mut Row,
    bar: &ProgressBar,
) -> Result<(), String> {
    let place = ground.place(base, &format!("kill-{}", row.rounds))?;
    let mut last = Numbers::new();
    for _ in 0..kills {
        row.rounds += 1;
        bar.inc(1);
        let load = Load::start(&place, shape, &last, &[])?;
        std::thread::sleep(chance.time(LIFE[0], LIFE[1]));
        let told = load.kill()?;
        row.acknowledged += told.len() as u64;
        last = numbers(&last, &told)?;
        last = reopen(&place, last, told.len() as u64, row)?;
    }
    ground.clear(&place)
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
