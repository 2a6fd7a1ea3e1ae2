//! A transaction on a server. Statements that change something wait until something must be read,
//! or until the commit, and then go out together with it: a command is two or three round trips.

use ambit_core::Hash;

use super::bundle::{Bundle, bundles};
use super::merge::Queue;
use super::session::{COMMIT, LOCK, Message, NAME, Session, WRITE, text_of};
use super::value::Owned;
use crate::Result;
use crate::tables::{Link, Query, Row, Value};

/// Statements that tell the transaction's name beside what they are there for, in the last column.
const LOCKING: [&str; 2] = ["vault_locked", "vault_if_free"];

/// How many statements wait at most before they go out on their own.
const WAITING_MAX: usize = 4_096;

/// What a transaction leaves behind, by which its fate can be told later.
#[derive(Clone, Default)]
pub(super) struct Trail {
    /// What the server calls it, once it has said so; only of one that writes.
    pub name: Option<String>,
    /// Whether it changes anything.
    pub changes: bool,
    /// The last event written.
    pub event: Option<Written>,
}

/// An event as it is found again.
#[derive(Clone)]
pub(super) struct Written {
    pub vault: i64,
    pub seq: i64,
    pub hash: Vec<u8>,
}

pub(super) struct PgLink<'a> {
    session: &'a mut Session,
    /// Not sent yet.
    begin: Option<&'static str>,
    waiting: Queue,
    trail: Trail,
}

impl<'a> PgLink<'a> {
    pub fn new(session: &'a mut Session, begin: &'static str) -> PgLink<'a> {
        let (waiting, trail) = (Queue::default(), Trail::default());
        PgLink { session, begin: Some(begin), waiting, trail }
    }

    pub fn trail(&self) -> Trail {
        self.trail.clone()
    }

    /// Takes a lock of this name, for the transaction, before anything else is read.
    pub fn lock(&mut self, name: &str) {
        self.waiting.push(LOCK, vec![Owned::Text(name.to_string())]);
    }

    /// What waits, in as few messages as its order allows.
    fn waiting(&mut self) -> Vec<Message> {
        let begin = self.begin.take().map(Message::alone);
        let bundles = bundles(self.waiting.take(), text_of);
        let message = |it: Bundle| Message { shape: it.shape(), values: it.values() };
        begin.into_iter().chain(bundles.into_iter().map(message)).collect()
    }

    /// Sends what waits, and the commit with it.
    pub fn commit(&mut self) -> Result<()> {
        let mut messages = self.waiting();
        messages.push(Message::alone(COMMIT));
        self.session.step(&messages, &[]).map(drop)
    }
}

impl Link for PgLink<'_> {
    fn fetch(
        &mut self,
        step: &[Query<'_>],
        each: &mut dyn FnMut(usize, &dyn Row) -> Result<()>,
    ) -> Result<()> {
        let owned = |values: &Vec<Value<'_>>| values.iter().map(Owned::from).collect();
        // The server's text holds no NUL, so nothing there equals a text that does.
        let (asked, mut queries): (Vec<_>, Vec<_>) = step
            .iter()
            .enumerate()
            .filter(|(_, (_, values))| !values.iter().any(Value::has_nul))
            .map(|(index, (name, values))| (index, (*name, owned(values))))
            .unzip();
        let writes = self.begin == Some(WRITE);
        let locks = queries.iter().any(|(name, _)| LOCKING.contains(name));
        if writes && !locks {
            queries.push((NAME, Vec::new()));
        }
        let messages = self.waiting();
        let mut answers = self.session.step(&messages, &queries)?;
        if writes {
            let telling = queries
                .iter()
                .zip(&answers)
                .filter(|((name, _), _)| *name == NAME || LOCKING.contains(name));
            let row = telling.filter_map(|(_, rows)| rows.first()).next();
            self.trail.name = row.and_then(|row| row.try_get(row.len() - 1).ok());
        }
        if writes && !locks {
            answers.pop();
        }
        for (index, rows) in asked.iter().zip(&answers) {
            rows.iter().try_for_each(|row| each(*index, row))?;
        }
        Ok(())
    }

    fn exec(&mut self, name: &'static str, values: &[Value<'_>]) -> Result<()> {
        self.trail.changes = true;
        self.waiting.push(name, values.iter().map(Owned::from).collect());
        // What begins with a write has not got the transaction's name yet.
        if self.waiting.len() < WAITING_MAX || self.begin.is_some() {
            return Ok(());
        }
        let messages = self.waiting();
        self.session.step(&messages, &[]).map(drop)
    }

    fn wrote(&mut self, vault: i64, seq: i64, hash: &Hash) {
        self.trail.event = Some(Written { vault, seq, hash: hash.0.to_vec() });
    }
}
