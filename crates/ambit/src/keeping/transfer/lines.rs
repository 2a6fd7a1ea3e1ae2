//! Reads an export line by line, with a length limit and with line numbers for errors.

use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};

use sha2::{Digest, Sha256};

use super::line::LINE_BYTES_MAX;
use crate::{Error, FileRefusal, Result};

pub struct Lines<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
    max: u64,
    /// The number of the last line; `bytes` counts up to its end.
    pub number: u64,
    pub bytes: u64,
    /// The hash of all lines except the last.
    hash: Sha256,
}

impl<R: Read + Seek> Lines<R> {
    /// Starts at the file's first line.
    pub fn new(source: R) -> Result<Self> {
        let mut lines = Lines {
            reader: BufReader::with_capacity(1 << 16, source),
            line: Vec::new(),
            max: LINE_BYTES_MAX,
            number: 0,
            bytes: 0,
            hash: Sha256::new(),
        };
        lines.reader.seek(SeekFrom::Start(0)).map_err(unreadable)?;
        Ok(lines)
    }

    /// Returns the next line without its line end, or None at the end of the file.
    pub fn next(&mut self) -> Result<Option<&str>> {
        self.hash.update(&self.line);
        self.line.clear();
        let limit = self.max + 1;
        let read = self.reader.by_ref().take(limit).read_until(b'\n', &mut self.line);
        if read.map_err(unreadable)? == 0 {
            return Ok(None);
        }
        self.number += 1;
        self.bytes += self.line.len() as u64;
        if self.line.len() as u64 > self.max {
            return Err(self.bad(&format!("it has more than {} bytes", self.max)));
        }
        match std::str::from_utf8(&self.line) {
            Err(_) => Err(self.bad("it is not UTF-8")),
            Ok(text) => match text.strip_suffix('\n') {
                Some(_) => Ok(std::str::from_utf8(&self.line[..self.line.len() - 1]).ok()),
                None => Err(self.bad("it is cut off: the file is incomplete")),
            },
        }
    }

    /// Returns the hash of all lines before the last.
    pub fn sha256(&self) -> ambit_core::Hash {
        ambit_core::Hash(self.hash.clone().finalize().into())
    }

    /// Returns an error about the last line.
    pub fn bad(&self, why: &str) -> Error {
        bad_line(self.number, why)
    }
}

pub fn bad_line(number: u64, why: &str) -> Error {
    FileRefusal::Line { number, why: why.into() }.into()
}

fn unreadable(error: std::io::Error) -> Error {
    Error::io("cannot read the export", error)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::Lines;

    #[test]
    fn lines_are_bounded_whole_and_numbered() {
        let read = |text: &[u8], max: u64| {
            let mut lines = Lines::new(Cursor::new(text.to_vec())).unwrap();
            lines.max = max;
            let mut found = Vec::new();
            loop {
                match lines.next() {
                    Ok(Some(line)) => found.push(line.to_string()),
                    Ok(None) => return Ok(found),
                    Err(error) => return Err(error.to_string()),
                }
            }
        };
        assert_eq!(read(b"a\n\nbc\n", 3).unwrap(), ["a", "", "bc"]);
        assert_eq!(read(b"a\nbcd\n", 3).unwrap_err(), "line 2: it has more than 3 bytes");
        let long = vec![b'x'; 1_000_000];
        assert_eq!(read(&long, 3).unwrap_err(), "line 1: it has more than 3 bytes");
        assert_eq!(read(b"a\nb", 3).unwrap_err(), "line 2: it is cut off: the file is incomplete");
        assert_eq!(read(b"\xff\n", 3).unwrap_err(), "line 1: it is not UTF-8");
        assert_eq!(read(b"", 3).unwrap(), Vec::<String>::new());
    }
}
