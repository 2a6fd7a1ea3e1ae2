//! `torn`: cuts or corrupts copies of a file and its write-ahead log at every 512 bytes of the last
//! commits. Every commit before the damage is kept; the store opens, passes `verify`, and accepts
//! writes.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ambit::Location;
use indicatif::ProgressBar;

use super::load::{LastNumbers, Load, Shape, compare, last_numbers};
use super::rng::Rng;
use super::table::Row;
use super::testbed::{Database, Testbed, describe};
use super::wal::Wal;

/// The bytes that a disk writes at once.
const SECTOR: usize = 512;

/// How many of the last commits are damaged.
const COMMITS: usize = 2;

/// The lifetime of the writer whose files are copied: too short for a checkpoint of the log.
const LIFETIME: [Duration; 2] = [Duration::from_millis(30), Duration::from_millis(120)];

/// The kind of damage.
#[derive(Clone, Copy, Debug)]
enum Damage {
    /// The log ends at the offset.
    Cut,
    /// One sector of the log is corrupted.
    Corrupted,
    /// The log is corrupted from the offset on.
    Torn,
    /// A checkpoint copied the log into the file up to the offset.
    Checkpoint,
    /// A sector of the file, in a page that the log holds, is corrupted.
    FileCorrupted,
}

const DAMAGES: [Damage; 5] =
    [Damage::Cut, Damage::Corrupted, Damage::Torn, Damage::Checkpoint, Damage::FileCorrupted];

pub fn run(testbed: &Testbed, rounds: u64, bar: &ProgressBar) -> Result<Vec<Row>, String> {
    let mut rows: Vec<Row> =
        DAMAGES.iter().map(|damage| Row::new(format!("torn, {damage:?}"))).collect();
    for round in 0..rounds {
        let files = Files::create(testbed, round)?;
        for (damage, row) in DAMAGES.iter().zip(&mut rows) {
            let offsets = files.offsets(*damage);
            bar.inc_length(offsets.len() as u64);
            for at in offsets {
                row.rounds += 1;
                bar.inc(1);
                if let Err(why) = files.attempt(testbed, *damage, at, row) {
                    row.fault(format!("{damage:?} at byte {at}: {why}"));
                    break;
                }
            }
        }
    }
    Ok(rows)
}

/// The files of a killed writer.
struct Files {
    file: Vec<u8>,
    log: Vec<u8>,
    wal: Wal,
    last: LastNumbers,
    /// The number of texts without damage.
    texts: u64,
    copy: PathBuf,
}

impl Files {
    /// Runs writers until one leaves enough commits in the log.
    fn create(testbed: &Testbed, round: u64) -> Result<Files, String> {
        let mut rng = Rng::new(round);
        for attempt in 0..20 {
            let place = testbed.place(Database::Sqlite, &format!("torn-{round}-{attempt}"))?;
            let none = LastNumbers::new();
            let load = Load::start(&place, Shape::Threads { writers: 1 }, &none, &[])?;
            std::thread::sleep(rng.time(LIFETIME[0], LIFETIME[1]));
            let last = last_numbers(&none, &load.kill()?)?;
            let path = place.file().ok_or("the store is not a file")?;
            let file = std::fs::read(path).map_err(describe)?;
            let log = std::fs::read(side(path, "-wal")).map_err(describe)?;
            let Ok(wal) = Wal::read(&log) else { continue };
            let texts = place.texts(&place.engine()?)?.len() as u64;
            if wal.commits.len() > COMMITS && texts > COMMITS as u64 {
                let copy = testbed.folder(&format!("torn-copy-{round}"))?.join("store.db");
                return Ok(Files { file, log, wal, last, texts, copy });
            }
        }
        Err("no writer lived long enough to write".into())
    }

    /// Returns every offset at which to apply a kind of damage.
    fn offsets(&self, damage: Damage) -> Vec<usize> {
        let pages = || self.wal.newest.keys().map(|page| (*page as usize - 1) * self.wal.page);
        match damage {
            Damage::Cut | Damage::Corrupted | Damage::Torn => {
                let first = self.wal.commits[self.wal.commits.len() - 1 - COMMITS];
                (first..self.wal.end()).step_by(SECTOR).collect()
            }
            Damage::Checkpoint => (0..pages().count() * self.wal.page).step_by(SECTOR).collect(),
            // Skips the first page: its header identifies the file, and a disk that corrupts it has
            // damaged more than the pages being written.
            Damage::FileCorrupted => pages()
                .filter(|at| *at > 0 && *at < self.file.len())
                .flat_map(|at| (at..at + self.wal.page).step_by(SECTOR))
                .collect(),
        }
    }

    fn damaged(&self, damage: Damage, at: usize) -> (Vec<u8>, Vec<u8>) {
        let (mut file, mut log) = (self.file.clone(), self.log.clone());
        let mut rng = Rng::new(at as u64);
        match damage {
            Damage::Cut => log.truncate(at),
            Damage::Corrupted => {
                let end = (at + SECTOR).min(log.len());
                rng.fill(&mut log[at..end]);
            }
            Damage::Torn => rng.fill(&mut log[at..]),
            Damage::Checkpoint => {
                let mut left = at;
                for (page, from) in &self.wal.newest {
                    let part = left.min(self.wal.page);
                    let to = (*page as usize - 1) * self.wal.page;
                    if part > 0 && file.len() < to + part {
                        file.resize(to + part, 0);
                    }
                    file[to..to + part].copy_from_slice(&log[*from..*from + part]);
                    left -= part;
                    if left == 0 {
                        break;
                    }
                }
            }
            Damage::FileCorrupted => rng.fill(&mut file[at..at + SECTOR]),
        }
        (file, log)
    }

    /// Damages a copy, opens it and checks it.
    fn attempt(
        &self,
        testbed: &Testbed,
        damage: Damage,
        at: usize,
        row: &mut Row,
    ) -> Result<(), String> {
        let (file, log) = self.damaged(damage, at);
        let _ = std::fs::remove_file(side(&self.copy, "-shm"));
        std::fs::write(&self.copy, file).map_err(describe)?;
        std::fs::write(side(&self.copy, "-wal"), log).map_err(describe)?;
        // Each commit holds one text; exactly those before the damage must be present.
        let left = match damage {
            Damage::Checkpoint | Damage::FileCorrupted => self.wal.commits.len(),
            _ => self.wal.commits_before(at),
        };
        let expected = self.texts - (self.wal.commits.len() - left) as u64;
        let place = testbed.place_at(Location::Sqlite(self.copy.clone()), "default");
        let begun = Instant::now();
        let engine = place.engine()?;
        let texts = place.texts(&engine)?;
        row.took(begun.elapsed());
        // Of the acknowledged texts, those before the damage must be present.
        let kept = self.last.iter().map(|(writer, last)| (writer.clone(), *last.min(&expected)));
        let kept: LastNumbers = kept.collect();
        let tally = compare(&kept, &texts);
        row.acknowledged += tally.acknowledged;
        row.found += tally.found;
        row.doubled += tally.doubled;
        if texts.len() as u64 != expected {
            return Err(format!("{} texts, expected {expected}", texts.len()));
        }
        if let Some(wrong) = tally.wrong {
            return Err(wrong);
        }
        place.check(&engine)?;
        let me = place.caller("later");
        engine.append_text(&me, "user", "after the damage").map_err(describe).map(drop)
    }
}

fn side(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}
