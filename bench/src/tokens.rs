//! Measures token counting against the tiktoken crate, on mixed text.

use std::path::Path;

use super::{Line, conversation, median, micros};

pub fn run(_folder: &Path) -> Vec<Line> {
    let sources = [include_str!("growth.rs"), include_str!("main.rs")];
    let text = conversation(5_000, 400, 3) + &sources.join("\n").repeat(20);
    let theirs = tiktoken::get_encoding("o200k_base").expect("the vocabulary");
    let (mut ours, mut others) = (Vec::new(), Vec::new());
    for _ in 0..15 {
        let mut counts = (0, 0);
        ours.push(micros(|| counts.0 = ambit::tokens::count(&text)));
        others.push(micros(|| counts.1 = theirs.count(&text) as u64));
        assert_eq!(counts.0, counts.1);
    }
    let speed = |samples: &mut [f64]| text.len() as f64 / median(samples);
    let (ours, others) = (speed(&mut ours), speed(&mut others));
    vec![Line {
        what: "token counting / tiktoken".into(),
        measured: format!("{:.2} × ({ours:.0} MB/s against {others:.0} MB/s)", ours / others),
        bound: "at least 0.4 ×".into(),
        kept: ours / others >= 0.4,
    }]
}
