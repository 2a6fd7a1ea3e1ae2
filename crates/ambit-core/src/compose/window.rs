//! The window: its start, its cost, and the prefix that it shares with the composition answered by
//! the reader's last turn.

use super::gather::{LEADING_BLOCKS, least_step};
use super::unit::{Fate, Placed, Turn, Unit, is_plain, stored, turns, units};
use super::{Dangling, Items, LayerReceipt, Layout, NoteShown, Plan, render, said};
use crate::{MessageRefusal, State};

pub struct Window<'a> {
    pub plan: &'a Plan,
    pub items: &'a Items,
    pub units: Vec<Placed<'a>>,
    /// The shown units: a range of `units`.
    pub start: usize,
    pub end: usize,
    /// The open batch, if it is shown at the end.
    pub dangling: Option<usize>,
    /// The tokens of each unit as it is rendered in its place.
    costs: Vec<i64>,
    leading: Vec<Pinned<'a>>,
    /// Tokens shown in all of the scope.
    pub scope_sum: i64,
}

/// A leading system turn, with the tokens above which its blocks are shown as stubs.
pub struct Pinned<'a> {
    pub turn: Turn<'a>,
    pub share: Option<i64>,
    pub cost: i64,
}

impl<'a> Window<'a> {
    pub fn new(
        state: &'a State,
        plan: &'a Plan,
        items: &'a Items,
        count: &dyn Fn(&str) -> i64,
    ) -> Result<Window<'a>, MessageRefusal> {
        let units = units(items, plan);
        let end = units.partition_point(|unit| unit.position < plan.end);
        let mut window = Window {
            plan,
            items,
            start: 0,
            end,
            dangling: None,
            costs: Vec::with_capacity(units.len()),
            units: Vec::new(),
            leading: Vec::new(),
            scope_sum: state.scopes.get(&plan.scope).map_or(0, |scope| scope.row.sum),
        };
        window.leading = window.lead(count);
        window.costs = units.iter().map(|unit| render::cost(unit, &window, count)).collect();
        window.units = units;
        window.show_dangling();
        window.start = window
            .fit(window.end, items.sum_at_end)
            .ok_or(MessageRefusal::TurnOverBudget { budget: plan.budget })?;
        Ok(window)
    }

    /// Withholds a pending chain at the end, keeps it as the last unit, or closes it and continues.
    fn show_dangling(&mut self) {
        let open = |unit: &Placed<'_>| matches!(unit.unit, Unit::Batch { fate: Fate::Open, .. });
        let Some(index) = self.units.iter().position(open) else {
            return;
        };
        match self.plan.dangling {
            Dangling::Withhold => {}
            Dangling::Keep => {
                self.dangling = Some(index);
                self.end = index + 1;
            }
            Dangling::Close => {
                self.dangling = Some(index);
                self.end = self.units.len();
            }
        }
    }

    /// Returns the first unit of the window that ends before `end`, at the least step for which the
    /// window fits the room. Returns `None` if not even the last unit fits.
    fn fit(&self, end: usize, sum: i64) -> Option<usize> {
        let mut cost_from: Vec<i64> = vec![0; end + 1];
        for index in (0..end).rev() {
            cost_from[index] = cost_from[index + 1] + self.costs[index];
        }
        if end == 0 || cost_from[0] == 0 {
            return Some(if least_step(self.plan, sum) == 0 { 0 } else { end });
        }
        let last = self.units[end - 1].sum;
        let fits = |start: usize| cost_from[start] - self.folded(start, end) <= self.plan.room;
        let (mut step, mut tried) = (least_step(self.plan, sum), 0);
        while step == 0 || step * self.plan.step < last {
            let token = step * self.plan.step;
            let start = match step {
                0 => 0,
                _ => self.units[..end].partition_point(|unit| unit.sum <= token),
            };
            if fits(start) {
                return Some(start);
            }
            (step, tried) = (step + 1, start);
        }
        // Attributed turns cost more than their stored counts, so many short ones may not fit even
        // from the last step on. Then as many units as fit are shown.
        let starts: Vec<usize> = (tried..end).collect();
        let first = starts.partition_point(|start| !fits(*start));
        starts.get(first).copied().filter(|start| cost_from[*start] > 0)
    }

    /// Returns the tokens that the folded notes would have in their places: they are in the layer.
    fn folded(&self, start: usize, end: usize) -> i64 {
        let bound = self.bound(start, end);
        let folded = (start..end).filter(|index| {
            let unit = &self.units[*index];
            matches!(unit.unit, Unit::Note(_)) && unit.position < bound
        });
        folded.map(|index| self.costs[index]).sum()
    }

    /// Returns the position before which notes are in the layer; the others are in their place.
    fn bound(&self, start: usize, end: usize) -> i64 {
        let end_position = match self.units.get(end) {
            Some(unit) => unit.position,
            None => self.plan.read_end,
        };
        let fold = match self.plan.layout {
            Layout::Layered => end_position,
            // Nothing is cached before a first answer, so all notes fold, except those after an
            // open call that is shown, because the stable prefix ends before the call.
            Layout::Stable => self.plan.fold.unwrap_or(end_position.min(self.plan.end)),
        };
        let start_position = self.units.get(start).map_or(self.items.from, |unit| unit.position);
        fold.max(if start == 0 && self.items.from == 0 { 0 } else { start_position })
    }

    /// Returns the notes in the layer, oldest first: the last N before the bound.
    pub fn layer_notes(&self) -> Vec<&'a NoteShown> {
        self.layer_notes_for(self.start, self.end)
    }

    fn layer_notes_for(&self, start: usize, end: usize) -> Vec<&'a NoteShown> {
        let bound = self.bound(start, end);
        let own = self.items.notes.iter().filter(|note| note.position < bound);
        let all: Vec<_> = self.items.inherited.iter().chain(own).collect();
        let skip = all.len().saturating_sub(self.plan.notes_shown as usize);
        all[skip..].to_vec()
    }

    /// Returns the units that are shown in their place.
    pub fn shown(&self) -> impl Iterator<Item = (usize, &Placed<'a>)> {
        self.shown_for(self.start, self.end)
    }

    fn shown_for(&self, start: usize, end: usize) -> impl Iterator<Item = (usize, &Placed<'a>)> {
        let bound = self.bound(start, end);
        let range = self.units[start..end].iter().enumerate();
        range
            .map(move |(index, unit)| (index + start, unit))
            .filter(move |(_, unit)| !matches!(unit.unit, Unit::Note(_)) || unit.position >= bound)
    }

    pub fn cost(&self, index: usize) -> i64 {
        self.costs[index]
    }

    /// Returns the leading system turns before the window, which stay pinned.
    pub fn pinned(&self) -> &[Pinned<'a>] {
        self.pinned_for(self.start)
    }

    fn pinned_for(&self, start: usize) -> &[Pinned<'a>] {
        let first = self.units.get(start).map_or(i64::MAX, |unit| unit.position);
        let before = self.leading.partition_point(|pinned| pinned.turn[0].position < first);
        &self.leading[..before]
    }

    /// Returns the leading system turns of a scope as they are shown when the window begins after
    /// them: each whole, or as a stub if it does not fit the cap.
    fn lead(&self, count: &dyn Fn(&str) -> i64) -> Vec<Pinned<'a>> {
        let rows = if self.items.from > 0 { &self.items.leading } else { &self.items.messages };
        // The turns must be the same at every call, wherever the window begins.
        let late = rows.get(LEADING_BLOCKS).map(|row| row.turn);
        let mut left = self.plan.caps.pinned;
        let mut leading = Vec::new();
        for turn in turns(&rows[..rows.len().min(LEADING_BLOCKS)]) {
            let system = turn[0].role.is_system() && Some(turn[0].turn) != late;
            if !system || !is_plain(turn, self.items) {
                break;
            }
            if said::is_hollow(turn, self.plan.format) {
                continue;
            }
            let whole = Pinned { turn, share: None, cost: stored(turn) };
            let stub = || {
                let cost = said::turn_cost(turn, Some(0), self.plan.format, count);
                Pinned { turn, share: Some(0), cost }
            };
            let pinned = if whole.cost <= left { whole } else { stub() };
            left -= pinned.cost;
            if left < 0 {
                break;
            }
            leading.push(pinned);
        }
        leading
    }

    /// Returns the tokens that a prompt cache still holds: the prefix shared with the composition
    /// that the reader's last assistant turn in this epoch answered.
    pub fn stable_prefix(&self, layers: &[LayerReceipt]) -> i64 {
        let (Some(end), Some(sum)) = (self.plan.answered, self.items.sum_at_answered) else {
            return 0;
        };
        let end = self.units.partition_point(|unit| unit.position < end);
        let layer = |name| layers.iter().find(|layer| layer.name == name).map_or(0, |it| it.tokens);
        // A change of the insights begins an epoch, so they are equal here.
        let mut shared = layer("system") + layer("insights") + layer("mind");
        // The earlier window cannot be computed if it ended before this window's first unit.
        let known = end > 0 || self.items.from == 0;
        let start = match known.then(|| self.fit(end, sum)).flatten() {
            Some(start) => start,
            None => return self.shared_front(shared, layer("notes") + layer("inherited")),
        };
        if self.layer_notes_for(start, end) != self.layer_notes() {
            return shared;
        }
        shared += layer("notes") + layer("inherited");
        let (before, now) = (self.costs_for(start, end), self.costs_for(self.start, self.end));
        let same = before.iter().zip(&now).take_while(|(before, now)| before == now);
        shared + same.map(|((_, cost), _)| cost).sum::<i64>()
    }

    /// Returns the tokens shared with a composition that ended before this window begins: the
    /// layers and pinned turns that cannot have changed.
    fn shared_front(&self, system: i64, notes: i64) -> i64 {
        let (fold, answered) = (self.plan.fold.unwrap_or(0), self.plan.answered.unwrap_or(0));
        let later = |note: &&NoteShown| note.position >= fold;
        if self.layer_notes().iter().any(later) {
            return system;
        }
        let whole = self
            .pinned()
            .iter()
            .take_while(|pinned| pinned.share.is_none() && pinned.turn[0].position < answered);
        system + notes + whole.map(|pinned| pinned.cost).sum::<i64>()
    }

    /// Returns the position and the tokens of each message or batch of a window, including pinned
    /// turns: to a cache, a pinned turn is the same as one within the window.
    fn costs_for(&self, start: usize, end: usize) -> Vec<(i64, i64)> {
        let pinned = self.pinned_for(start).iter();
        let pinned = pinned.map(|pinned| (pinned.turn[0].position, pinned.cost));
        let shown = self.shown_for(start, end).map(|(index, it)| (it.position, self.costs[index]));
        pinned.chain(shown.filter(|(_, cost)| *cost > 0)).collect()
    }
}
