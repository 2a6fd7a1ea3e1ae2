//! Connections: what they lose behind a pooler that swaps them, what their errors say, and where
//! they may be dropped.

use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::thread;

use ambit_core::ScopeNo;
use ambit_store::{Error, Postgres, PostgresOptions, Store};
use tempfile::TempDir;

use crate::driver::{Driver, deciding, say};
use crate::open::server;
use crate::postgres_lost::{at_folder, socket};
use crate::server::fresh_schema;

/// A pooler in transaction mode, for one client: two connections to the server take turns.
struct Pooler {
    client: UnixStream,
    servers: [UnixStream; 2],
}

/// A message with its kind; the first one of a client has none.
fn message(from: &mut UnixStream, kind: bool) -> Option<Vec<u8>> {
    let front = if kind { 5 } else { 4 };
    let mut bytes = vec![0; front];
    from.read_exact(&mut bytes).ok()?;
    let length = u32::from_be_bytes(bytes[front - 4..].try_into().unwrap()) as usize;
    bytes.resize(front + length - 4, 0);
    from.read_exact(&mut bytes[front..]).ok()?;
    Some(bytes)
}

impl Pooler {
    /// Answers until the server is ready, and with the state of the transaction.
    fn answer(&mut self, turn: usize, heard: bool) -> Option<u8> {
        loop {
            let bytes = message(&mut self.servers[turn], true)?;
            if heard {
                self.client.write_all(&bytes).ok()?;
            }
            if bytes[0] == b'Z' {
                return Some(bytes[5]);
            }
        }
    }

    fn run(mut self) -> Option<()> {
        let startup = message(&mut self.client, false)?;
        for turn in [0, 1] {
            self.servers[turn].write_all(&startup).ok()?;
            self.answer(turn, turn == 0)?;
        }
        let mut turn = 0;
        loop {
            let bytes = message(&mut self.client, true)?;
            self.servers[turn].write_all(&bytes).ok()?;
            if [b'Q', b'S'].contains(&bytes[0]) && self.answer(turn, true)? == b'I' {
                turn = 1 - turn;
            }
        }
    }
}

fn is_named(error: &Error) -> bool {
    matches!(error, Error::Server(why) if why.contains("a pooler in transaction"))
}

#[test]
fn a_pooler_that_swaps_connections_is_named() {
    let address = fresh_schema();
    drop(server(&address));
    let folder = TempDir::new().unwrap();
    let listener = UnixListener::bind(folder.path().join(".s.PGSQL.5432")).unwrap();
    let target = socket(&address);
    thread::spawn(move || {
        for client in listener.incoming().map_while(Result::ok) {
            let servers = [0, 1].map(|_| UnixStream::connect(&target).unwrap());
            thread::spawn(move || Pooler { client, servers }.run());
        }
    });
    let address = at_folder(&address, folder.path());
    let Err(error) = Postgres::open(&address, &|_| None, &PostgresOptions::default()) else {
        panic!("it opened")
    };
    assert!(is_named(&error), "{error}");
}

/// Where another client's settings are on the connection, nothing is read or written with them.
#[test]
fn settings_of_another_client_are_noticed_before_anything_is_written() {
    let options = PostgresOptions { connections_max: 1, ..PostgresOptions::default() };
    let (store, _) = Postgres::create(&fresh_schema(), &|_| None, &options).unwrap();
    let mut driver = Driver::new(&store);
    driver.must(&say("first"));
    let swap = || drop(store.ask("SELECT set_config('ambit.mark', 'of another', false)").unwrap());
    swap();
    let command = say("second");
    let ask = driver.ask(&command);
    let decide = deciding(&ask, command);
    let error = store.transact(ask, decide).unwrap_err();
    assert!(is_named(&error), "{error}");
    swap();
    let error = store.read("default", &mut |_| panic!("it is read")).unwrap_err();
    assert!(is_named(&error), "{error}");
    // The connection was replaced.
    assert_eq!(driver.rows().scopes[&ScopeNo(1)].messages, 1);
}

#[test]
fn an_error_includes_the_servers_message() {
    let store = server(&fresh_schema());
    let error = store.ask("SELECT CAST(1 / 0 AS TEXT)").unwrap_err().to_string();
    assert!(error.contains("division by zero (SQLSTATE 22012)"), "{error}");
    let error = store.ask("SELECT CAST('x' AS no_such_type)").unwrap_err().to_string();
    assert!(error.contains("\"no_such_type\" does not exist (SQLSTATE 42704)"), "{error}");
}

/// `ambit mcp` drops its store inside a runtime of its own.
#[test]
fn a_store_may_be_dropped_inside_a_runtime() {
    let store = server(&fresh_schema());
    drop(store.vaults().unwrap());
    let held = store.lock_name("a1").unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async move { drop((store, held)) });
}
