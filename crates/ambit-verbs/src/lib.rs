//! Ambit's vocabulary: what every interface says, each in its own terms.

mod words;

pub use words::{Interface, exit_code, hint, word};
