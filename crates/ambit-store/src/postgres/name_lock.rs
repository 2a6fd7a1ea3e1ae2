//! Names held on a server: by a lock of a connection of its own, that ends with it.

use super::address::Address;
use super::session::Session;
use crate::{NameLock, Result};

/// A lock of the session: a pooler in transaction mode would pass it on to the next client.
const HOLD: &str = "SELECT pg_try_advisory_lock(hashtextextended($1::text, 0))";

/// One connection more than the pool's, for as long as the name is held. Where it breaks, the name
/// is free for others: nothing but a name depends on it.
pub(super) fn lock(address: &Address, name: &str) -> Result<Option<NameLock>> {
    let session = Session::connect(address)?;
    let rows = session.ask(HOLD, &[&format!("ambit name {} {name}", address.schema)])?;
    let held = rows.first().is_some_and(|row| row.get(0));
    Ok(held.then(|| Box::new(session) as NameLock))
}
