//! The tables of the search index. A text's term vector is written and deleted with the text. Once
//! a segment of texts is complete, its term vectors are inverted into postings.

use std::collections::{BTreeMap, BTreeSet};

use ambit_core::search::{
    Bag, Bearer, HEADER, Index, PartRows, Sought, first_of, segment_of, segment_rows, without,
};
use ambit_core::{ContentNo, ItemNo, VaultState};

use super::{At, Link, Step, map, one, values};
use crate::Result;

/// How many older texts are indexed in one transaction.
const STEP: i64 = 256;

/// Returns whether texts older than the index are still missing from it.
pub(crate) fn index_is_incomplete(link: &mut dyn Link) -> Result<bool> {
    Ok(one(link, "all_unindexed", [], map::number)?.is_some())
}

/// Indexes the next of the texts that are older than the index.
pub(crate) fn index_more(link: &mut dyn Link) -> Result<()> {
    let Some(vault) = one(link, "all_unindexed", [], map::number)? else {
        return Ok(());
    };
    let Some(found) = one(link, "vault_locked", values![vault], map::vault)? else {
        return Ok(());
    };
    let mut at = At { link, vault };
    // Another process may have indexed them while this one waited for the lock.
    let Some((after, bound)) = at.one("all_unindexed_of", values![vault], map::pair)? else {
        return Ok(());
    };
    let page = at.many("all_contents", values![vault, after, STEP], map::content)?;
    let last = page.last().map(|text| text.content).filter(|last| last.0 < bound);
    let mut older = page.iter().filter(|text| text.content.0 < bound);
    older.try_for_each(|text| at.write_bag(text.content, &Bag::of(&text.text)))?;
    match last {
        Some(last) => {
            at.exec("all_unindexed_update", &values![vault, last.0])?;
            at.invert_segments(segment_of(last))
        }
        None => {
            at.exec("all_unindexed_delete", &values![vault])?;
            at.invert_segments(segment_of(ContentNo(found.state.next)))
        }
    }
}

