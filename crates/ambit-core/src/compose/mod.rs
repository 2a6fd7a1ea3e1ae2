//! `compose`: selects, orders, repairs, fits and renders what a model is shown, with a receipt.
//!
//! Within an epoch, each composition extends the previous one, so a provider's prompt cache can be
//! used. ARCHITECTURE.md, "Composition", defines the rules; `gather` reads what they need.

mod attributed;
mod gather;
mod render;
mod said;
mod stub;
mod unit;
mod window;

use ambit_wire::{Format, MESSAGE_TOKENS};
use serde::Serialize;
use serde_json::value::RawValue;

pub use gather::{
    Author, Items, LEADING_BLOCKS, NoteRange, NoteShown, Places, Shown, gather, inherited_notes,
    shape_of,
};

pub use render::note_text;
pub use stub::handle;

use crate::decide::expect_head;
use crate::{Counted, Inherit, Key, MessageRefusal, Millis, Refusal, ScopeNo, ScopeRow, State};
use window::Window;

/// How notes and messages are arranged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Layout {
    /// The layers before the messages change only when an epoch begins or the window moves a step.
    Stable,
    /// The three layers are rendered from scratch at every call.
    Layered,
}

/// How a pending chain at the end is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dangling {
    Withhold,
    Keep,
    Close,
}

/// A request to compose. A field that is `None` is taken from the settings.
#[derive(Clone, Debug, Default)]
pub struct Request {
    pub budget: Option<i64>,
    pub layout: Option<Layout>,
    pub system: Option<Counted>,
    pub format: Option<Format>,
}

/// What a model is shown, and the receipt for it.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct Composition {
    pub scope: String,
    pub messages: Vec<Box<RawValue>>,
    /// For each message its turn, or its note's short hash; null for a layer.
    pub ids: Vec<Option<String>>,
    /// The system prompt, for formats that keep it apart from the messages.
    pub system: Option<Box<RawValue>>,
    pub tokens: i64,
    pub budget: i64,
    pub head: i64,
    pub layout: Layout,
    pub format: &'static str,
    pub layers: Vec<LayerReceipt>,
    pub stable_prefix_tokens: i64,
    pub left_out: Vec<LeftOut>,
    pub cost: Cost,
    /// The event that began the reader's epoch.
    pub epoch: i64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct LayerReceipt {
    pub name: &'static str,
    pub items: i64,
    pub tokens: i64,
}

/// An item that is stored but left out, or shown as a stub.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct LeftOut {
    pub id: String,
    pub why: &'static str,
    pub tokens: i64,
    pub handle: Option<String>,
}

/// The cost of this call in input tokens, with a prompt cache and without.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Cost {
    pub cached: i64,
    pub uncached: i64,
}

/// A Request with every value resolved: the input of the rules.
#[derive(Clone, Debug)]
pub struct Plan {
    pub row: ScopeRow,
    pub scope: ScopeNo,
    pub budget: i64,
    pub layout: Layout,
    pub format: Format,
    pub dangling: Dangling,
    pub system: Option<Counted>,
    pub notes_shown: i64,
    pub insights_shown: i64,
    pub caps: Caps,
    /// The tokens available for messages (M), and the step by which the window's start moves (D).
    pub room: i64,
    pub step: i64,
    /// The end of the composition: before the reader's first open call.
    pub end: i64,
    /// The end of the places to read: after `end` if a dangling chain is shown.
    pub read_end: i64,
    pub open: Option<i64>,
    pub fold: Option<i64>,
    pub answered: Option<i64>,
    pub epoch: i64,
    /// The reason given for leaving out an incomplete chain.
    pub given_up: &'static str,
}

/// The caps of the layers, in tokens. They depend on the Request, the settings and which layers
/// have anything to show, so the room for messages is the same at every call of an epoch.
#[derive(Clone, Copy, Debug)]
pub struct Caps {
    pub notes: i64,
    /// `None` if the vault has no insights.
    pub insights: Option<i64>,
    /// `None` if the items in the frame are not to be named.
    pub mind: Option<i64>,
    pub pinned: i64,
    /// `None` if the scope inherits no messages.
    pub inherited: Option<i64>,
}

impl Caps {
    fn of(state: &State, row: &ScopeRow, budget: i64) -> Caps {
        let get = |key| state.settings.get(row.scope, key);
        let has_insights = state.scopes.get(&ScopeNo::VAULT).is_some_and(|it| it.row.notes > 0);
        let insights = get(Key::InsightsTokensMax).min(budget / 16);
        let named = state.settings.is_on(row.scope, Key::FrameShown);
        let inherited = get(Key::InheritedTokensMax).min(budget / 4);
        Caps {
            notes: get(Key::NotesTokensMax).min(budget / 8),
            insights: has_insights.then_some(insights),
            mind: named.then_some(MIND_TOKENS_MAX.min(budget / 32)),
            pinned: get(Key::PinnedTokensMax).min(budget / 4),
            inherited: (row.inherit == Inherit::Full).then_some(inherited),
        }
    }

    fn sum(&self) -> i64 {
        let may = [self.insights, self.mind, self.inherited].into_iter().flatten();
        self.notes + self.pinned + may.sum::<i64>()
    }
}

