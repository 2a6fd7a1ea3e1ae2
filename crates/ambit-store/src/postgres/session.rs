//! One connection to a server, driven on the thread that uses it: a current-thread runtime of its
//! own, so that nobody is woken on another thread for an answer.

use std::collections::HashMap;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::LazyLock;
use std::task::Poll;

use tokio::runtime::Runtime;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Error as PgError, Row, Statement};

use super::address::Address;
use super::bundle::{self, Piece, Shape};
use super::errors::failed;
use super::link::Written;
use super::value::{Owned, Param};
use crate::statements::statements;
use crate::{Error, Result};

/// Asks for the transaction's name, by which its fate can be asked for later.
pub(super) const NAME: &str = "transaction_name";

/// Waits for a lock of a name, and holds it until the transaction ends.
pub(super) const LOCK: &str = "transaction_lock";

/// How transactions begin and end: writing ones lock the vault's row first, reading ones see one
/// moment.
pub(super) const WRITE: &str = "begin_to_write";
pub(super) const READ: &str = "begin_to_read";
pub(super) const COMMIT: &str = "commit";
const FRAMES: [(&str, &str); 3] = [
    (WRITE, "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"),
    (READ, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"),
    (COMMIT, "COMMIT"),
];

/// The statements as they stand: this is the dialect they are written in. And what only a server
/// can be asked.
static SQL: LazyLock<HashMap<&'static str, String>> = LazyLock::new(|| {
    let mut all = statements(include_str!("../sql/postgres.sql"), str::to_string);
    all.insert(NAME, "SELECT CAST(pg_current_xact_id() AS TEXT)".into());
    all.insert(LOCK, "SELECT pg_advisory_xact_lock(hashtextextended($1::text, 0))".into());
    all.extend(FRAMES.map(|(name, text)| (name, text.to_string())));
    all
});

/// A future whose answer comes in its turn.
type Sent<'a, T> = Pin<Box<dyn Future<Output = std::result::Result<T, PgError>> + 'a>>;

/// Statements to send as one, whose rows nobody wants.
pub(super) struct Message {
    pub shape: Shape,
    pub values: Vec<Param>,
}

impl Message {
    /// One without parameters.
    pub fn alone(name: &'static str) -> Message {
        Message { shape: vec![(name, false)], values: Vec::new() }
    }
}

/// What a server says of a transaction.
pub(super) enum Status {
    UnderWay,
    Aborted,
    /// Committed, unless it speaks of another one; or it does not know the name.
    Other,
}

pub(super) struct Session {
    runtime: Runtime,
    client: Client,
    prepared: HashMap<&'static str, Statement>,
    bundles: HashMap<Shape, Statement>,
}

/// How many shapes of bundles a connection keeps prepared; there are a few dozen that recur.
const BUNDLES_MAX: usize = 256;

