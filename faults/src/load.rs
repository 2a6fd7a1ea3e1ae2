//! Writers that say what is stored, over a pipe, until they are killed; and what is found of it.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::ground::{Place, said};

/// How writers write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Each starts the program anew for every text.
    Program { writers: usize },
    /// Threads of one process, on one open store.
    Threads { writers: usize },
    /// Processes with an open store each, and some threads in each.
    Processes { processes: usize, threads: usize },
}

/// A text that was said to be stored, and when.
pub type Said = (Instant, String);

/// For each writer the last number that it said.
pub type Numbers = BTreeMap<String, u64>;

/// Writers at work.
pub struct Load {
    stop: Arc<AtomicBool>,
    children: Vec<Child>,
    readers: Vec<JoinHandle<Result<Vec<Said>, String>>>,
}

/// How often a writer looks whether it is to be killed.
const LOOK: Duration = Duration::from_micros(500);

impl Load {
    /// Starts writers that go on after what they said before. Further arguments go to the writers
    /// that have the store open.
    pub fn start(
        place: &Place,
        shape: Shape,
        before: &Numbers,
        more: &[&str],
    ) -> Result<Load, String> {
        let stop = Arc::new(AtomicBool::new(false));
        let mut load = Load { stop, children: Vec::new(), readers: Vec::new() };
        match shape {
            Shape::Program { writers } => {
                for writer in 1..=writers {
                    load.program(place, &format!("program-{writer}"), before);
                }
            }
            Shape::Threads { writers } => load.process(place, "thread", writers, before, more)?,
            Shape::Processes { processes, threads } => {
                for process in 1..=processes {
                    load.process(place, &format!("process-{process}"), threads, before, more)?;
                }
            }
        }
        Ok(load)
    }

    fn process(
        &mut self,
        place: &Place,
        name: &str,
        threads: usize,
        before: &Numbers,
        more: &[&str],
    ) -> Result<(), String> {
        let last = |thread| before.get(&format!("{name}-{thread}")).copied().unwrap_or(0);
        let after: Vec<String> = (1..=threads).map(|thread| last(thread).to_string()).collect();
        let mut command = place.command(&["demo-writer", "--as", name]);
        command.args(["--writers", &threads.to_string(), "--after", &after.join(",")]).args(more);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(said)?;
        let out = child.stdout.take().ok_or("a writer without a voice")?;
        self.children.push(child);
        self.readers.push(std::thread::spawn(move || {
            let lines = BufReader::new(out).lines().map_while(Result::ok);
            Ok(lines.map(|line| (Instant::now(), line)).collect())
        }));
        Ok(())
    }

    fn program(&mut self, place: &Place, actor: &str, before: &Numbers) {
        let after = before.get(actor).copied().unwrap_or(0);
        let (place, actor, stop) = (place.clone(), actor.to_string(), Arc::clone(&self.stop));
        self.readers.push(std::thread::spawn(move || {
            let mut all = Vec::new();
            for number in after + 1.. {
                let text = format!("{actor} {number:06}");
                let key = ["--key", text.as_str()];
                let mut append = place.command(&["append", &text, "--json", "--role", "user"]);
                append.args(["--as", &actor]).args(key);
                let answer = run_until(append, &stop)?;
                // Said and killed right after is said all the same.
                if answer.starts_with("{\"ok\":true") {
                    all.push((Instant::now(), text));
                } else if !stop.load(Relaxed) {
                    return Err(format!("{text}: {}", answer.trim()));
                }
                if stop.load(Relaxed) {
                    break;
                }
            }
            Ok(all)
        }));
    }

    /// Kills them all, and gives what they said up to then.
    pub fn kill(mut self) -> Result<Vec<Said>, String> {
        self.stop.store(true, Relaxed);
        for child in &mut self.children {
            if let Some(status) = child.try_wait().map_err(said)? {
                return Err(format!("a writer ended by itself, with {status}"));
            }
            child.kill().map_err(said)?;
        }
        for child in &mut self.children {
            child.wait().map_err(said)?;
        }
        self.collect()
    }

    /// Waits until they have written all they were to write.
    pub fn finish(mut self) -> Result<Vec<Said>, String> {
        for child in &mut self.children {
            let status = child.wait().map_err(said)?;
            if !status.success() {
                return Err(format!("a writer ended with {status}"));
            }
        }
        self.collect()
    }

