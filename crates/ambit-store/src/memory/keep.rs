//! Forgetting and imports, in memory.

use std::collections::BTreeMap;

use ambit_core::{
    ContentNo, ForgetSelection, Forgettable, Inherit, ItemNo, OpenPlace, ScopeRow, SelectedItem,
    SelectedTurn, TextUse, VaultState,
};

use super::Vault;
use crate::{Error, Import, Result};

impl Vault {
    pub(super) fn forgettable(&self, what: &ForgetSelection) -> Forgettable {
        let mut found = Forgettable::default();
        for item in what.items.iter().filter_map(|item| self.rows.items.get(item)) {
            found
                .items
                .push(SelectedItem { row: item.clone(), places: self.open_places(item.item) });
        }
        for row in what.shapes.iter().filter_map(|turn| self.rows.turns.get(turn)) {
            let blocks = self.rows.items.values().filter(|item| item.turn == row.turn);
            let first = blocks.clone().find(|item| item.block == 0);
            found.shapes.push(SelectedTurn {
                turn: row.turn,
                shape: row.shape,
                blocks: blocks.count() as i64,
                places: first.map(|item| self.open_places(item.item)).unwrap_or_default(),
            });
        }
        let borne = found.items.iter().map(|it| it.row.content);
        for content in borne.chain(found.shapes.iter().map(|it| it.shape)) {
            if let Some(text) = self.contents.get(&content) {
                let uses = self.uses(content).min(what.uses_max);
                found.texts.insert(content, TextUse { tokens: text.tokens, uses });
            }
        }
        let places = found.items.iter().flat_map(|it| &it.places);
        for place in places.chain(found.shapes.iter().flat_map(|it| &it.places)) {
            let sum = self.rows.scopes.get(&place.scope).map_or(0, |row| row.sum);
            found.sums.insert(place.scope, sum);
        }
        let full = |row: &ScopeRow| row.inherit == Inherit::Full && row.closed_seq.is_none();
        found.inherited = self.rows.scopes.values().any(full);
        found
    }

    fn uses(&self, content: ContentNo) -> i64 {
        let items = self.rows.items.values().filter(|row| row.content == content).count();
        let turns = self.rows.turns.values().filter(|row| row.shape == content).count();
        (items + turns) as i64
    }

    fn open_places(&self, item: ItemNo) -> Vec<OpenPlace> {
        let open = self.rows.places.values().filter(|row| row.item == item);
        let open = open.filter(|row| row.to_seq.is_none());
        open.map(|row| OpenPlace { scope: row.scope, position: row.position, tokens: row.tokens })
            .collect()
    }
}

/// Returns a vault that exists and is not being imported.
pub(super) fn at<'a>(vaults: &'a mut BTreeMap<String, Vault>, name: &str) -> Result<&'a mut Vault> {
    match vaults.get_mut(name) {
        None => Err(Error::NoVault(name.to_string())),
        Some(vault) if vault.importing.is_some() => Err(Error::Importing(name.to_string())),
        Some(vault) => Ok(vault),
    }
}

pub(super) fn import(
    vaults: &mut BTreeMap<String, Vault>,
    name: &str,
    step: Import,
) -> Result<VaultState> {
    if let Import::Begin { source } = step {
        let new = || Vault { importing: Some(source), ..Vault::default() };
        let vault = vaults.entry(name.to_string()).or_insert_with(new);
        return match vault.importing {
            Some(begun) if begun == source => Ok(vault.rows.vault.clone()),
            Some(_) => Err(Error::Importing(name.to_string())),
            None => Err(Error::VaultThere(name.to_string())),
        };
    }
    let vault = vaults.get_mut(name).ok_or_else(|| Error::NoVault(name.to_string()))?;
    if vault.importing.is_none() {
        return Err(Error::VaultThere(name.to_string()));
    }
    match step {
        Import::Begin { .. } => {}
        Import::Load { contents, events } => {
            vault.contents.extend(contents.into_iter().map(|it| (it.content, it)));
            events.into_iter().for_each(|logged| vault.keep(logged));
        }
        Import::Finish => vault.importing = None,
        Import::Abandon => {
            vaults.remove(name);
            return Ok(VaultState::default());
        }
    }
    Ok(vault.rows.vault.clone())
}
