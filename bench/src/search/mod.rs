//! `cargo xtask bench search`: measures the latency of a search, the cost of the index for an
//! append, the agreement of both databases, and recall.

mod questions;
mod texts;

use std::time::Instant;

use ambit::{Caller, SearchRequest};
use ambit_core::search::Bag;

use self::texts::Texts;
use super::store::database::{Database, Opened};
use super::store::figure::{self, Figure, grouped};
use super::store::load::Progress;
use super::{median, micros};
use xtask::Outcome;
use xtask::postgres::Cluster;

/// Bytes of a text.
const BYTES: usize = 800;

const ITEMS: u64 = 100_000;
const QUERIES: u64 = 400;

/// Texts appended in one call.
const BATCH: u64 = 1_000;

const HELP: &str = "Usage: cargo xtask bench search [--items NUMBER] [--questions FILE] [--sqlite]

Measure search on SQLite and on a private PostgreSQL server.

  --items NUMBER     search this many texts of 0.8 kB [default: 100000]
  --questions FILE   measure only recall, on conversations with questions and their evidence
                     (format: docs/search.md)
  --sqlite           measure SQLite alone

Example: cargo xtask bench search --items 20000 --sqlite";

struct Options {
    items: u64,
    questions: Vec<String>,
    sqlite: bool,
}

pub fn run(arguments: &[String]) -> Outcome {
    if arguments.iter().any(|word| word == "--help" || word == "-h") {
        println!("{HELP}");
        return Ok(());
    }
    let options = Options::parse(arguments)?;
    let folder = tempfile::tempdir()
        .map_err(|error| format!("cannot create a temporary folder: {error}"))?;
    let database = Database::Sqlite(folder.path().to_path_buf());
    let mut figures = Vec::new();
    for file in &options.questions {
        figures.extend(questions::run(&database, file)?);
    }
    if options.questions.is_empty() {
        figures.push(indexing());
        figures.push(append(&database));
        let sqlite = load(&database, options.items);
        figures.extend(latency(&sqlite, options.items, Some(20.0)));
        if !options.sqlite {
            let cluster = Cluster::start()?;
            let server = load(&Database::Postgres(cluster.address()), options.items);
            figures.extend(latency(&server, options.items, None));
            figures.push(agreement(&sqlite, &server));
        }
    }
    match figure::print(&figures) {
        0 => Ok(()),
        missed => Err(format!("bench search: {missed} bounds missed")),
    }
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Options, String> {
        let mut options = Options { items: ITEMS, questions: Vec::new(), sqlite: false };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            match (word.as_str(), words.as_slice().first()) {
                ("--sqlite", _) => options.sqlite = true,
                ("--items", Some(number)) => {
                    let number = number.parse().map_err(|_| {
                        format!("invalid value {number:?} for --items: expected a whole number")
                    })?;
                    options.items = number;
                    words.next();
                }
                ("--questions", Some(file)) => {
                    options.questions.push(file.clone());
                    words.next();
                }
                _ => return Err(format!("unknown argument {word:?}\n\n{HELP}")),
            }
        }
        Ok(options)
    }
}

fn me() -> Caller {
    Caller::new("bench")
}

fn request(query: String) -> SearchRequest {
    SearchRequest { query, ..SearchRequest::default() }
}

/// Measures how fast texts are split into terms.
fn indexing() -> Figure {
    let texts = Texts::new();
    let all: Vec<String> = (0..20_000).map(|it| texts.text(BYTES, it)).collect();
    let begun = Instant::now();
    let terms: usize = all.iter().map(|text| Bag::of(text.as_bytes()).terms().count()).sum();
    let seconds = begun.elapsed().as_secs_f64();
    let (per, size) = (seconds * 1e6 / all.len() as f64, (all.len() * BYTES) as f64 / 1e6);
    let measured = format!(
        "{per:.1} µs for a text of {BYTES} bytes ({:.0} MB/s, {} terms)",
        size / seconds,
        terms / all.len()
    );
    Figure::unbounded("terms of a text", measured)
}

