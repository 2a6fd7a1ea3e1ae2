//! Many threads that do the same over and over for a while, and how often they got it done.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::Duration;

/// How long a race lasts.
const LENGTH: Duration = Duration::from_secs(1);

/// How often everything is measured, in turns; medians are told.
pub const ROUNDS: usize = 5;

/// How often a second all threads together do their step. `runner` makes a thread's step, and is
/// called on that thread; the first call is for warming up. A thread that fails ends the race.
pub fn race<S: FnMut()>(threads: usize, runner: impl Fn(usize) -> S + Sync) -> f64 {
    let (over, done) = (AtomicBool::new(false), AtomicU64::new(0));
    let (warm, all_warm) = mpsc::channel();
    std::thread::scope(|scope| {
        for number in 0..threads {
            let (runner, over, done, warm) = (&runner, &over, &done, warm.clone());
            scope.spawn(move || {
                let mut step = runner(number);
                step();
                let _ = warm.send(());
                drop(warm);
                while !over.load(Ordering::Relaxed) {
                    step();
                    done.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        drop(warm);
        // Ends early where one fails instead of saying that it is warm.
        if all_warm.iter().count() < threads {
            over.store(true, Ordering::Relaxed);
            return 0.0;
        }
        let before = done.load(Ordering::Relaxed);
        std::thread::sleep(LENGTH);
        let after = done.load(Ordering::Relaxed);
        over.store(true, Ordering::Relaxed);
        (after - before) as f64 / LENGTH.as_secs_f64()
    })
}

/// A number for a text that no other thread or round has.
pub fn unique() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}