impl Plan {
    pub fn new(
        state: &State,
        pin: Option<&str>,
        request: &Request,
        now: Millis,
    ) -> Result<Plan, Refusal> {
        let row = state.working_scope(pin)?;
        let scope = row.scope;
        let get = |key| state.settings.get(scope, key);
        let budget = request.budget.unwrap_or_else(|| get(Key::Budget));
        let layout = request.layout.unwrap_or(match get(Key::Layout) {
            0 => Layout::Stable,
            _ => Layout::Layered,
        });
        let dangling = match get(Key::Dangling) {
            0 => Dangling::Withhold,
            1 => Dangling::Keep,
            _ => Dangling::Close,
        };
        let caps = Caps::of(state, row, budget);
        let system_tokens = request.system.as_ref().map_or(0, |s| s.tokens + MESSAGE_TOKENS);
        let room = budget - system_tokens - caps.sum();
        if room < 1 {
            return Err(MessageRefusal::SystemOverBudget { budget }.into());
        }
        let step = step(room, get(Key::ReleasePercent));
        let epoch = state.epoch(scope, now.max(state.vault.time));
        let reader = state.actor.as_ref().map(|actor| actor.actor);
        let open =
            reader.and_then(|reader| state.open_batch(reader, scope)).filter(|_| !epoch.silent);
        Ok(Plan {
            row: row.clone(),
            scope,
            budget,
            layout,
            format: request.format.unwrap_or(Format::Openai),
            dangling,
            system: request.system.clone(),
            notes_shown: get(Key::NotesShown),
            insights_shown: get(Key::InsightsShown),
            caps,
            room,
            step,
            end: open.unwrap_or(row.next_position),
            read_end: match (open, dangling) {
                // Items after an open call are not shown. A few are read for the receipt.
                (Some(anchor), Dangling::Withhold) => {
                    row.next_position.min(anchor.saturating_add(WITHHELD_PLACES))
                }
                _ => row.next_position,
            },
            open,
            fold: epoch.fold,
            answered: epoch.answered,
            epoch: epoch.boundary,
            given_up: "its chain was given up",
        })
    }

    /// Returns the plan for inherited messages: a separate conversation that has ended, with room
    /// for its leading system messages if the window begins after them.
    pub fn of_inherited(&self, leading: &[Shown]) -> Option<Plan> {
        let cap = self.caps.inherited?;
        let system = leading.iter().take_while(|row| row.role.is_system());
        let pinned = system.map(|row| row.tokens).sum::<i64>().min(self.caps.pinned).min(cap / 4);
        let room = cap - pinned;
        Some(Plan {
            layout: Layout::Layered,
            caps: Caps { pinned, ..self.caps },
            room,
            step: room,
            end: i64::MAX,
            read_end: i64::MAX,
            open: None,
            fold: None,
            answered: None,
            given_up: "it had no reply at the fork",
            ..self.clone()
        })
    }
}

/// Returns the step by which the window's start moves.
fn step(room: i64, release_percent: i64) -> i64 {
    (room * (100 - release_percent) / 100).min(room / 2).max(1)
}

/// The cap for the names of the items in the frame (never over a thirty-second of the budget).
const MIND_TOKENS_MAX: i64 = 512;

/// The number of places after an open call that the receipt names one by one.
const WITHHELD_PLACES: i64 = 64;

/// Composes what a reader is shown. `count` counts the tokens of text rendered here.
pub fn compose(
    state: &State,
    plan: &Plan,
    items: &Items,
    expected_head: Option<i64>,
    count: &dyn Fn(&str) -> i64,
) -> Result<Composition, Refusal> {
    expect_head(&plan.row, expected_head)?;
    let window = Window::new(state, plan, items, count)?;
    let mut out = render::Output::new(plan.format);
    render::system(&mut out, plan);
    render::insights(&mut out, &window, count);
    render::mind(&mut out, &window, count);
    render::notes(&mut out, &window, count);
    if let Some(inherited) = &items.inherited_messages {
        render::inherited(&mut out, (state, plan), inherited, count);
    }
    render::messages(&mut out, &window);
    let tokens = out.layers.iter().map(|layer| layer.tokens).sum();
    let stable = window.stable_prefix(&out.layers).min(tokens);
    let weight = |key| state.settings.get(ScopeNo::VAULT, key);
    let cached = weight(Key::CacheReadPermille) * stable
        + weight(Key::CacheWritePermille) * (tokens - stable);
    let written = out.writer.finish();
    // The rendered messages are JSON by construction.
    let raw = |json: String| RawValue::from_string(json).unwrap_or_default();
    Ok(Composition {
        scope: plan.row.name.clone().unwrap_or_default(),
        messages: written.messages.into_iter().map(raw).collect(),
        ids: written.ids,
        system: written.system.map(raw),
        tokens,
        budget: plan.budget,
        head: plan.row.head,
        layout: plan.layout,
        format: plan.format.as_str(),
        layers: out.layers,
        stable_prefix_tokens: stable,
        left_out: out.left_out,
        cost: Cost { cached: (cached + 500) / 1000, uncached: tokens },
        epoch: plan.epoch,
    })
}