/// Compares an append of words with one of as many bytes without words, which adds nothing to the
/// index.
fn append(database: &Database) -> Figure {
    let texts = Texts::new();
    let (with, without) = (database.open("append_with"), database.open("append_without"));
    let (mut plain, mut indexed) = (Vec::new(), Vec::new());
    for number in 0..3_000 {
        let (words, signs) = (texts.text(BYTES, number), texts.signs(BYTES, number));
        let put = |opened: &Opened, text: &str| {
            micros(|| drop(opened.engine.append_text(&me(), "user", text).expect("appended")))
        };
        indexed.push(put(&with, &words));
        plain.push(put(&without, &signs));
    }
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (mean_with, mean_without) = (mean(&indexed), mean(&plain));
    let (indexed, plain) = (median(&mut indexed), median(&mut plain));
    let measured = format!(
        "{:.2} × ({indexed:.0} µs to {plain:.0} µs; means {mean_with:.0}, {mean_without:.0})",
        indexed / plain
    );
    Figure::at_most("SQLite: append with the index / without", indexed / plain, 1.5, measured)
}

fn load(database: &Database, items: u64) -> Opened {
    let texts = Texts::new();
    let opened = database.open("search");
    let begun = Instant::now();
    let progress =
        Progress::new(format!("loading {} texts on {}", grouped(items), database.name()));
    for from in (0..items).step_by(BATCH as usize) {
        let line = |it: u64| {
            let role = if it.is_multiple_of(2) { "user" } else { "assistant" };
            format!("{{\"role\":\"{role}\",\"content\":\"{}\"}}\n", texts.text(BYTES, it))
        };
        let lines: String = (from..items.min(from + BATCH)).map(line).collect();
        opened.engine.append_json(&me(), &lines).expect("appended");
        progress.show(from as f64 / items as f64);
    }
    progress.end();
    opened.settle();
    eprintln!("loaded in {:.1} s", begun.elapsed().as_secs_f64());
    opened
}

fn latency(opened: &Opened, items: u64, bound: Option<f64>) -> Vec<Figure> {
    let texts = Texts::new();
    let name = opened.name();
    let mut times = Vec::new();
    let mut found = 0;
    for number in 0..QUERIES {
        let request = request(texts.question(BYTES, number, items));
        let begun = Instant::now();
        let answer = opened.engine.search(&me(), &request).expect("searched");
        times.push(begun.elapsed().as_secs_f64() * 1e3);
        found += answer.hits.len();
    }
    assert!(found as u64 > QUERIES * 5, "{found} hits");
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    let what = format!("{name}: search of {} texts, 5 to 15 words", grouped(items));
    let measured = format!(
        "p50 {:.1} ms, p90 {:.1} ms, p99 {:.1} ms, slowest {:.1} ms",
        at(0.5),
        at(0.9),
        at(0.99),
        at(1.0)
    );
    vec![match bound {
        Some(bound) => Figure::at_most(what, at(0.99), bound, measured),
        None => Figure::unbounded(what, measured),
    }]
}

/// Returns the share of questions that have the same first ten hits on both databases.
fn agreement(one: &Opened, other: &Opened) -> Figure {
    let texts = Texts::new();
    let same = |number: &u64| {
        let request = request(texts.question(BYTES, *number, ITEMS));
        let hits = |opened: &Opened| -> Vec<String> {
            let answer = opened.engine.search(&me(), &request).expect("searched");
            answer.hits.into_iter().map(|hit| hit.id).collect()
        };
        hits(one) == hits(other)
    };
    let share = (0..QUERIES).filter(same).count() as f64 / QUERIES as f64;
    let measured = format!("{:.1} % of {QUERIES} questions", share * 100.0);
    Figure::at_least("the same first ten on both databases", share, 0.95, measured)
}
