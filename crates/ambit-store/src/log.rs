//! Walking a log from its first event: the one place that says whether it holds together.

use ambit_core::{Hash, Logged, Stored, chain};

use crate::Result;

/// How many events, or other rows, are read at a time by what reads them all.
pub const PAGE: i64 = 1_000;

/// Where a log does not hold together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Break {
    /// The first event at fault. None where all are there, and one more that has no place.
    pub event: Option<i64>,
    pub problem: String,
}

/// Gives every event to `each`, in order, up to the first that does not fit the chain. `read` is
/// asked for the page after a sequence.
pub fn walk(
    mut read: impl FnMut(i64) -> Result<Vec<Stored>>,
    mut each: impl FnMut(Logged),
) -> Result<Option<Break>> {
    let (mut seq, mut head) = (0, Hash::default());
    let mut stray = None;
    // Numbers begin with 1: whatever lies before is found too.
    let mut after = i64::MIN;
    loop {
        let page = read(after)?;
        let Some(last) = page.last() else {
            return Ok(stray);
        };
        after = last.seq;
        for stored in page {
            if stored.seq <= seq {
                let problem =
                    format!("an event has the number {}, which none can have", stored.seq);
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
    // To the chain no view is view 0, so that one must not be there.
    let no_view = stored.view.is_some_and(|view| view.0 == 0);
    if no_view || hash.0.as_slice() != stored.hash {
        return Err(format!("event {seq} does not fit the chain"));
    }
    stored.parse().map_err(|error| format!("event {seq}: {error}"))
}
