//! The PostgreSQL server for tests: a private one that `cargo xtask test` starts. Without it, the
//! tests fail with a message; they are never skipped.

use std::sync::atomic::{AtomicU64, Ordering};

/// Returns an address on that server with a unique schema.
pub fn fresh_schema() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let address = std::env::var("AMBIT_TEST_POSTGRES").unwrap_or_else(|_| {
        panic!("these tests need a PostgreSQL server: run them by `cargo xtask test`")
    });
    let and = if address.contains('?') { '&' } else { '?' };
    // Process ids are reused; times are not.
    let now = std::time::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_nanos());
    format!("{address}{and}schema=test_{}_{now}_{number}", std::process::id())
}
