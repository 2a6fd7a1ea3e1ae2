//! Measures how often per second several threads complete a step.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::Duration;

/// How long one measurement takes.
const DURATION: Duration = Duration::from_secs(1);

/// How often each case is measured; the cases take turns, and medians are reported.
pub const ROUNDS: usize = 5;

/// Returns how often per second all threads together complete their step. `runner` creates a
/// thread's step and is called on that thread; the first step warms up. If a thread fails, the
/// measurement ends.
pub fn steps_per_second<S: FnMut()>(threads: usize, runner: impl Fn(usize) -> S + Sync) -> f64 {
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
        // A thread that panicked while warming up did not report.
        if all_warm.iter().count() < threads {
            over.store(true, Ordering::Relaxed);
            return 0.0;
        }
        let before = done.load(Ordering::Relaxed);
        std::thread::sleep(DURATION);
        let after = done.load(Ordering::Relaxed);
        over.store(true, Ordering::Relaxed);
        (after - before) as f64 / DURATION.as_secs_f64()
    })
}

/// Returns a number that no other thread or round has.
pub fn unique() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}
