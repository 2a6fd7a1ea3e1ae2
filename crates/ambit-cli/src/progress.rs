//! Progress bars for what may take longer than two seconds. They draw on standard error, and only
//! on a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A bar over a known number of bytes.
pub fn bytes(what: &'static str, total: u64) -> ProgressBar {
    let bar = ProgressBar::new(total);
    let template = "{msg} {wide_bar} {bytes}/{total_bytes}";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.set_message(what);
    bar
}

/// A bar over events, whose number may come later.
pub fn events(what: &'static str) -> ProgressBar {
    let bar = ProgressBar::new(0);
    if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {human_pos}/{human_len}") {
        bar.set_style(style);
    }
    bar.set_message(what);
    bar
}

/// A sign of life for what cannot be measured on its way.
pub fn spinner(what: String) -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    bar.set_message(what);
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}
