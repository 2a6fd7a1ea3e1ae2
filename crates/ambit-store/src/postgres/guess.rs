//! What is written on a guess. A process that has just written to a vault knows what it left there;
//! as long as nobody else comes, it need not look. So all that a group of commands writes goes out
//! as one statement, which is its own transaction, and which fails as a whole where the guess was
//! wrong: where the vault's head has moved, or somebody is at it, or a text was there already.

use std::time::Instant;

use ambit_core::Hash;

use super::Postgres;
use super::bundle::bundles;
use super::link::Written;
use super::merge::Queue;
use super::session::{Message, Session, text_of};
use super::value::{Owned, Param};
use crate::tables::{self, Batch, Link, Outcome, Query, Row, Value, VaultFound};
use crate::{Error, Result};

/// The statements that see to the guess, in place of those that take it for granted.
const CHECKED: [(&str, &str); 2] =
    [("vault_update", "vault_update_if"), ("content_insert", "content_insert_new")];

impl Postgres {
    /// Has commands of one vault kept on a guess. None where it was wrong, or cannot be known to
    /// have been right: then nothing was kept.
    pub(super) fn guess(&self, batch: &mut Batch) -> Result<Option<Vec<Outcome>>> {
        let Some(vault) = batch.recent.expected() else {
            return Ok(None);
        };
        let until = Instant::now() + self.wait;
        let mut taken = self.pool.take(self.wait)?;
        let mut guess = Guess::new(taken.session()?, &vault);
        let outcomes = tables::guess(&mut guess, batch, vault);
        let event = guess.event();
        let kept = match &outcomes {
            Ok(Some(_)) => guess.commit().map_err(|error| self.seen(error)),
            _ => Ok(false),
        };
        let kept = match (kept, event) {
            (Ok(kept), _) => {
                taken.give_back();
                kept
            }
            (Err(Error::Unreachable(_)), Some(event)) => {
                drop(taken);
                batch.recent.disturbed();
                self.is_kept(&event, until).map_err(|_| Error::Lost)?
            }
            // It was one statement: nothing of it is left on the connection.
            (Err(_), _) => {
                taken.give_back();
                false
            }
        };
        if !kept {
            batch.recent.disturbed();
        }
        Ok(outcomes.ok().flatten().filter(|_| kept))
    }

    /// Whether an event was kept whose statement was not answered. That statement may still be on
    /// its way: so the vault's row is changed first, and what comes after that guesses wrong.
    fn is_kept(&self, event: &Written, until: Instant) -> Result<bool> {
        loop {
            let mut taken = self.pool.take(until.saturating_duration_since(Instant::now()))?;
            let session = taken.session()?;
            let fence = text_of("vault_rebuilt");
            let kept = session.ask(fence, &[&event.vault]).and_then(|_| session.is_kept(event));
            match kept {
                Err(Error::Unreachable(_)) if Instant::now() < until => continue,
                kept => {
                    taken.give_back();
                    return kept;
                }
            }
        }
    }
}

struct Guess<'a> {
    session: &'a mut Session,
    waiting: Queue,
    /// The vault's head, and how often its rows were rebuilt.
    expected: [Owned; 2],
    /// The last event written.
    event: Option<Written>,
}

impl<'a> Guess<'a> {
    fn new(session: &'a mut Session, vault: &VaultFound) -> Guess<'a> {
        let head = Owned::Bytes(vault.state.head_hash.0.to_vec());
        let expected = [head, Owned::Int(vault.rebuilt)];
        Guess { session, waiting: Queue::default(), expected, event: None }
    }

    fn event(&self) -> Option<Written> {
        self.event.clone()
    }

    /// Sends all as one statement. False where that cannot be.
    fn commit(self) -> Result<bool> {
        let (expiring, waiting): (Vec<_>, Vec<_>) =
            { self.waiting }.take().into_iter().partition(|(name, _)| *name == "key_expire");
        let Some(mut bundle) = only(bundles(waiting, text_of)) else {
            return Ok(false);
        };
        if !bundle.parts.iter().any(|(name, _)| *name == "vault_update") {
            return Ok(false);
        }
        // Keys that are over, apart from those that come anew: a key that is used again after it
        // was over may clash with itself, and then the guess is wrong.
        if let Some((name, values)) = expiring.into_iter().next() {
            bundle.parts.push((name, vec![values]));
        }
        for (name, rows) in &mut bundle.parts {
            if let Some((_, checked)) = CHECKED.iter().find(|(plain, _)| plain == name) {
                *name = checked;
            }
            if *name == "vault_update_if" {
                rows.iter_mut().for_each(|row| row.extend(self.expected.clone()));
            }
        }
        let (shape, values): (_, Vec<Param>) = (bundle.shape(), bundle.values());
        self.session.step(&[Message { shape, values }], &[]).map(|_| true)
    }
}

fn only<T>(mut all: Vec<T>) -> Option<T> {
    all.pop().filter(|_| all.is_empty())
}

impl Link for Guess<'_> {
    /// Whoever must look does not guess.
    fn fetch(
        &mut self,
        _step: &[Query<'_>],
        _each: &mut dyn FnMut(usize, &dyn Row) -> Result<()>,
    ) -> Result<()> {
        Err(Error::Moved)
    }

    fn exec(&mut self, name: &'static str, values: &[Value<'_>]) -> Result<()> {
        self.waiting.push(name, values.iter().map(Owned::from).collect());
        Ok(())
    }

    fn wrote(&mut self, vault: i64, seq: i64, hash: &Hash) {
        self.event = Some(Written { vault, seq, hash: hash.0.to_vec() });
    }
}