    fn collect(&mut self) -> Result<Vec<Said>, String> {
        let mut all = Vec::new();
        for reader in self.readers.drain(..) {
            all.extend(reader.join().map_err(|_| "a reader panicked")??);
        }
        Ok(all)
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.stop.store(true, Relaxed);
        for child in &mut self.children {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Runs a program, kills it when told to, and gives what it said.
fn run_until(mut command: Command, stop: &AtomicBool) -> Result<String, String> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(said)?;
    while !stop.load(Relaxed) && child.try_wait().map_err(said)?.is_none() {
        std::thread::sleep(LOOK);
    }
    child.kill().map_err(said)?;
    let answer = child.wait_with_output().map_err(said)?;
    Ok(String::from_utf8_lossy(&answer.stdout).into_owned())
}

/// What was said, and what was found of it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub acknowledged: u64,
    pub found: u64,
    pub doubled: u64,
    /// The first thing that is wrong.
    pub wrong: Option<String>,
}

/// The numbers said, on top of those before. They count up without a gap.
pub fn numbers(before: &Numbers, said: &[Said]) -> Result<Numbers, String> {
    let mut last = before.clone();
    for (_, text) in said {
        let (writer, number) = parse(text).ok_or_else(|| format!("a writer said {text:?}"))?;
        let known = last.entry(writer.to_string()).or_default();
        if number != *known + 1 {
            return Err(format!("{writer} said {number} after {known}"));
        }
        *known = number;
    }
    Ok(last)
}

/// Compares: everything said is there, once and in order, and of each writer at most one text more,
/// which it did not live to say.
pub fn compare(last: &Numbers, texts: &[String]) -> Tally {
    let mut tally = Tally { acknowledged: last.values().sum(), ..Tally::default() };
    let mut next: Numbers = Numbers::new();
    for text in texts {
        let Some((writer, number)) = parse(text) else {
            tally.wrong.get_or_insert(format!("{text:?} was never said"));
            continue;
        };
        let known = next.entry(writer.to_string()).or_default();
        match number {
            _ if number == *known + 1 => {
                *known = number;
                tally.found += u64::from(number <= last.get(writer).copied().unwrap_or(0));
            }
            _ if number <= *known => {
                tally.doubled += 1;
                tally.wrong.get_or_insert(format!("{text:?} is there twice, or too late"));
            }
            _ => {
                tally.wrong.get_or_insert(format!("{text:?} follows {known}: some are lost"));
                *known = number;
            }
        }
    }
    for (writer, said) in last {
        let found = next.get(writer).copied().unwrap_or(0);
        if found < *said {
            let lost = said - found;
            tally.wrong.get_or_insert(format!("{writer}: the last {lost} of {said} are lost"));
        } else if found > said + 1 {
            tally.wrong.get_or_insert(format!("{writer}: {found} stored, {said} said"));
        }
    }
    tally
}

fn parse(text: &str) -> Option<(&str, u64)> {
    let (writer, number) = text.rsplit_once(' ')?;
    Some((writer, number.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::{Numbers, compare, numbers};

    fn last(all: &[(&str, u64)]) -> Numbers {
        all.iter().map(|(name, number)| (name.to_string(), *number)).collect()
    }

    fn texts(all: &[&str]) -> Vec<String> {
        all.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn all_that_was_said_and_at_most_one_more_is_right() {
        let said = last(&[("a", 2), ("b", 1)]);
        for right in [&["a 1", "b 1", "a 2"][..], &["a 1", "a 2", "a 3", "b 1", "b 2"]] {
            let tally = compare(&said, &texts(right));
            assert_eq!((tally.wrong, tally.found, tally.doubled), (None, 3, 0));
        }
    }

    #[test]
    fn lost_doubled_strange_and_surplus_texts_are_found() {
        let said = last(&[("a", 2)]);
        for wrong in [
            &["a 1"][..],
            &["a 2"],
            &[],
            &["a 1", "a 2", "a 2"],
            &["a 1", "a 2", "a 1"],
            &["a 1", "a 2", "a 3", "a 4"],
            &["a 1", "a 2", "hello"],
            &["a 2", "a 1"],
        ] {
            assert!(compare(&said, &texts(wrong)).wrong.is_some(), "{wrong:?}");
        }
        assert_eq!(compare(&said, &texts(&["a 1", "a 2", "a 2"])).doubled, 1);
    }

    #[test]
    fn numbers_go_on_without_a_gap() {
        let now = Instant::now();
        let said = |text: &str| (now, text.to_string());
        let before = last(&[("a", 4)]);
        let after = numbers(&before, &[said("a 5"), said("b 1"), said("a 6")]);
        assert_eq!(after, Ok(last(&[("a", 6), ("b", 1)])));
        assert!(numbers(&before, &[said("a 6")]).is_err());
        assert!(numbers(&before, &[said("what")]).is_err());
    }
}
