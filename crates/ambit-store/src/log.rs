//! Reads a log from its first event and checks its hash chain. No other code checks the chain.

use ambit_core::{Hash, Logged, Stored, chain};

use crate::Result;

/// The page size for reading all events, or all rows of another table.
pub const PAGE: i64 = 1_000;

/// The first break in a log's hash chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Break {
    /// The first damaged event. `None` if the chain is complete and there is a stray event.
    pub event: Option<i64>,
    pub problem: String,
}

/// Passes every event to `each`, in order, up to the first that does not fit the chain. `read`
/// returns the page of events after a sequence.
pub fn walk(
    mut read: impl FnMut(i64) -> Result<Vec<Stored>>,
    mut each: impl FnMut(Logged),
) -> Result<Option<Break>> {
    let (mut seq, mut head) = (0, Hash::default());
    let mut stray = None;
    // Sequences begin with 1. Starting below finds stray events too.
    let mut after = i64::MIN;
    loop {
        let page = read(after)?;
        let Some(last) = page.last() else {
            return Ok(stray);
        };
        after = last.seq;
        for stored in page {
            if stored.seq <= seq {
                let problem = format!("an event has the invalid sequence {}", stored.seq);
                stray.get_or_insert(Break { event: None, problem });
                continue;
            }
            seq += 1;
            match fits(&head, seq, stored) {
                Ok(logged) => {
                    head = logged.hash;
                    each(logged);
                }
                Err(problem) => return Ok(Some(Break { event: Some(seq), problem })),
            }
        }
    }
}

fn fits(head: &Hash, seq: i64, stored: Stored) -> std::result::Result<Logged, String> {
    if stored.seq != seq {
        return Err(format!("event {seq} is missing"));
    }
    let hash = chain(head, seq, stored.time, stored.actor, stored.view, &stored.body);
    // The chain encodes "no view" as view 0, so a stored view 0 is damage.
    let no_view = stored.view.is_some_and(|view| view.0 == 0);
    if no_view || hash.0.as_slice() != stored.hash {
        return Err(format!("event {seq} does not fit the chain"));
    }
    stored.parse().map_err(|error| format!("event {seq}: {error}"))
}
