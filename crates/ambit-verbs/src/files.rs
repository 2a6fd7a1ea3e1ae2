//! Files that a verb of the command line names. No other interface can name one.

use std::io::Read;
use std::path::Path;

use ambit::Kind;

use crate::failure::Failure;

/// Reads a file, or standard input for `-`, and one byte more than `bytes_max` of a larger one.
pub fn read(path: &Path, bytes_max: u64, hint: &str) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let limit = bytes_max.saturating_add(1);
    let read = match path.as_os_str() == "-" {
        true => std::io::stdin().lock().take(limit).read_to_end(&mut bytes),
        false => {
            std::fs::File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes))
        }
    };
    read.map_err(|error| unreadable(path, &error, hint))?;
    Ok(bytes)
}

/// Reads a file of UTF-8, or standard input for `-`.
pub fn read_text(path: &Path, bytes_max: u64, hint: &str) -> Result<String, Failure> {
    String::from_utf8(read(path, bytes_max, hint)?).map_err(|_| {
        let message = format!("cannot read {}: not UTF-8", path.display());
        Failure::usage(message, "convert it to UTF-8 first")
    })
}

/// Returns the failure of a file that cannot be read.
pub fn unreadable(path: &Path, error: &std::io::Error, hint: &str) -> Failure {
    let kind = match error.kind() {
        std::io::ErrorKind::NotFound => Kind::NotFound,
        _ => Kind::Usage,
    };
    Failure::new(kind, format!("cannot read {}: {error}", path.display()), hint)
}
