//! Reads what a forget command needs: the items and turns that use a text, their places, and how
//! many others use the same text.

use std::collections::{BTreeMap, BTreeSet};

use ambit_core::{
    ContentNo, ForgetSelection, Forgettable, ItemNo, ItemRow, OpenPlace, ScopeNo, ScopeRow,
    SelectedItem, SelectedTurn, TurnRow,
};

use super::{At, Step, map, values};
use crate::Result;
use crate::rows::Table;

/// What a row is for.
#[derive(Clone, Copy)]
enum Part {
    Item,
    Turn,
    Place(ItemNo),
    Text,
    Scope,
    Inherited,
}

impl At<'_> {
    pub(super) fn forgettable(&mut self, what: &ForgetSelection) -> Result<Forgettable> {
        let mut found = Forgettable::default();
        if what.items.is_empty() && what.shapes.is_empty() {
            return Ok(found);
        }
        self.read_bearers(what, &mut found)?;
        let firsts = self.first_blocks(&mut found)?;
        self.read_places(&firsts, &mut found)?;
        self.read_uses(what.uses_max, &mut found)?;
        Ok(found)
    }

    fn read_bearers(&mut self, what: &ForgetSelection, found: &mut Forgettable) -> Result<()> {
        let mut step = Step::new();
        for item in &what.items {
            step.ask(Part::Item, "item_row", values![self.vault, item.0]);
        }
        for turn in &what.shapes {
            step.ask(Part::Turn, "turn_row", values![self.vault, turn]);
        }
        step.send(self.link, |part, row| {
            match part {
                Part::Item => {
                    let row = ItemRow::read(row)?;
                    found.items.push(SelectedItem { row, places: Vec::new() });
                }
                _ => {
                    let row = TurnRow::read(row)?;
                    let (turn, shape) = (row.turn, row.shape);
                    found.shapes.push(SelectedTurn { turn, shape, blocks: 0, places: Vec::new() });
                }
            }
            Ok(())
        })
    }

    /// Returns the first block of each turn. The tokens of the turn's shape are counted there.
    fn first_blocks(&mut self, found: &mut Forgettable) -> Result<BTreeMap<i64, ItemNo>> {
        let mut firsts = BTreeMap::new();
        for it in &mut found.shapes {
            let blocks = self.items_of(it.turn)?;
            it.blocks = blocks.len() as i64;
            firsts.extend(blocks.first().map(|first| (it.turn, *first)));
        }
        Ok(firsts)
    }

    fn read_places(
        &mut self,
        firsts: &BTreeMap<i64, ItemNo>,
        found: &mut Forgettable,
    ) -> Result<()> {
        let items = found.items.iter().map(|it| it.row.item);
        let items: BTreeSet<_> = items.chain(firsts.values().copied()).collect();
        let mut step = Step::new();
        for item in items {
            step.ask(Part::Place(item), "item_places", values![self.vault, item.0]);
        }
        let mut places: BTreeMap<ItemNo, Vec<OpenPlace>> = BTreeMap::new();
        step.send(self.link, |part, row| {
            if let Part::Place(item) = part {
                places.entry(item).or_default().push(map::open_place(row)?);
            }
            Ok(())
        })?;
        let of = |item: &ItemNo| places.get(item).cloned().unwrap_or_default();
        for it in &mut found.items {
            it.places = of(&it.row.item);
        }
        for it in &mut found.shapes {
            it.places = firsts.get(&it.turn).map(of).unwrap_or_default();
        }
        Ok(())
    }

    /// Reads how many items and turns use each text, the token sums of the scopes that show them,
    /// and whether an open scope inherits in full.
    fn read_uses(&mut self, max: i64, found: &mut Forgettable) -> Result<()> {
        let items = found.items.iter().map(|it| it.row.content);
        let texts: BTreeSet<ContentNo> =
            items.chain(found.shapes.iter().map(|it| it.shape)).collect();
        let places = found.items.iter().flat_map(|it| &it.places);
        let scopes: BTreeSet<ScopeNo> = places
            .chain(found.shapes.iter().flat_map(|it| &it.places))
            .map(|it| it.scope)
            .collect();
        let mut step = Step::new();
        for text in texts.iter().filter(|text| text.forgotten_by().is_none()) {
            step.ask(Part::Text, "text_use", values![self.vault, text.0, max.max(0)]);
        }
        for scope in scopes {
            step.ask(Part::Scope, "scope", values![self.vault, scope.0]);
        }
        step.ask(Part::Inherited, "scope_full", values![self.vault]);
        step.send(self.link, |part, row| {
            match part {
                Part::Text => {
                    let (content, mut text) = map::text_use(row)?;
                    text.uses = text.uses.min(max);
                    found.texts.insert(content, text);
                }
                Part::Inherited => found.inherited = true,
                _ => {
                    let row = ScopeRow::read(row)?;
                    found.sums.insert(row.scope, row.sum);
                }
            }
            Ok(())
        })
    }
}
