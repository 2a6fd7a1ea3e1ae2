//! Time and randomness, the core's inputs from outside. Tests supply their own.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::{Error, Result};

/// The source of the time and of random seeds.
#[derive(Clone)]
pub struct Outside {
    now: Arc<dyn Fn() -> i64 + Send + Sync>,
    seed: Arc<dyn Fn() -> Result<[u8; 32]> + Send + Sync>,
}

/// The last moment whose year has four digits.
const LAST_MS: i64 = 253_402_300_799_999;

impl Outside {
    /// Uses this machine's clock and randomness.
    pub fn real() -> Self {
        Outside { now: Arc::new(real_now), seed: Arc::new(real_seed) }
    }

    /// Uses a clock and seeds that the caller supplies, for reproducible runs.
    pub fn given(
        now: impl Fn() -> i64 + Send + Sync + 'static,
        seed: impl Fn() -> [u8; 32] + Send + Sync + 'static,
    ) -> Self {
        Outside { now: Arc::new(now), seed: Arc::new(move || Ok(seed())) }
    }

    /// Returns the time in milliseconds since 1970.
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
        what: "cannot get random bytes from the system".to_string(),
        source: std::io::Error::other(error.to_string()),
    })?;
    Ok(seed)
}
