//! One connection to a server. It has its own current-thread runtime and runs on the thread that
//! uses it: no other thread has to be woken for an answer.

use std::collections::HashMap;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Poll;
use std::time::UNIX_EPOCH;

use tokio::runtime::Runtime;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Error as PgError, Row, SimpleQueryMessage, Statement};

use super::address::Address;
use super::batch::Message;
use super::errors::{failed, session_lost};
use super::value::Param;
use crate::statements::statements;
use crate::{Error, Result};

/// The statement that waits for the lock of a name and holds it until the transaction ends.
pub(super) const LOCK: &str = "transaction_lock";

/// How transactions begin: a writing one locks the vault's row first, a reading one sees one
/// snapshot.
pub(super) const WRITE: &str = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE";
pub(super) const READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// The statements, unchanged: they are written in PostgreSQL's dialect.
static SQL: LazyLock<HashMap<&'static str, String>> = LazyLock::new(|| {
    let mut all = statements(include_str!("../sql/postgres.sql"), str::to_string);
    all.insert(LOCK, "SELECT pg_advisory_xact_lock(hashtextextended($1::text, 0))".into());
    all
});

/// A future that completes in the order of sending.
type Sent<'a, T> = Pin<Box<dyn Future<Output = std::result::Result<T, PgError>> + 'a>>;

/// The messages of one round trip, in this order.
#[derive(Default)]
pub(super) struct Trip<'a> {
    /// Begins a transaction: [`READ`] or [`WRITE`].
    pub begin: Option<&'static str>,
    /// Statements whose rows are ignored.
    pub messages: &'a [Message],
    pub queries: &'a [Message],
    pub commit: bool,
}

impl Trip<'_> {
    /// The named statements.
    fn names(&self) -> impl Iterator<Item = &'static str> {
        self.messages.iter().chain(self.queries).map(|message| message.name)
    }
}

enum Reply {
    Rows(Vec<Row>),
    /// The connection's mark as the server reports it.
    Mark(Option<String>),
    Done,
}

pub(super) struct Session {
    driver: Driver,
    client: Client,
    prepared: HashMap<&'static str, Statement>,
    /// A setting with a value that no other connection has. Each transaction reads it back: if it
    /// differs, a pooler has replaced the connection to the server, and the schema, the timeouts
    /// and the prepared statements belong to another client.
    mark: String,
}

/// The runtime of a connection. It may be dropped anywhere, also inside another runtime.
struct Driver(Option<Runtime>);

impl Driver {
    fn block_on<F: Future>(&self, future: F) -> Result<F::Output> {
        let closed = || Error::Unreachable("the connection is closed".into());
        self.0.as_ref().ok_or_else(closed).map(|runtime| runtime.block_on(future))
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // Dropping a runtime waits for its threads, which panics inside another runtime.
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

impl Session {
    /// Connects once; the pool retries.
    pub fn connect(address: &Address) -> Result<Session> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Error::Unreachable(error.to_string()))?;
        let driver = Driver(Some(runtime));
        let client = driver.block_on(address.connect())??;
        let session = Session { driver, client, prepared: HashMap::new(), mark: mark() };
        session.plain(&address.settings())?;
        session.plain(&format!("SET ambit.mark TO '{}'", session.mark))?;
        Ok(session)
    }

    /// Returns whether the connection is known to be closed, without a round trip.
    pub fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// Runs statements that return no rows.
    pub fn plain(&self, text: &str) -> Result<()> {
        self.driver.block_on(self.client.batch_execute(text))?.map_err(failed)
    }

