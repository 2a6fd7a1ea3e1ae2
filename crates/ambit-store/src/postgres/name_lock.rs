//! Name locks on a server: each is an advisory lock of a separate connection, and ends with it.

use super::address::Address;
use super::session::Session;
use crate::{NameLock, Result};

/// A session lock: a pooler in transaction mode would pass it on to the next client.
const HOLD: &str = "SELECT pg_try_advisory_lock(hashtextextended($1::text, 0))";

/// Locks a name with a connection outside the pool. If that connection is lost, others can lock the
/// name; nothing else depends on it.
pub(super) fn lock(address: &Address, name: &str) -> Result<Option<NameLock>> {
    let session = Session::connect(address)?;
    let rows = session.ask(HOLD, &[&format!("ambit name {} {name}", address.schema)])?;
    let held = rows.first().is_some_and(|row| row.get(0));
    Ok(held.then(|| Box::new(session) as NameLock))
}
