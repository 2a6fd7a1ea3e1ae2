//! Rebuild: replaces all rows of a vault by those derived from its log, and repairs the search
//! index, which is derived from the texts.

use super::{At, Link, map, one, values};
use crate::rows::deletes;
use crate::{Error, PAGE, Rebuilt, Result, Rows, walk};

/// Replays the log and replaces all rows by the result. If the log is damaged, nothing changes.
/// `progress` receives how many events were read and how many rows were written.
pub(crate) fn rebuild(
    link: &mut dyn Link,
    name: &str,
    progress: &dyn Fn(i64, i64),
) -> Result<Rebuilt> {
    let no_vault = || Error::NoVault(name.to_string());
    let vault = one(link, "vault_number", values![name], map::number)?.ok_or_else(no_vault)?;
    // Only these columns are read: the others may be damaged.
    let found = one(link, "vault_to_rebuild", values![vault], map::vault_to_rebuild)?;
    match found.ok_or_else(no_vault)? {
        (locked, _) if locked != name => return Err(Error::Moved),
        (_, Some(_)) => return Err(Error::Importing(name.to_string())),
        (_, None) => {}
    }
    let mut at = At { link, vault };
    let mut rows = Rows::default();
    let read = |after: i64| {
        progress(after.max(0), 0);
        at.many("events", values![vault, after, PAGE], map::stored)
    };
    if let Some(found) = walk(read, |logged| rows.apply(&logged))? {
        return Err(Error::Damaged(format!("{}; rows cannot be rebuilt from that", found.problem)));
    }
    if rows.vault.head_seq == 0 {
        return Err(Error::Damaged("event 1 is missing; rows cannot be rebuilt from that".into()));
    }
    deletes().try_for_each(|statement| at.exec(statement, &values![vault]))?;
    let mut count = 0;
    rows.insert(&mut at, &mut || {
        count += 1;
        if count % PAGE == 0 {
            progress(rows.vault.head_seq, count);
        }
    })?;
    at.update_vault(&rows.vault)?;
    at.repair_index(&rows.vault)?;
    at.exec("vault_changed", &values![vault])?;
    Ok(Rebuilt { events: rows.vault.head_seq, rows: count })
}