    /// Runs a query that is not one of the named statements.
    pub fn ask(&self, text: &str, values: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>> {
        self.driver.block_on(self.client.query(text, values))?.map_err(failed)
    }

    /// Begins a transaction on a connection that has kept its settings.
    pub fn begin(&mut self, begin: &'static str) -> Result<()> {
        self.send(&Trip { begin: Some(begin), ..Trip::default() }).map(drop)
    }

    /// Sends all messages before awaiting the first answer: one round trip, or more if a statement
    /// is not prepared on this connection yet. Returns the rows of each query.
    pub fn send(&mut self, trip: &Trip<'_>) -> Result<Vec<Vec<Row>>> {
        if trip.begin.is_some() && trip.names().any(|name| !self.prepared.contains_key(name)) {
            // Statements are prepared only on a verified connection.
            self.exchange(&Trip { begin: trip.begin, ..Trip::default() })?;
            return self.exchange(&Trip { begin: None, ..*trip });
        }
        self.exchange(trip)
    }

    fn exchange(&mut self, trip: &Trip<'_>) -> Result<Vec<Vec<Row>>> {
        let Session { driver, client, prepared, mark } = self;
        let replies = driver.block_on(exchange(client, prepared, trip))?.map_err(failed)?;
        let mut answers = Vec::with_capacity(trip.queries.len());
        for reply in replies {
            match reply {
                Reply::Mark(found) if found.as_ref() != Some(mark) => return Err(session_lost()),
                Reply::Rows(rows) => answers.push(rows),
                Reply::Mark(_) | Reply::Done => {}
            }
        }
        Ok(answers)
    }
}

/// Returns a mark that no other connection has.
fn mark() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let now = UNIX_EPOCH.elapsed().map_or(0, |since| since.as_nanos());
    format!("{}-{now}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

async fn exchange(
    client: &Client,
    prepared: &mut HashMap<&'static str, Statement>,
    trip: &Trip<'_>,
) -> std::result::Result<Vec<Reply>, PgError> {
    prepare(client, prepared, trip.names()).await?;
    let mut sent: Vec<Sent<'_, Reply>> = Vec::new();
    if let Some(begin) = trip.begin {
        // Plain text, not a prepared statement: a statement that another client prepared under the
        // same name must not run outside of a transaction.
        sent.push(Box::pin(async move {
            let found = client.simple_query(&format!("{begin}; SHOW ambit.mark")).await?;
            let row = found.iter().find_map(|message| match message {
                SimpleQueryMessage::Row(row) => row.get(0),
                _ => None,
            });
            Ok(Reply::Mark(row.map(str::to_string)))
        }));
    }
    for Message { name, values } in trip.messages {
        let (statement, values) = (&prepared[name], params(values));
        sent.push(Box::pin(async move {
            client.execute(statement, &values).await.map(|_| Reply::Done)
        }));
    }
    for Message { name, values } in trip.queries {
        let (statement, values) = (&prepared[name], params(values));
        sent.push(Box::pin(async move { client.query(statement, &values).await.map(Reply::Rows) }));
    }
    if trip.commit {
        sent.push(Box::pin(
            async move { client.batch_execute("COMMIT").await.map(|()| Reply::Done) },
        ));
    }
    all(sent).await
}

fn params(values: &[Param]) -> Vec<&(dyn ToSql + Sync)> {
    values.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

async fn prepare(
    client: &Client,
    prepared: &mut HashMap<&'static str, Statement>,
    names: impl Iterator<Item = &'static str>,
) -> std::result::Result<(), PgError> {
    let mut missing: Vec<&'static str> = names.filter(|it| !prepared.contains_key(it)).collect();
    missing.sort_unstable();
    missing.dedup();
    let sent = missing
        .iter()
        .map(|name| -> Sent<'_, Statement> { Box::pin(client.prepare(text_of(name))) });
    let statements = all(sent.collect()).await?;
    prepared.extend(missing.into_iter().zip(statements));
    Ok(())
}

/// Sends all messages in order by polling each future once, then awaits the answers in the same
/// order. Returns the first error; later ones are its consequences. An error before sending, such
/// as an invalid parameter, also prevents all later messages: a commit must not follow statements
/// that were never sent.
async fn all<T>(mut sent: Vec<Sent<'_, T>>) -> std::result::Result<Vec<T>, PgError> {
    let mut early = poll_fn(|context| {
        let mut early: Vec<Option<std::result::Result<T, PgError>>> = Vec::new();
        for one in &mut sent {
            early.push(match one.as_mut().poll(context) {
                Poll::Ready(answer) => Some(answer),
                Poll::Pending => None,
            });
            if matches!(early.last(), Some(Some(Err(_)))) {
                break;
            }
        }
        Poll::Ready(early)
    })
    .await;
    let mut answers = Vec::with_capacity(sent.len());
    let mut first_error = None;
    for (one, early) in sent.into_iter().zip(early.drain(..)) {
        let answer = match early {
            Some(answer) => answer,
            None => one.await,
        };
        match answer {
            Ok(answer) => answers.push(answer),
            Err(error) => drop(first_error.get_or_insert(error)),
        }
    }
    match first_error {
        None => Ok(answers),
        Some(error) => Err(error),
    }
}

/// Returns a statement's text by its name.
pub(super) fn text_of(name: &str) -> &'static str {
    SQL.get(name).map(String::as_str).unwrap_or_default()
}

/// Returns the number of a statement's parameters.
pub(super) fn parameters(text: &str) -> usize {
    (1..).take_while(|it| text.contains(&format!("${it}"))).count()
}

/// Returns every statement's text by name.
pub(super) fn texts() -> impl Iterator<Item = (&'static str, &'static str)> {
    SQL.iter().map(|(name, text)| (*name, text.as_str()))
}
