//! A transaction on a server. Statements that write are queued until the next read or the commit,
//! and are sent together with it: a command takes two or three round trips.

use std::collections::BTreeMap;

use ambit_core::Hash;

use super::batch::{messages, queries};
use super::merge::Queue;
use super::session::{LOCK, Session, Trip};
use super::value::Owned;
use crate::Result;
use crate::tables::{Link, Query, Row, Value};

/// The largest number of queued statements before they are sent on their own.
const WAITING_MAX: usize = 4_096;

/// The facts about a transaction that tell later whether it was committed.
#[derive(Clone, Default)]
pub(super) struct Written {
    /// Whether the transaction changes anything.
    pub changes: bool,
    /// The last event of each vault: its sequence and its hash.
    pub events: BTreeMap<i64, (i64, Hash)>,
}

pub(super) struct PgLink<'a> {
    session: &'a mut Session,
    /// The statements that are not sent yet.
    begin: Option<&'static str>,
    waiting: Queue,
    written: Written,
}

impl<'a> PgLink<'a> {
    pub fn new(session: &'a mut Session, begin: &'static str) -> PgLink<'a> {
        let (waiting, written) = (Queue::default(), Written::default());
        PgLink { session, begin: Some(begin), waiting, written }
    }

    pub fn written(&self) -> Written {
        self.written.clone()
    }

    /// Locks a name for the rest of the transaction, before anything else is read.
    pub fn lock(&mut self, name: &str) {
        self.waiting.push(LOCK, vec![Owned::Text(name.to_string())]);
    }

    /// Sends the queued statements together with the commit.
    pub fn commit(&mut self) -> Result<()> {
        // Commit only a transaction that was verified to be on the right connection.
        if let Some(begin) = self.begin.take() {
            self.session.begin(begin)?;
        }
        let messages = messages(self.waiting.take());
        let trip = Trip { messages: &messages, commit: true, ..Trip::default() };
        self.session.send(&trip).map(drop)
    }
}

impl Link for PgLink<'_> {
    fn fetch(
        &mut self,
        step: &[Query<'_>],
        each: &mut dyn FnMut(usize, &dyn Row) -> Result<()>,
    ) -> Result<()> {
        let owned = |values: &Vec<Value<'_>>| values.iter().map(Owned::from).collect();
        // Text on a server cannot contain NUL, so no row equals a text that does.
        let asked = step.iter().enumerate();
        let asked = asked.filter(|(_, (_, values))| !values.iter().any(Value::has_nul));
        let asked = asked.map(|(place, (name, values))| (place, (*name, owned(values))));
        let (queries, places) = queries(asked.collect());
        let messages = messages(self.waiting.take());
        let begin = self.begin.take();
        let trip = Trip { begin, messages: &messages, queries: &queries, commit: false };
        let answers = self.session.send(&trip)?;
        for (places, rows) in places.iter().zip(&answers) {
            for row in rows {
                let number = if places.len() == 1 { 1 } else { row.get::<_, i64>(row.len() - 1) };
                each(places[number as usize - 1], row)?;
            }
        }
        Ok(())
    }

    fn exec(&mut self, name: &'static str, values: &[Value<'_>]) -> Result<()> {
        self.written.changes = true;
        self.waiting.push(name, values.iter().map(Owned::from).collect());
        match self.waiting.len() < WAITING_MAX {
            true => Ok(()),
            false => self.fetch(&[], &mut |_, _| Ok(())),
        }
    }

    fn wrote(&mut self, vault: i64, seq: i64, hash: &Hash) {
        self.written.events.insert(vault, (seq, *hash));
    }
}