impl At<'_> {
    /// Stores the term vector of a text.
    pub(super) fn write_bag(&mut self, content: ContentNo, bag: &Bag) -> Result<()> {
        if bag.is_empty() {
            return Ok(());
        }
        self.exec("bag_insert", &values![self.vault, content.0, bag.as_bytes()])
    }

    /// Inverts the segments that were completed between two states of the vault's row.
    pub(super) fn invert_completed(
        &mut self,
        before: &VaultState,
        after: &VaultState,
    ) -> Result<()> {
        let segment = |state: &VaultState| segment_of(ContentNo(state.next));
        if segment(before) == segment(after) {
            return Ok(());
        }
        // While older texts are not indexed yet, `index_more` inverts the segments later.
        match self.one("all_unindexed_of", values![self.vault], map::pair)? {
            Some(_) => Ok(()),
            None => self.invert_segments(segment(after)),
        }
    }

    /// Inverts all segments below one that are not inverted yet.
    fn invert_segments(&mut self, below: i64) -> Result<()> {
        loop {
            let from = self.first_not_inverted()?;
            let next = self.one("bag_next", values![self.vault, from.0], map::number)?;
            let Some(segment) = next.map(|it| segment_of(ContentNo(it))).filter(|it| *it < below)
            else {
                return Ok(());
            };
            let rows = segment_rows(&self.bags(first_of(segment), first_of(segment + 1))?);
            for (part, texts) in &rows {
                self.exec("posting_insert", &values![self.vault, part, segment, texts])?;
            }
        }
    }

    /// Returns the lowest text number that is in no inverted segment.
    fn first_not_inverted(&mut self) -> Result<ContentNo> {
        let last = self.one("segment_last", values![self.vault], map::number)?;
        Ok(last.map_or(ContentNo(0), |segment| first_of(segment + 1)))
    }

    fn bags(&mut self, from: ContentNo, to: ContentNo) -> Result<Vec<(ContentNo, Bag)>> {
        self.many("bags", values![self.vault, from.0, to.0], map::bag)
    }

    /// Removes texts from the index.
    pub(super) fn unindex(&mut self, gone: &BTreeSet<ContentNo>) -> Result<()> {
        let bound = self.first_not_inverted()?;
        let mut segments: BTreeMap<i64, (BTreeSet<ContentNo>, BTreeSet<i64>)> = BTreeMap::new();
        for content in gone {
            let bags = self.bags(*content, ContentNo(content.0 + 1))?;
            for (_, bag) in bags {
                let (texts, parts) = segments.entry(segment_of(*content)).or_default();
                texts.insert(*content);
                parts.insert(HEADER);
                parts.extend(bag.parts());
                self.exec("bag_forget", &values![self.vault, content.0])?;
            }
        }
        for (segment, (texts, parts)) in segments {
            if first_of(segment) >= bound {
                continue;
            }
            for (part, row) in self.parts(segment, &parts)? {
                let row = without(part, &row, &texts);
                self.exec("posting_update", &values![self.vault, part, segment, &row])?;
            }
        }
        Ok(())
    }

    fn parts(&mut self, segment: i64, parts: &BTreeSet<i64>) -> Result<PartRows> {
        let mut rows = PartRows::new();
        let mut step = Step::new();
        for part in parts {
            step.ask((), "posting", values![self.vault, part, segment]);
        }
        step.send(self.link, |(), row| {
            rows.extend([map::posting(row)?]);
            Ok(())
        })?;
        Ok(rows)
    }

    /// Reads the parts of the index that a query needs.
    pub(super) fn index(&mut self, parts: &BTreeSet<i64>) -> Result<Index> {
        let mut index = Index::default();
        let mut step = Step::new();
        for part in [HEADER].iter().chain(parts) {
            step.ask(*part, "postings", values![self.vault, part]);
        }
        step.send(self.link, |part, row| {
            let (segment, texts) = map::posting(row)?;
            index.segments.entry(segment).or_default().insert(part, texts);
            Ok(())
        })?;
        let last = index.segments.keys().next_back().copied();
        let from = last.map_or(ContentNo(0), |segment| first_of(segment + 1));
        index.recent = self.bags(from, ContentNo(i64::MAX))?.into_iter().collect();
        let missing = self.one("all_unindexed_of", values![self.vault], map::pair)?;
        index.missing = missing.map_or(0, |(content, bound)| (bound - content).max(0));
        Ok(index)
    }

    /// Returns the items that hold the given texts.
    pub(super) fn bearers(&mut self, sought: &[Sought]) -> Result<Vec<Bearer>> {
        let vault = self.vault;
        let mut items = Vec::new();
        let mut step = Step::new();
        for sought in sought {
            match sought {
                Sought::Item(item) => items.push(*item),
                Sought::Rest(content) => items.extend(self.first_blocks_with(*content)?),
                Sought::Text(content) => {
                    step.ask((), "items_with", values![vault, content.0]);
                }
            }
        }
        step.send(self.link, |(), row| {
            items.push(ItemNo(map::number(row)?));
            Ok(())
        })?;
        let mut step = Step::new();
        for item in items {
            step.ask((), "bearer", values![vault, item.0]);
        }
        let mut found = Vec::new();
        step.send(self.link, |(), row| {
            found.push(map::bearer(row)?);
            Ok(())
        })?;
        Ok(found)
    }

    /// Returns the first blocks of the turns whose shape is this text.
    fn first_blocks_with(&mut self, content: ContentNo) -> Result<Vec<ItemNo>> {
        let turns = self.many("shape_turns", values![self.vault, content.0], map::number)?;
        let mut firsts = Vec::new();
        for turn in turns {
            firsts.extend(self.items_of(turn)?.into_iter().next());
        }
        Ok(firsts)
    }

    /// Repairs the index, text by text and segment by segment. Correct rows are not rewritten.
    pub(super) fn repair_index(&mut self, state: &VaultState) -> Result<()> {
        self.exec("all_unindexed_delete", &values![self.vault])?;
        self.compare_index(true)?;
        self.invert_segments(segment_of(ContentNo(state.next)))
    }

    /// Counts the rows of the index that do not match the texts, and repairs them if asked.
    pub(super) fn compare_index(&mut self, repair: bool) -> Result<i64> {
        let coming = self.one("all_unindexed_of", values![self.vault], map::pair)?;
        let (mut wrong, mut after) = (0, ContentNo(i64::MIN));
        loop {
            let page = values![self.vault, after.0, STEP];
            let page = self.many("all_contents", page, map::content)?;
            let last = page.last().map_or(ContentNo(i64::MAX - 1), |text| text.content);
            let (from, to) = (ContentNo(after.0.saturating_add(1)), ContentNo(last.0 + 1));
            let mut there: BTreeMap<_, _> = self.bags(from, to)?.into_iter().collect();
            for text in &page {
                let is_coming =
                    |(after, bound): (i64, i64)| text.content.0 > after && text.content.0 < bound;
                let bag = (!coming.is_some_and(is_coming)).then(|| Bag::of(&text.text));
                let bag = bag.filter(|bag| !bag.is_empty());
                wrong +=
                    self.compare_bag(text.content, there.remove(&text.content), bag, repair)?;
            }
            for (content, bag) in there {
                wrong += self.compare_bag(content, Some(bag), None, repair)?;
            }
            if page.is_empty() {
                break;
            }
            after = last;
        }
        Ok(wrong + self.compare_segments(repair)?)
    }

    fn compare_bag(
        &mut self,
        content: ContentNo,
        there: Option<Bag>,
        right: Option<Bag>,
        repair: bool,
    ) -> Result<i64> {
        if there == right {
            return Ok(0);
        }
        if repair && there.is_some() {
            self.exec("bag_forget", &values![self.vault, content.0])?;
        }
        if let (true, Some(bag)) = (repair, right) {
            self.write_bag(content, &bag)?;
        }
        Ok(1)
    }

    fn compare_segments(&mut self, repair: bool) -> Result<i64> {
        let mut wrong = 0;
        for (segment, _) in self.many("postings", values![self.vault, HEADER], map::posting)? {
            let bags = self.bags(first_of(segment), first_of(segment + 1))?;
            let mut right = segment_rows(&bags);
            let there = self.many("all_postings", values![self.vault, segment], map::posting)?;
            for (part, row) in there {
                let right = right.remove(&part).unwrap_or_default();
                if holds(&row, &right) {
                    continue;
                }
                wrong += 1;
                if repair {
                    self.exec("posting_update", &values![self.vault, part, segment, &right])?;
                }
            }
            wrong += right.len() as i64;
            for (part, row) in right.iter().filter(|_| repair) {
                self.exec("posting_insert", &values![self.vault, part, segment, row])?;
            }
        }
        Ok(wrong)
    }
}

/// Returns whether a row holds exactly the right bytes, apart from the zeros that forgotten texts
/// leave at its end.
fn holds(row: &[u8], right: &[u8]) -> bool {
    row.strip_prefix(right).is_some_and(|rest| rest.iter().all(|byte| *byte == 0))
}
