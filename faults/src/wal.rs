//! Parses SQLite's write-ahead log: which frames are valid, and where commits end.

use std::collections::BTreeMap;

const HEAD: usize = 32;
const FRAME_HEAD: usize = 24;

/// The content of a log up to its last commit.
#[derive(Debug)]
pub struct Wal {
    pub page: usize,
    /// The byte at which each commit ends.
    pub commits: Vec<usize>,
    /// For each page, the byte at which its newest content begins.
    pub newest: BTreeMap<u32, usize>,
}

impl Wal {
    /// Reads the frames with the salt of the log's header; later frames are older.
    pub fn read(bytes: &[u8]) -> Result<Wal, String> {
        let number = |at: usize| -> Option<u32> {
            Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
        };
        let salt = |at: usize| Some((number(at)?, number(at + 4)?));
        let page = number(8).ok_or("the log has no header")? as usize;
        let header_salt = salt(16);
        let mut wal = Wal { page, commits: Vec::new(), newest: BTreeMap::new() };
        let mut waiting = Vec::new();
        let mut at = HEAD;
        while at + FRAME_HEAD + page <= bytes.len() && salt(at + 8) == header_salt {
            waiting.push((number(at).unwrap_or(0), at + FRAME_HEAD));
            let commits = number(at + 4) != Some(0);
            at += FRAME_HEAD + page;
            if commits {
                wal.commits.push(at);
                wal.newest.extend(waiting.drain(..));
            }
        }
        Ok(wal)
    }

    pub fn end(&self) -> usize {
        self.commits.last().copied().unwrap_or(HEAD)
    }

    /// Returns how many commits end at or before a byte.
    pub fn commits_before(&self, byte: usize) -> usize {
        self.commits.iter().filter(|end| **end <= byte).count()
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::Wal;

    #[test]
    fn commits_of_a_log_by_sqlite_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.db");
        let connection = Connection::open(&file).unwrap();
        connection.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t (a);").unwrap();
        for _ in 0..3 {
            connection.execute("INSERT INTO t VALUES (zeroblob(9000))", []).unwrap();
        }
        let bytes = std::fs::read(folder.path().join("x.db-wal")).unwrap();
        let wal = Wal::read(&bytes).unwrap();
        assert_eq!((wal.commits.len(), wal.end()), (4, bytes.len()));
        assert_eq!(wal.commits_before(wal.end() - 1), 3);
        let page = wal.newest[&2];
        assert_eq!(bytes[page], 0x0d, "the table's leaf");
    }
}
