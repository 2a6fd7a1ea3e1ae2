//! Many threads that do the same over and over for a while, and how often they got it done.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// How long a race lasts.
const LENGTH: Duration = Duration::from_millis(1_500);

/// How often everything is measured, in turns; medians are told.
pub const ROUNDS: usize = 3;

/// How often a second all threads together do their step. `runner` makes a thread's step, and is
/// called on that thread; the first call is for warming up.
pub fn race<S: FnMut()>(threads: usize, runner: impl Fn(usize) -> S + Sync) -> f64 {
    let (ready, over) = (Barrier::new(threads + 1), AtomicBool::new(false));
    let done = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for number in 0..threads {
            let (runner, ready, over, done) = (&runner, &ready, &over, &done);
            scope.spawn(move || {
                let mut step = runner(number);
                step();
                ready.wait();
                let mut own = 0;
                while !over.load(Ordering::Relaxed) {
                    step();
                    own += 1;
                }
                done.fetch_add(own, Ordering::Relaxed);
            });
        }
        ready.wait();
        std::thread::sleep(LENGTH);
        over.store(true, Ordering::Relaxed);
    });
    done.load(Ordering::Relaxed) as f64 / LENGTH.as_secs_f64()
}

/// A number for a text that no other thread or round has.
pub fn unique() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}
