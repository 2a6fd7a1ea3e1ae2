//! A small pool of connections: at most so many at once, those at rest kept for the next, broken
//! ones thrown away, new ones tried until the time is up.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::address::Address;
use super::session::Session;
use crate::{Error, Result};

/// Between two attempts to connect.
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
    /// How many are out, or being opened.
    taken: usize,
}

impl Pool {
    pub fn new(address: Address, max: usize) -> Pool {
        Pool { address, max: max.max(1), state: Mutex::default(), returned: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A connection, at rest or new. Waits for one to be returned, and for a server that does not
    /// answer, until the time is up.
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
        // From here on it counts as taken, whatever becomes of it.
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

    /// Throws away what is at rest: one broken connection is seldom alone.
    pub fn clear(&self) {
        self.lock().idle.clear();
    }
}

/// A connection on loan. Dropped without being returned it is closed: it may be in the middle of a
/// transaction.
pub(super) struct Taken<'a> {
    pool: &'a Pool,
    session: Option<Session>,
}

impl Taken<'_> {
    pub fn session(&mut self) -> Result<&mut Session> {
        let gone = || Error::Unreachable("the connection is closed".into());
        self.session.as_mut().ok_or_else(gone)
    }

    /// Gives it back, outside of any transaction.
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
