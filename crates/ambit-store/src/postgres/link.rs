//! A transaction on a server. Statements that change something wait until something must be read,
//! or until the commit, and then go out together with it: a command is two or three round trips.

use super::merge::Queue;
use super::session::{LOCK, Message, NAME, Session};
use super::value::Owned;
use crate::Result;
use crate::tables::{Link, Query, Row, Value};

/// How transactions begin: writing ones lock the vault's row first, reading ones see one moment.
pub(super) const WRITE: &str = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE";
pub(super) const READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// How many statements wait at most before they go out on their own.
const WAITING_MAX: usize = 4_096;

pub(super) struct PgLink<'a> {
    session: &'a mut Session,
    /// Not sent yet.
    begin: Option<&'static str>,
    waiting: Queue,
    /// What the server calls this transaction, once it has said so; only of one that writes.
    name: Option<String>,
}

impl<'a> PgLink<'a> {
    pub fn new(session: &'a mut Session, begin: &'static str) -> PgLink<'a> {
        PgLink { session, begin: Some(begin), waiting: Queue::default(), name: None }
    }

    /// What the server calls this transaction, where something was asked in it.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Takes a lock of this name, for the transaction, before anything else is read.
    pub fn lock(&mut self, name: &str) {
        self.waiting.push(LOCK, vec![Owned::Text(name.to_string())]);
    }

    /// Sends what waits, and the commit with it.
    pub fn commit(&mut self) -> Result<()> {
        let waiting = self.waiting.take();
        let mut messages = Vec::with_capacity(waiting.len() + 2);
        messages.extend(self.begin.take().map(Message::Plain));
        messages.extend(waiting.iter().map(|(name, values)| Message::Named(name, values)));
        messages.push(Message::Plain("COMMIT"));
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
        if writes {
            queries.push((NAME, Vec::new()));
        }
        let waiting = self.waiting.take();
        let mut messages = Vec::with_capacity(waiting.len() + 1);
        messages.extend(self.begin.take().map(Message::Plain));
        messages.extend(waiting.iter().map(|(name, values)| Message::Named(name, values)));
        let mut answers = self.session.step(&messages, &queries)?;
        if writes {
            let rows = answers.pop().unwrap_or_default();
            self.name = rows.first().and_then(|row| row.try_get(0).ok());
        }
        for (index, rows) in asked.iter().zip(&answers) {
            rows.iter().try_for_each(|row| each(*index, row))?;
        }
        Ok(())
    }

    fn exec(&mut self, name: &'static str, values: &[Value<'_>]) -> Result<()> {
        self.waiting.push(name, values.iter().map(Owned::from).collect());
        // What begins with a write has not got the transaction's name yet.
        if self.waiting.len() < WAITING_MAX || self.begin.is_some() {
            return Ok(());
        }
        let waiting = self.waiting.take();
        let messages = waiting.iter().map(|(name, values)| Message::Named(name, values));
        self.session.step(&messages.collect::<Vec<_>>(), &[]).map(drop)
    }
}
