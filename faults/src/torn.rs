//! `torn`: copies of a file and its write-ahead log, cut or garbled at every 512 bytes of what was
//! written last. Every commit before the damage is there; the store opens, is whole, and goes on.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ambit::Location;
use indicatif::ProgressBar;

use super::chance::Chance;
use super::ground::{Base, Ground, said};
use super::load::{Load, Numbers, Shape, compare, numbers};
use super::table::Row;
use super::wal::Wal;

/// What a disk writes at once.
const SECTOR: usize = 512;

/// How many of the last commits are damaged.
const COMMITS: usize = 2;

/// How long the writer lives whose files are copied: not so long that the log is folded.
const LIFE: [Duration; 2] = [Duration::from_millis(30), Duration::from_millis(120)];

/// What is done to the copy.
#[derive(Clone, Copy, Debug)]
enum Damage {
    /// The log ends here.
    Cut,
    /// One sector of the log is not what was written.
    Garbled,
    /// Neither is all that follows.
    Torn,
    /// The log was being folded into the file, up to here.
    Folding,
    /// A sector of the file, of a page that the log holds, is not what was written.
    FileGarbled,
}

const DAMAGES: [Damage; 5] =
    [Damage::Cut, Damage::Garbled, Damage::Torn, Damage::Folding, Damage::FileGarbled];

pub fn run(ground: &Ground, rounds: u64, bar: &ProgressBar) -> Result<Vec<Row>, String> {
    let mut rows: Vec<Row> =
        DAMAGES.iter().map(|damage| Row::new(format!("torn, {damage:?}"))).collect();
    for round in 0..rounds {
        let files = Files::made(ground, round)?;
        for (damage, row) in DAMAGES.iter().zip(&mut rows) {
            let places = files.places(*damage);
            bar.inc_length(places.len() as u64);
            for at in places {
                row.rounds += 1;
                bar.inc(1);
                if let Err(why) = files.attempt(ground, *damage, at, row) {
                    row.fault(format!("{damage:?} at byte {at}: {why}"));
                    break;
                }
            }
        }
    }
    Ok(rows)
}

/// What a killed writer left behind.
struct Files {
    file: Vec<u8>,
    log: Vec<u8>,
    wal: Wal,
    last: Numbers,
    /// All texts that are there without damage.
    texts: u64,
    copy: PathBuf,
}

impl Files {
    fn made(ground: &Ground, round: u64) -> Result<Files, String> {
        let mut chance = Chance::new(round);
        for attempt in 0..20 {
            let place = ground.place(Base::Sqlite, &format!("torn-{round}-{attempt}"))?;
            let none = Numbers::new();
            let load = Load::start(&place, Shape::Threads { writers: 1 }, &none, &[])?;
            std::thread::sleep(chance.time(LIFE[0], LIFE[1]));
            let last = numbers(&none, &load.kill()?)?;
            let path = place.file().ok_or("a store without a file")?;
            let file = std::fs::read(path).map_err(said)?;
            let log = std::fs::read(side(path, "-wal")).map_err(said)?;
            let Ok(wal) = Wal::read(&log) else { continue };
            let texts = place.texts(&place.engine()?)?.len() as u64;
            if wal.commits.len() > COMMITS && texts > COMMITS as u64 {
                let copy = ground.folder(&format!("torn-copy-{round}"))?.join("store.db");
                return Ok(Files { file, log, wal, last, texts, copy });
            }
        }
        Err("no writer lived long enough to write".into())
    }

    /// Every place where a damage is tried.
    fn places(&self, damage: Damage) -> Vec<usize> {
        let pages = || self.wal.newest.keys().map(|page| (*page as usize - 1) * self.wal.page);
        match damage {
            Damage::Cut | Damage::Garbled | Damage::Torn => {
                let first = self.wal.commits[self.wal.commits.len() - 1 - COMMITS];
                (first..self.wal.end()).step_by(SECTOR).collect()
            }
            Damage::Folding => (0..pages().count() * self.wal.page).step_by(SECTOR).collect(),
            // The first page's head says what kind of file this is; a disk that garbles it has
            // damaged more than what was being written.
            Damage::FileGarbled => pages()
                .filter(|at| *at > 0 && *at < self.file.len())
                .flat_map(|at| (at..at + self.wal.page).step_by(SECTOR))
                .collect(),
        }
    }

    fn damaged(&self, damage: Damage, at: usize) -> (Vec<u8>, Vec<u8>) {
        let (mut file, mut log) = (self.file.clone(), self.log.clone());
        let mut chance = Chance::new(at as u64);
        match damage {
            Damage::Cut => log.truncate(at),
            Damage::Garbled => {
                let end = (at + SECTOR).min(log.len());
                chance.fill(&mut log[at..end]);
            }
            Damage::Torn => chance.fill(&mut log[at..]),
            Damage::Folding => {
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
            Damage::FileGarbled => chance.fill(&mut file[at..at + SECTOR]),
        }
        (file, log)
    }

    /// Damages a copy and opens it.
    fn attempt(
        &self,
        ground: &Ground,
        damage: Damage,
        at: usize,
        row: &mut Row,
    ) -> Result<(), String> {
        let (file, log) = self.damaged(damage, at);
        let _ = std::fs::remove_file(side(&self.copy, "-shm"));
        std::fs::write(&self.copy, file).map_err(said)?;
        std::fs::write(side(&self.copy, "-wal"), log).map_err(said)?;
        // Each commit is one text: those before the damage are there, exactly.
        let left = match damage {
            Damage::Folding | Damage::FileGarbled => self.wal.commits.len(),
            _ => self.wal.commits_before(at),
        };
        let expected = self.texts - (self.wal.commits.len() - left) as u64;
        let place = ground.place_at(Location::Sqlite(self.copy.clone()), "default");
        let begun = Instant::now();
        let engine = place.engine()?;
        let texts = place.texts(&engine)?;
        row.took(begun.elapsed());
        // What a sync had covered; of it all that the damage left must be there.
        let kept = self.last.iter().map(|(writer, last)| (writer.clone(), *last.min(&expected)));
        let kept: Numbers = kept.collect();
        let tally = compare(&kept, &texts);
        row.acknowledged += tally.acknowledged;
        row.found += tally.found;
        row.doubled += tally.doubled;
        if texts.len() as u64 != expected {
            return Err(format!("{} texts where {expected} were left", texts.len()));
        }
        if let Some(wrong) = tally.wrong {
            return Err(wrong);
        }
        place.check(&engine)?;
        let me = place.caller("later");
        engine.append_text(&me, "user", "and on it goes").map_err(said).map(drop)
    }
}

fn side(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}