impl Session {
    /// Connects once; trying again is for the pool.
    pub fn connect(address: &Address) -> Result<Session> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Error::Unreachable(error.to_string()))?;
        let client = runtime.block_on(address.connect())?;
        let session =
            Session { runtime, client, prepared: HashMap::new(), bundles: HashMap::new() };
        session.plain(&address.settings())?;
        Ok(session)
    }

    /// Whether it broke off, as far as is known without asking.
    pub fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// Runs statements that give no rows.
    pub fn plain(&self, text: &str) -> Result<()> {
        self.runtime.block_on(self.client.batch_execute(text)).map_err(failed)
    }

    /// Asks for rows with a text of this module's own.
    pub fn ask(&self, text: &str, values: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>> {
        self.runtime.block_on(self.client.query(text, values)).map_err(failed)
    }

    /// What the server says of a transaction by its name.
    pub fn status(&self, name: &str) -> Result<Status> {
        let rows = match self.ask("SELECT pg_xact_status($1::text::xid8)", &[&name]) {
            Ok(rows) => rows,
            Err(Error::Unreachable(why)) => return Err(Error::Unreachable(why)),
            // A name that it has not given yet.
            Err(_) => return Ok(Status::Other),
        };
        let status: Option<&str> = rows.first().and_then(|row| row.get(0));
        Ok(match status {
            Some("in progress") => Status::UnderWay,
            Some("aborted") => Status::Aborted,
            _ => Status::Other,
        })
    }

    /// Whether an event is there.
    pub fn is_kept(&self, event: &Written) -> Result<bool> {
        let Written { vault, seq, hash } = event;
        let text = "SELECT hash FROM event WHERE vault = $1 AND seq = $2";
        let rows = self.ask(text, &[vault, seq])?;
        Ok(rows.first().is_some_and(|row| row.get::<_, Vec<u8>>(0) == *hash))
    }

    /// Sends messages and then queries, all before the first answer is awaited: one round trip,
    /// and one more where a statement is new to this connection.
    pub fn step(
        &mut self,
        messages: &[Message],
        queries: &[(&'static str, Vec<Owned>)],
    ) -> Result<Vec<Vec<Row>>> {
        let Session { runtime, client, prepared, bundles } = self;
        let client: &Client = client;
        runtime
            .block_on(async {
                let shapes = messages.iter().map(|message| &message.shape);
                let names = shapes.clone().flatten().map(|(name, _)| *name);
                let names = names.chain(queries.iter().map(|(name, _)| *name));
                prepare(client, prepared, names).await?;
                prepare_bundles(client, prepared, bundles, shapes).await?;
                let mut sent: Vec<Sent<'_, Vec<Row>>> = Vec::new();
                for Message { shape, values } in messages {
                    let statement = match shape.as_slice() {
                        [(name, false)] => &prepared[name],
                        _ => &bundles[shape],
                    };
                    let values: Vec<_> = values.iter().map(|it| it as _).collect();
                    sent.push(Box::pin(async move {
                        client.execute(statement, &values).await?;
                        Ok(Vec::new())
                    }));
                }
                for (name, values) in queries {
                    let (statement, values) = (&prepared[name], params(values));
                    sent.push(Box::pin(async move { client.query(statement, &values).await }));
                }
                let mut answers = all(sent).await?;
                answers.drain(..messages.len());
                Ok(answers)
            })
            .map_err(failed)
    }
}

fn params(values: &[Owned]) -> Vec<&(dyn ToSql + Sync)> {
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

/// Prepares bundles that are new to a connection. Their statements were prepared before, by which
/// the types of their parameters are known.
async fn prepare_bundles(
    client: &Client,
    prepared: &HashMap<&'static str, Statement>,
    bundles: &mut HashMap<Shape, Statement>,
    shapes: impl Iterator<Item = &'_ Shape>,
) -> std::result::Result<(), PgError> {
    let alone = |shape: &Shape| matches!(shape.as_slice(), [(_, false)]);
    let shapes: Vec<&Shape> = shapes.filter(|shape| !alone(shape)).collect();
    if bundles.len() + shapes.len() > BUNDLES_MAX {
        bundles.clear();
    }
    for shape in shapes {
        if bundles.contains_key(shape) {
            continue;
        }
        let piece = |(name, many): &(&'static str, bool)| {
            let types = prepared.get(name).map(Statement::params).unwrap_or_default();
            Piece { text: text_of(name), types, many: *many }
        };
        let text = bundle::text(&shape.iter().map(piece).collect::<Vec<_>>());
        bundles.insert(shape.clone(), client.prepare(&text).await?);
    }
    Ok(())
}

/// Sends all, in order, by polling each once; then takes the answers, which come in the same order.
/// The first error is the one that counts: those after it follow from it. One that comes before
/// anything was sent, a parameter that does not fit, also keeps all after it from being sent: a
/// commit must not follow on statements that never went out.
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

/// A statement's text by its name.
pub(super) fn text_of(name: &str) -> &'static str {
    SQL.get(name).map(String::as_str).unwrap_or_default()
}

/// Every statement's text by name, but for those that have no plan.
pub(super) fn texts() -> impl Iterator<Item = (&'static str, &'static str)> {
    let all = SQL.iter().map(|(name, text)| (*name, text.as_str()));
    all.filter(|(name, _)| FRAMES.iter().all(|(frame, _)| frame != name))
}
