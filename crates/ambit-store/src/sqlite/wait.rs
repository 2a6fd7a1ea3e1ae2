//! Waiting for the file's lock beside other processes.

use std::cell::Cell;
use std::time::{Duration, Instant};

use rusqlite::{Connection, Result, Transaction, TransactionBehavior};

use super::open::is_busy;

/// The pause before the next attempt at the lock: between one and two times this. With many
/// writers, the lock is free only for moments. SQLite's own handler backs off to ten attempts a
/// second; with fifteen other processes, it missed the lock for more than ten seconds.
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

/// Makes a connection retry the locks of a checkpoint as often as `begin` retries its own. The
/// caller restores the previous busy timeout.
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
