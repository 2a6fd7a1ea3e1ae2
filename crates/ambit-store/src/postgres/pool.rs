//! A small connection pool: limits the number of connections, reuses idle ones, discards broken
//! ones, and retries new ones until the time-out.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::address::Address;
use super::session::Session;
use crate::{Error, Result};

/// The pause between two attempts to connect.
const PAUSE: Duration = Duration::from_millis(50);

pub(super) struct Pool {
    pub address: Address,
    pub max: usize,
    state: Mutex<State>,
    returned: Condvar,
}

#[derive(Default)]
struct State {
    idle: Vec<Session>,
    /// How many connections are in use or being opened.
    taken: usize,
}

impl Pool {
    pub fn new(address: Address, max: usize) -> Pool {
        Pool { address, max: max.max(1), state: Mutex::default(), returned: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns an idle or new connection. Waits for a connection to be returned, and for a server
    /// that does not answer, until the time-out.
    pub fn take(&self, wait: Duration) -> Result<Taken<'_>> {
        let until = Instant::now() + wait;
        let mut state = self.lock();
        loop {
            while let Some(session) = state.idle.pop() {
                if !session.is_closed() {
                    state.taken += 1;
                    return Ok(Taken { pool: self, session: Some(session) });
                }
            }
            if state.taken < self.max {
                state.taken += 1;
                break;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Error::Busy { waited_ms: wait.as_millis() as u64 });
            }
            let waited = self.returned.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(state);
        // From here on the connection counts as taken, also if opening it fails.
        let mut taken = Taken { pool: self, session: None };
        loop {
            match Session::connect(&self.address) {
                Ok(session) => {
                    taken.session = Some(session);
                    return Ok(taken);
                }
                Err(Error::Unreachable(_)) if Instant::now() < until => sleep(PAUSE),
                Err(error) => return Err(error),
            }
        }
    }

    /// Closes all idle connections: if one is broken, the others usually are too.
    pub fn clear(&self) {
        self.lock().idle.clear();
    }
}

/// A connection taken from the pool. If dropped without being returned, it is closed, because a
/// transaction may be open on it.
pub(super) struct Taken<'a> {
    pool: &'a Pool,
    session: Option<Session>,
}

impl Taken<'_> {
    pub fn session(&mut self) -> Result<&mut Session> {
        let gone = || Error::Unreachable("the connection is closed".into());
        self.session.as_mut().ok_or_else(gone)
    }

    /// Returns the connection to the pool. No transaction may be open on it.
    pub fn give_back(mut self) {
        if let Some(session) = self.session.take() {
            self.pool.lock().idle.push(session);
        }
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.pool.lock().taken -= 1;
        self.pool.returned.notify_one();
    }
}
