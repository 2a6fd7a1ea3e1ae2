//! `export` and `import`: a vault as lines of JSON, out of one store and into another, unchanged.

mod check;
mod export;
mod import;
mod line;
mod lines;

pub use check::{CheckedExport, check_export};
pub use export::ExportAnswer;
pub use import::ImportAnswer;
