//! Where a window may begin: DESIGN.md's rule of steps, walked unit by unit with the tokens that
//! the rows hold, against where a composition was found to begin.

use ambit::{Composition, tokens};

use super::model::Model;
use super::shown::Shown;

/// What the rule goes by.
pub struct Rule {
    /// M: what messages may have.
    pub room: i64,
    /// D: the step by which the window's start moves.
    pub step: i64,
}

impl Rule {
    pub fn new(model: &Model, scope: usize, budget: i64, system: Option<&str>) -> Rule {
        let system = system.map_or(0, |text| tokens::count(text) as i64 + 4);
        let insights = if model.has_insights() { (budget / 16).min(1_000) } else { 0 };
        let room = budget - system - insights - (budget / 8).min(2_000) - (budget / 4).min(8_000);
        let release: i64 = model.setting(scope, "release_percent", "50").parse().unwrap_or(50);
        Rule { room, step: (room * (100 - release) / 100).min(room / 2).max(1) }
    }
}

/// What somebody else's name and the frame around a turn add to its stored tokens, at the most.
const AROUND: i64 = 80;

/// Whether a composition begins where the rule says: at the unit that holds token k × D, for the
/// least k that is enough and for which all of it fits. `starts` are the units it may begin with,
/// as its messages tell; `stored` says what each unit counts.
pub fn begins_by_rule(
    rule: &Rule,
    shown: &Shown,
    stored: &[i64],
    starts: &[usize],
    composition: &Composition,
) -> Result<(), String> {
    let shown_units = &stored[..shown.end];
    let sum: i64 = shown_units.iter().sum();
    let over = (sum - rule.room).max(0);
    let enough = (over + rule.step - 1) / rule.step;
    let holding = |k: i64| {
        let mut before = 0;
        let holds = |tokens: &i64| {
            before += tokens;
            before > k * rule.step
        };
        if k == 0 { 0 } else { shown_units.iter().position(holds).unwrap_or(shown.end) }
    };
    let ks = enough..=sum / rule.step + 1;
    let (tried, start) = match ks.into_iter().find(|k| starts.contains(&holding(*k))) {
        Some(k) if k == enough => return Ok(()),
        // The step before would have been enough: then it cannot have fitted.
        Some(k) => (holding(k - 1), holding(k)),
        // Nor did the last step: then it begins with the first unit that fits.
        None => {
            let last = holding((sum - 1).max(0) / rule.step);
            let first = starts.iter().copied().find(|start| *start > last);
            (last, first.ok_or(format!("from step {enough} on none is in {starts:?}"))?)
        }
    };
    let window = composition.layers.iter().find(|layer| layer.name == "messages");
    let window = window.map_or(0, |layer| layer.tokens);
    let more = shown_units[tried..start].iter().map(|tokens| tokens + AROUND);
    let with_more = window + more.sum::<i64>();
    if with_more > rule.room {
        return Ok(());
    }
    Err(format!("it began at {start}, where from {tried} on {with_more} fit {}", rule.room))
}
