//! Search in memory: scans every text.

use ambit_core::search::{Bag, Bearer, Index, Neighbour, Sought};
use ambit_core::{ContentNo, ItemNo, ItemRow, PlaceRow};

use super::Vault;

/// How many items or turns are returned for one text.
const BEARERS_MAX: usize = 4;

impl Vault {
    pub(super) fn bags(&self) -> Index {
        let bags = self.contents.iter().map(|(content, it)| (*content, Bag::of(&it.text)));
        Index { recent: bags.filter(|(_, bag)| !bag.is_empty()).collect(), ..Index::default() }
    }

    pub(super) fn bearers_of(&self, sought: &[Sought]) -> Vec<Bearer> {
        let items = sought.iter().flat_map(|it| self.items_sought(*it));
        let rows = items.filter_map(|item| self.rows.items.get(&item));
        rows.flat_map(|row| self.places_of(row)).collect()
    }

    fn items_sought(&self, sought: Sought) -> Vec<ItemNo> {
        let last = |items: Vec<ItemNo>| items.into_iter().rev().take(BEARERS_MAX).collect();
        let bearing = |content: ContentNo| {
            let rows = self.rows.items.values().filter(move |row| row.content == content);
            rows.map(|row| row.item).collect()
        };
        let first = |turn: i64| {
            let mut rows = self.rows.items.values().filter(move |row| row.turn == turn);
            rows.find(|row| row.block == 0).map(|row| row.item)
        };
        match sought {
            Sought::Item(item) => vec![item],
            Sought::Text(content) => last(bearing(content)),
            Sought::Rest(content) => {
                let turns = self.rows.turns.values().filter(|row| row.shape == content);
                last(turns.filter_map(|row| first(row.turn)).collect())
            }
        }
    }

    fn places_of(&self, item: &ItemRow) -> Vec<Bearer> {
        let placed = item.placed_as();
        let places = self.rows.places.values().filter(move |row| row.item == placed);
        let bearer = |place: &PlaceRow| {
            let range = self.rows.places.range((place.scope, 0)..=(place.scope, i64::MAX));
            let beside = range.map(|(_, row)| row);
            let beside = beside.filter(|row| row.kind.in_window() && row.to_seq == place.to_seq);
            let before = beside.clone().rfind(|row| row.position < place.position);
            let after = beside.clone().find(|row| row.position > place.position);
            Bearer {
                item: item.clone(),
                scope: place.scope,
                hidden: place.to_seq,
                before: before.and_then(|row| self.neighbour(row)),
                after: after.and_then(|row| self.neighbour(row)),
                visits: self.visits_of_item(item.item).count().min(1_000) as i64,
            }
        };
        places.map(bearer).collect()
    }

    fn neighbour(&self, place: &PlaceRow) -> Option<Neighbour> {
        let item = self.rows.items.get(&place.item)?;
        Some(Neighbour { item: item.item, content: item.content })
    }
}
