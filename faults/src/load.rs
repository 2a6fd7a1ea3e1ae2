//! Runs writers that acknowledge each stored text over a pipe until they are killed, and compares
//! the acknowledged texts with the stored ones.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::testbed::{Place, describe};

/// How writers write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Each writer starts the program again for every text.
    Program { writers: usize },
    /// Threads of one process that share an open store.
    Threads { writers: usize },
    /// Processes that each have the store open, with several threads.
    Processes { processes: usize, threads: usize },
}

/// An acknowledged text, and when it was acknowledged.
pub type Ack = (Instant, String);

/// The last acknowledged number of each writer.
pub type LastNumbers = BTreeMap<String, u64>;

/// Running writers.
pub struct Load {
    stop: Arc<AtomicBool>,
    children: Vec<Child>,
    readers: Vec<JoinHandle<Result<Vec<Ack>, String>>>,
}

/// How often a writer checks whether to stop.
const POLL: Duration = Duration::from_micros(500);

impl Load {
    /// Starts writers that continue after their last acknowledged numbers. `more` holds further
    /// arguments for the writers that keep the store open.
    pub fn start(
        place: &Place,
        shape: Shape,
        before: &LastNumbers,
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
        before: &LastNumbers,
        more: &[&str],
    ) -> Result<(), String> {
        let last = |thread| before.get(&format!("{name}-{thread}")).copied().unwrap_or(0);
        let after: Vec<String> = (1..=threads).map(|thread| last(thread).to_string()).collect();
        let mut command = place.command(&["demo-writer", "--as", name]);
        command.args(["--writers", &threads.to_string(), "--after", &after.join(",")]).args(more);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(describe)?;
        let out = child.stdout.take().ok_or("the writer has no standard output")?;
        self.children.push(child);
        self.readers.push(std::thread::spawn(move || {
            let lines = BufReader::new(out).lines().map_while(Result::ok);
            Ok(lines.map(|line| (Instant::now(), line)).collect())
        }));
        Ok(())
    }

    fn program(&mut self, place: &Place, actor: &str, before: &LastNumbers) {
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
                // An answer that precedes the kill counts as an acknowledgement.
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

    /// Kills all writers and returns their acknowledgements.
    pub fn kill(mut self) -> Result<Vec<Ack>, String> {
        self.stop.store(true, Relaxed);
        for child in &mut self.children {
            if let Some(status) = child.try_wait().map_err(describe)? {
                return Err(format!("a writer exited before it was killed: {status}"));
            }
            child.kill().map_err(describe)?;
        }
        for child in &mut self.children {
            child.wait().map_err(describe)?;
        }
        self.collect()
    }

    /// Waits until all writers are finished, and returns their acknowledgements.
    pub fn finish(mut self) -> Result<Vec<Ack>, String> {
        for child in &mut self.children {
            let status = child.wait().map_err(describe)?;
            if !status.success() {
                return Err(format!("a writer failed: {status}"));
            }
        }
        self.collect()
    }

    fn collect(&mut self) -> Result<Vec<Ack>, String> {
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

/// Runs a program, kills it when `stop` is set, and returns its output.
fn run_until(mut command: Command, stop: &AtomicBool) -> Result<String, String> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(describe)?;
    while !stop.load(Relaxed) && child.try_wait().map_err(describe)?.is_none() {
        std::thread::sleep(POLL);
    }
    child.kill().map_err(describe)?;
    let answer = child.wait_with_output().map_err(describe)?;
    Ok(String::from_utf8_lossy(&answer.stdout).into_owned())
}

/// The comparison of acknowledged and stored texts.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub acknowledged: u64,
    pub found: u64,
    pub doubled: u64,
    /// The first difference.
    pub wrong: Option<String>,
}

/// Adds acknowledgements to the last numbers of before. Fails if a writer skipped a number.
pub fn last_numbers(before: &LastNumbers, acks: &[Ack]) -> Result<LastNumbers, String> {
    let mut last = before.clone();
    for (_, text) in acks {
        let (writer, number) =
            parse(text).ok_or_else(|| format!("unexpected acknowledgement {text:?}"))?;
        let known = last.entry(writer.to_string()).or_default();
        if number != *known + 1 {
            return Err(format!("{writer} acknowledged {number} after {known}"));
        }
        *known = number;
    }
    Ok(last)
}

/// Compares acknowledged with stored texts. Every acknowledged text must be stored once and in
/// order. Each writer may have one more, which it did not live to acknowledge.
pub fn compare(last: &LastNumbers, texts: &[String]) -> Tally {
    let mut tally = Tally { acknowledged: last.values().sum(), ..Tally::default() };
    let mut next: LastNumbers = LastNumbers::new();
    for text in texts {
        let Some((writer, number)) = parse(text) else {
            tally.wrong.get_or_insert(format!("{text:?} was never written"));
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
                tally.wrong.get_or_insert(format!("{text:?} is stored twice or out of order"));
            }
            _ => {
                tally
                    .wrong
                    .get_or_insert(format!("{text:?} follows number {known}: texts are lost"));
                *known = number;
            }
        }
    }
    for (writer, acknowledged) in last {
        let found = next.get(writer).copied().unwrap_or(0);
        if found < *acknowledged {
            let lost = acknowledged - found;
            let wrong = format!("{writer}: the last {lost} of {acknowledged} are lost");
            tally.wrong.get_or_insert(wrong);
        } else if found > acknowledged + 1 {
            let wrong = format!("{writer}: {found} stored, {acknowledged} acknowledged");
            tally.wrong.get_or_insert(wrong);
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

    use super::{LastNumbers, compare, last_numbers};

    fn last(all: &[(&str, u64)]) -> LastNumbers {
        all.iter().map(|(name, number)| (name.to_string(), *number)).collect()
    }

    fn texts(all: &[&str]) -> Vec<String> {
        all.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn all_acknowledged_texts_and_at_most_one_more_are_accepted() {
        let acknowledged = last(&[("a", 2), ("b", 1)]);
        for right in [&["a 1", "b 1", "a 2"][..], &["a 1", "a 2", "a 3", "b 1", "b 2"]] {
            let tally = compare(&acknowledged, &texts(right));
            assert_eq!((tally.wrong, tally.found, tally.doubled), (None, 3, 0));
        }
    }

    #[test]
    fn lost_doubled_unknown_and_surplus_texts_are_reported() {
        let acknowledged = last(&[("a", 2)]);
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
            assert!(compare(&acknowledged, &texts(wrong)).wrong.is_some(), "{wrong:?}");
        }
        assert_eq!(compare(&acknowledged, &texts(&["a 1", "a 2", "a 2"])).doubled, 1);
    }

    #[test]
    fn numbers_continue_without_a_gap() {
        let now = Instant::now();
        let ack = |text: &str| (now, text.to_string());
        let before = last(&[("a", 4)]);
        let after = last_numbers(&before, &[ack("a 5"), ack("b 1"), ack("a 6")]);
        assert_eq!(after, Ok(last(&[("a", 6), ("b", 1)])));
        assert!(last_numbers(&before, &[ack("a 6")]).is_err());
        assert!(last_numbers(&before, &[ack("what")]).is_err());
    }
}
