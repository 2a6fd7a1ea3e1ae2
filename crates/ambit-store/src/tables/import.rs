//! Import of a vault: loads it in steps; the vault is unusable until the last step.

use ambit_core::search::Bag;
use ambit_core::{Hash, VaultState};

use super::{At, Link, VaultFound, lock_vault, values};
use crate::rows::deletes;
use crate::{Error, Import, Result};

/// Computes the term vectors of a step's texts, before its transaction begins.
pub(crate) fn bags(step: &Import) -> Vec<Bag> {
    match step {
        Import::Load { contents, .. } => contents.iter().map(|it| Bag::of(&it.text)).collect(),
        Import::Begin { .. } | Import::Finish | Import::Abandon => Vec::new(),
    }
}

/// Runs one step, in its own transaction.
pub(crate) fn import(
    link: &mut dyn Link,
    name: &str,
    step: &Import,
    bags: &[Bag],
) -> Result<VaultState> {
    let found = lock_vault(link, name)?;
    if let Import::Begin { source } = step {
        return match found {
            None => begin(link, name, source),
            Some(found) => found.begun_from(source),
        };
    }
    let found = found.ok_or_else(|| Error::NoVault(name.to_string()))?;
    if found.importing.is_none() {
        return Err(Error::VaultThere(found.name));
    }
    let (mut at, mut state) = (At { link, vault: found.vault }, found.state);
    match step {
        Import::Begin { .. } => {}
        Import::Load { contents, events } => {
            let found = state.clone();
            for (content, bag) in contents.iter().zip(bags) {
                at.write_content(content, bag)?;
            }
            for logged in events {
                at.write_event(logged)?;
                state.follow(logged);
            }
            at.update_vault(&state)?;
            at.invert_completed(&found, &state)?;
        }
        Import::Finish => at.mark(None)?,
        Import::Abandon => {
            at.remove()?;
            state = VaultState::default();
        }
    }
    Ok(state)
}

fn begin(link: &mut dyn Link, name: &str, source: &Hash) -> Result<VaultState> {
    let (mut at, state) = (At::fresh(link)?, VaultState::default());
    at.insert_vault(name, &state)?;
    at.mark(Some(source))?;
    Ok(state)
}

impl VaultFound {
    fn begun_from(self, source: &Hash) -> Result<VaultState> {
        match &self.importing {
            None => Err(Error::VaultThere(self.name)),
            Some(begun) if *begun == source.to_hex() => Ok(self.state),
            Some(_) => Err(Error::Importing(self.name)),
        }
    }
}

/// The tables of a vault that are not derived from its log.
const OTHER_TABLES: [&str; 7] = [
    "all_unindexed_delete",
    "all_posting_delete",
    "all_bag_delete",
    "all_content_delete",
    "all_key_delete",
    "all_event_delete",
    "vault_remove",
];

impl At<'_> {
    fn mark(&mut self, source: Option<&Hash>) -> Result<()> {
        let source = source.map(Hash::to_hex);
        self.exec("vault_importing", &values![self.vault, source.as_ref()])
    }

    fn remove(&mut self) -> Result<()> {
        let mut all = deletes().chain(OTHER_TABLES);
        all.try_for_each(|statement| self.exec(statement, &values![self.vault]))
    }
}
