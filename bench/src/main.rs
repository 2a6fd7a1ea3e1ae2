//! `cargo xtask bench`: measures the engine as ratios against the bare database underneath. Both
//! sides of a ratio are measured in one run, because the machine is shared and noisy.

#![expect(clippy::expect_used, reason = "a bench that cannot continue panics with its message")]

mod append;
mod attention;
mod cli;
mod compose;
mod disk;
mod growth;
mod mcp;
mod search;
mod store;
mod tokens;

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use ambit::{Caller, Engine, Location};

use xtask::Outcome;

/// One line of the result.
pub struct Line {
    pub what: String,
    pub measured: String,
    pub bound: String,
    pub kept: bool,
}

impl Line {
    /// A ratio that must not exceed a bound.
    pub fn at_most(what: impl Into<String>, ratio: f64, bound: f64, detail: &str) -> Line {
        Line {
            what: what.into(),
            measured: format!("{ratio:.2} × ({detail})"),
            bound: format!("at most {bound} ×"),
            kept: ratio <= bound,
        }
    }

    /// A time in milliseconds that must stay below a bound.
    pub fn below_ms(what: impl Into<String>, ms: f64, bound: f64) -> Line {
        Line {
            what: what.into(),
            measured: format!("{ms:.1} ms"),
            bound: format!("below {bound} ms"),
            kept: ms < bound,
        }
    }
}

fn main() -> ExitCode {
    xtask::main_with(run)
}

/// Runs all benches, or those whose name is given, and prints one table.
fn run(names: &[String]) -> Outcome {
    if let Some(("store", rest)) = names.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        return store::run(rest);
    }
    if let Some(("search", rest)) = names.split_first().map(|(first, rest)| (first.as_str(), rest))
    {
        return search::run(rest);
    }
    type Bench = fn(&Path) -> Vec<Line>;
    let benches: [(&str, Bench); 8] = [
        ("tokens", tokens::run),
        ("append", append::run),
        ("compose", compose::run),
        ("growth", growth::run),
        ("disk", disk::run),
        ("cli", cli::run),
        ("mcp", mcp::run),
        ("attention", attention::run),
    ];
    let mut lines = Vec::new();
    for (name, bench) in benches {
        if !names.is_empty() && !names.iter().any(|wanted| wanted == name) {
            continue;
        }
        let folder =
            std::env::temp_dir().join(format!("ambit-bench-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder)
            .map_err(|error| format!("{}: {error}", folder.display()))?;
        eprintln!("bench {name} …");
        lines.extend(bench(&folder));
        let _ = std::fs::remove_dir_all(&folder);
    }
    let width = |cell: fn(&Line) -> &str| {
        lines.iter().map(|line| cell(line).chars().count()).max().unwrap_or(0)
    };
    let (what, measured) = (width(|line| &line.what), width(|line| &line.measured));
    for line in &lines {
        let verdict = if line.kept { "kept" } else { "MISSED" };
        println!("{:what$}  {:measured$}  {}  {verdict}", line.what, line.measured, line.bound);
    }
    Ok(())
}

/// Creates a store with the vault `default`.
pub fn engine(folder: &Path, name: &str) -> (Engine, Location) {
    let location = Location::Sqlite(folder.join(name));
    let (engine, _) = Engine::create(&location).expect("a store");
    engine.create_vault("default").expect("a vault");
    (engine, location)
}

pub fn caller() -> Caller {
    Caller::new("bench")
}

/// Returns a text of `bytes` bytes, different for each seed.
pub fn text(bytes: usize, seed: u64) -> String {
    const WORDS: [&str; 16] = [
        "session", "timeout", "the", "login", "handler", "returns", "error", "in", "module",
        "auth", "config", "value", "is", "not", "expected", "retry",
    ];
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut out = format!("{seed}:");
    while out.len() < bytes {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        out.push(' ');
        out.push_str(WORDS[(state % 16) as usize]);
    }
    out.truncate(bytes);
    out
}

/// Returns JSON lines of alternating user and assistant messages.
pub fn conversation(messages: usize, bytes: usize, seed: u64) -> String {
    let mut out = String::with_capacity(messages * (bytes + 40));
    for index in 0..messages {
        let role = if index % 2 == 0 { "user" } else { "assistant" };
        let text = text(bytes, seed * 1_000_003 + index as u64);
        out += &format!("{{\"role\":\"{role}\",\"content\":\"{text}\"}}\n");
    }
    out
}

/// Returns the microseconds that a step takes.
pub fn micros(step: impl FnOnce()) -> f64 {
    let start = Instant::now();
    step();
    start.elapsed().as_secs_f64() * 1e6
}

pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
