//! Waiting for the file's lock beside other processes.

use std::cell::Cell;
use std::time::{Duration, Instant};

use rusqlite::{Connection, Result, Transaction, TransactionBehavior};

use super::open::is_busy;

/// How long to wait before the lock is tried again: this, and up to as much again. Where many
/// write, it is free for moments only. SQLite's own handler soon looks but ten times a second, and
/// was seen to miss it for ten seconds and more beside fifteen other processes.
const PAUSE: Duration = Duration::from_micros(700);

/// Begins a transaction; one that writes gets the lock now.
pub(super) fn begin(
    connection: &Connection,
    behavior: TransactionBehavior,
    wait: Duration,
) -> Result<Transaction<'_>> {
    let begin = || Transaction::new_unchecked(connection, behavior);
    if !matches!(behavior, TransactionBehavior::Immediate) {
        return begin();
    }
    connection.busy_timeout(Duration::ZERO)?;
    let begun = Instant::now();
    let transaction = loop {
        match begin() {
            Err(error) if is_busy(&error) && begun.elapsed() < wait => pause(begun),
            other => break other,
        }
    };
    connection.busy_timeout(wait)?;
    transaction
}

/// Processes that began to wait together must not try together.
fn pause(begun: Instant) {
    let nanoseconds = begun.elapsed().subsec_nanos() % 1_000;
    std::thread::sleep(PAUSE + PAUSE * nanoseconds / 1_000);
}

thread_local! {
    /// Since when, and until when, this thread waits for locks that SQLite takes by itself.
    static WAITING: Cell<Option<(Instant, Instant)>> = const { Cell::new(None) };
}

/// Has a connection wait for locks that a checkpoint takes, as often as `begin` looks for its own.
/// What it waited before is for the caller to set again.
pub(super) fn look_often(connection: &mut Connection, wait: Duration) -> Result<()> {
    let now = Instant::now();
    WAITING.set(Some((now, now + wait)));
    connection.busy_handler(Some(|_| match WAITING.get() {
        Some((begun, until)) if Instant::now() < until => {
            pause(begun);
            true
        }
        _ => false,
    }))
}
