//! What comes in from outside the core: time and randomness. Tests bring their own.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::{Error, Result};

/// Where time and fresh seeds come from.
#[derive(Clone)]
pub struct Outside {
    now: Arc<dyn Fn() -> i64 + Send + Sync>,
    seed: Arc<dyn Fn() -> Result<[u8; 32]> + Send + Sync>,
}

/// The last moment that is written with a year of four digits.
const LAST_MS: i64 = 253_402_300_799_999;

impl Outside {
    /// This machine's clock and randomness.
    pub fn real() -> Self {
        Outside { now: Arc::new(real_now), seed: Arc::new(real_seed) }
    }

    /// A clock and seeds of the caller's own, for runs that must repeat.
    pub fn given(
        now: impl Fn() -> i64 + Send + Sync + 'static,
        seed: impl Fn() -> [u8; 32] + Send + Sync + 'static,
    ) -> Self {
        Outside { now: Arc::new(now), seed: Arc::new(move || Ok(seed())) }
    }

    /// Milliseconds since 1970.
    pub fn now(&self) -> i64 {
        (self.now)().clamp(0, LAST_MS)
    }

    pub(crate) fn seed(&self) -> Result<[u8; 32]> {
        (self.seed)()
    }
}

fn real_now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(LAST_MS))
}

fn real_seed() -> Result<[u8; 32]> {
    let mut seed = [0; 32];
    getrandom::fill(&mut seed).map_err(|error| Error::Io {
        what: "no randomness from the system".to_string(),
        source: std::io::Error::other(error.to_string()),
    })?;
    Ok(seed)
}
