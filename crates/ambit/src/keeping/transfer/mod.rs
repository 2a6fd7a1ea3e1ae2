//! `export` and `import`: move a vault unchanged from one store to another, as JSON lines.

mod check;
mod export;
mod import;
mod line;
mod lines;

pub use check::{CheckedExport, check_export};
pub use export::ExportAnswer;
pub use import::ImportAnswer;
