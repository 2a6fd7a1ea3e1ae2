//! Search: term vectors, the inverted index, scoring, ranking and snippets. All functions are pure,
//! so every store finds the same.

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
