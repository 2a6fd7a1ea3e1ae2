//! Search: what a text is found by, how that is kept, and in which order finds are shown. All of it
//! is pure, so that every store finds the same.

mod find;
mod postings;
mod rank;
mod snippet;

pub use find::{Index, Matches, Query, Shortlist, Word};
pub use postings::{
    Bag, HEADER, PARTS, PartRows, SPAN, first_of, segment_of, segment_rows, without,
};
pub use rank::{Bearer, Candidate, Hit, Neighbour, Reason, Sought, Weighed, rank};
pub use snippet::{Snippet, snippet};
