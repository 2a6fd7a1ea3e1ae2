//! Progress bars for what may take longer than two seconds. They draw on standard error, and only
//! on a terminal.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ambit_verbs::Progress;
use indicatif::{ProgressBar, ProgressStyle};

/// The bar at hand, and what it measures.
#[derive(Default)]
pub struct Bars(Mutex<Option<(&'static str, ProgressBar)>>);

impl Bars {
    pub fn show(&self, progress: Progress<'_>) {
        match progress {
            Progress::Working(what) => self.bar("", spinner).set_message(what.to_string()),
            Progress::Bytes { what, done, total } => {
                let bar = self.bar(what, || measured("{msg} {wide_bar} {bytes}/{total_bytes}"));
                set(&bar, what, done, total);
            }
            Progress::Events { what, done, total } => {
                let bar = self.bar(what, || measured("{msg} {wide_bar} {human_pos}/{human_len}"));
                set(&bar, what, done as u64, total as u64);
            }
        }
    }

    pub fn clear(&self) {
        let bar = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((_, bar)) = bar {
            bar.finish_and_clear();
        }
    }

    /// The bar for this, in place of the one before.
    fn bar(&self, what: &'static str, new: impl FnOnce() -> ProgressBar) -> ProgressBar {
        let mut at_hand = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match at_hand.as_ref() {
            Some((known, bar)) if *known == what => bar.clone(),
            before => {
                if let Some((_, bar)) = before {
                    bar.finish_and_clear();
                }
                at_hand.insert((what, new())).1.clone()
            }
        }
    }
}

fn set(bar: &ProgressBar, what: &'static str, done: u64, total: u64) {
    bar.set_message(what);
    bar.set_length(total);
    bar.set_position(done);
}

fn measured(template: &str) -> ProgressBar {
    let bar = ProgressBar::new(0);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

/// A spinner for work without a measure.
fn spinner() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}
