//! A faulty program that acknowledges writes before they are durable. It accepts the verbs of
//! `ambit` that the fault suites run, to prove that those suites detect it.

use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;

use ambit::{Caller, Engine, Location, Outside};
use ambit_store::{Postgres, Sqlite, Store};
use ambit_testkit::fault::{Breaks, Fault};
use ambit_testkit::test_store::TestStore;

const EARLY: Fault = Fault { name: "a write is acknowledged early", breaks: Breaks::Acknowledged };

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() {
    if let Err(why) = run() {
        eprintln!("{why}");
        std::process::exit(1);
    }
}

fn run() -> Outcome<()> {
    let (words, options) = arguments();
    let option = |name: &str| options.get(name).map(String::as_str);
    let location = Location::parse(option("--store").ok_or("--store is required")?)?;
    let vault = option("--vault").unwrap_or("default");
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["init"] => drop(Engine::create(&location)?.0.create_vault(vault)?),
        ["append", text] => {
            let caller = caller(vault, option("--as").unwrap_or("writer"), text);
            engine(&location)?.append_text(&caller, "user", text)?;
            println!("{{\"ok\":true}}");
        }
        ["demo-writer"] => {
            let engine = engine(&location)?;
            let name = option("--as").unwrap_or("writer");
            let writers: usize = option("--writers").unwrap_or("1").parse()?;
            let after = option("--after").unwrap_or_default().split(',');
            let after: Vec<u64> = after.map(|number| number.parse().unwrap_or(0)).collect();
            std::thread::scope(|scope| {
                for index in 0..writers {
                    let actor = format!("{name}-{}", index + 1);
                    let after = after.get(index).copied().unwrap_or(0);
                    let engine = &engine;
                    scope.spawn(move || write(engine, vault, &actor, after));
                }
            });
        }
        other => return Err(format!("{other:?} is not a verb of this program").into()),
    }
    Ok(())
}

/// Splits arguments into words, and options with their values.
fn arguments() -> (Vec<String>, HashMap<String, String>) {
    let (mut words, mut options) = (Vec::new(), HashMap::new());
    let mut given = std::env::args().skip(1);
    while let Some(word) = given.next() {
        match word.as_str() {
            "--json" | "--retry" => {}
            option if option.starts_with("--") => {
                options.insert(word, given.next().unwrap_or_default());
            }
            _ => words.push(word),
        }
    }
    (words, options)
}

fn engine(location: &Location) -> Outcome<Engine> {
    let store: Arc<dyn Store> = match location {
        Location::Sqlite(path) => Arc::new(Sqlite::open(path, &Default::default())?),
        Location::Postgres(address) => {
            let found = Postgres::open(address, &|_| None, &Default::default())?;
            Arc::new(found.ok_or("there is no store at this address")?)
        }
    };
    Ok(Engine::over(Arc::new(TestStore::new(store, Some(EARLY))), Outside::real()))
}

fn caller(vault: &str, actor: &str, key: &str) -> Caller {
    Caller { vault: vault.to_string(), ..Caller::new(actor) }.with_key(key)
}

/// Appends numbered texts until it is killed, and prints each as if it were stored.
fn write(engine: &Engine, vault: &str, actor: &str, after: u64) {
    let mut out = std::io::stdout();
    for number in after + 1.. {
        let text = format!("{actor} {number:06}");
        let caller = caller(vault, actor, &text);
        while engine.append_text(&caller, "user", &text).is_err() {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        if out.write_all(format!("{text}\n").as_bytes()).and_then(|()| out.flush()).is_err() {
            return;
        }
    }
}
