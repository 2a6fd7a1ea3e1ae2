//! Renders units as messages of the wire format, with their tokens and receipts.

use std::collections::HashSet;

use ambit_wire::{Format, MESSAGE_TOKENS, RequestWriter, is_own_format};

use super::attributed::{attributed, escaped, heading};
use super::said::{
    Ids, count_shown, is_bare, is_hollow, is_stubbed, shape_tokens, turn_cost, write,
};
use super::stub::handle;
use super::unit::{Fate, Placed, Turn, Unit, answered, stored};
use super::window::Window;
use super::{Dangling, Items, LayerReceipt, LeftOut, NoteShown, Plan, Shown};
use crate::{Form, Layer, Role, State};

/// The first line of the layer of notes.
pub const EPISODIC_MEMORY: &str = "[EPISODIC MEMORY]";

/// The first line of the layer with the names of the items in the frame.
const IN_MIND: &str = "[IN MIND]";

/// The first line of the layer of insights.
const INSIGHTS: &str = "[INSIGHTS]";

/// The messages and receipts that were rendered so far.
pub struct Output {
    pub writer: RequestWriter,
    /// The number of turns, notes and replies that were written.
    pub written: i64,
    /// Ids of calls that were shown.
    call_ids: HashSet<String>,
    pub layers: Vec<LayerReceipt>,
    pub left_out: Vec<LeftOut>,
}

impl Output {
    pub fn new(format: Format) -> Output {
        let (layers, left_out) = (Vec::new(), Vec::new());
        let (writer, call_ids) = (RequestWriter::new(format), HashSet::new());
        Output { writer, written: 0, call_ids, layers, left_out }
    }

    fn say(&mut self, id: Option<String>, role: Role, text: &str) {
        self.writer.say_as(id, role, text);
        self.written += 1;
    }

    fn layer(&mut self, name: &'static str, items: i64, tokens: i64) {
        self.layers.push(LayerReceipt { name, items, tokens });
    }

    pub fn left_out(&mut self, row: &Shown, why: &'static str) {
        self.left_out.push(LeftOut {
            id: format!("{}.{}", row.turn, row.block),
            why,
            tokens: row.tokens,
            handle: Some(handle(row.turn, row.block, &row.key)),
        });
    }
}

/// Layer 1: the system prompt.
pub fn system(out: &mut Output, plan: &Plan) {
    let Some(system) = &plan.system else {
        out.layer("system", 0, 0);
        return;
    };
    out.say(None, Role::System, &system.text);
    out.layer("system", 1, system.tokens + MESSAGE_TOKENS);
}

/// Renders the vault's insights, each with its author.
pub fn insights(out: &mut Output, window: &Window<'_>, count: &dyn Fn(&str) -> i64) {
    let Some(cap) = window.plan.caps.insights else {
        return;
    };
    let authors = &window.items.authors;
    let line = |note: &NoteShown, text: &str| {
        let author = authors.get(&note.author).map_or("", |author| author.name.as_str());
        format!("{} ({})", note_line(note, text), fold_line(author))
    };
    let notes: Vec<_> = window.items.insights.iter().collect();
    let (layer, heading) = (Layer::Insights, INSIGHTS);
    let layer = Lines { layer, heading, cap, over: "over insights_tokens_max" };
    layer.write(out, &notes, &line, count);
}

/// Renders the names of the items in the scope's frame when the epoch began: as many as fit.
pub fn mind(out: &mut Output, window: &Window<'_>, count: &dyn Fn(&str) -> i64) {
    let Some(cap) = window.plan.caps.mind else {
        return;
    };
    let mut left = cap - MESSAGE_TOKENS - count(IN_MIND);
    let mut lines = Vec::new();
    for name in &window.items.mind {
        let line = format!("- {}", fold_line(name));
        left -= count(&line) + 1;
        if left < 0 {
            break;
        }
        lines.push(line);
    }
    if lines.is_empty() {
        out.layer(Layer::Mind.name(), 0, 0);
        return;
    }
    let text = format!("{IN_MIND}\n{}", lines.join("\n"));
    out.say(None, Role::System, &text);
    out.layer(Layer::Mind.name(), lines.len() as i64, count(&text) + MESSAGE_TOKENS);
}

/// Layer 2: the last notes.
pub fn notes(out: &mut Output, window: &Window<'_>, count: &dyn Fn(&str) -> i64) {
    let (layer, heading, cap) = (Layer::Notes, EPISODIC_MEMORY, window.plan.caps.notes);
    let layer = Lines { layer, heading, cap, over: "over notes_tokens_max" };
    layer.write(out, &window.layer_notes(), &note_line, count);
}

/// Notes as one message, a line each.
struct Lines {
    layer: Layer,
    heading: &'static str,
    cap: i64,
    /// The reason given for a note that is left out.
    over: &'static str,
}

impl Lines {
    /// The newest are kept where the cap is reached.
    fn write(
        &self,
        out: &mut Output,
        notes: &[&NoteShown],
        line_of: &dyn Fn(&NoteShown, &str) -> String,
        count: &dyn Fn(&str) -> i64,
    ) {
        let mut left = self.cap - MESSAGE_TOKENS - count(self.heading);
        let mut lines = Vec::new();
        let mut full = false;
        for note in notes.iter().rev() {
            if full {
                out.left_out.push(note_left_out(note, self.over));
                continue;
            }
            let mut line = line_of(note, &note_text(note));
            let mut tokens = count(&line) + 1;
            if tokens > left {
                let handle = handle(note.seq, 0, &note.key);
                line = line_of(note, &format!("({tokens} tokens; read {handle} gives them)"));
                tokens = count(&line) + 1;
                out.left_out.push(note_left_out(note, self.over));
            }
            // Once a note does not fit, not even as a stub, older ones are left out too.
            full = tokens > left;
            if !full {
                left -= tokens;
                lines.push(line);
            }
        }
        let layer = self.layer.name();
        if lines.is_empty() {
            out.layer(layer, 0, 0);
            return;
        }
        lines.reverse();
        let text = format!("{}\n{}", self.heading, lines.join("\n"));
        out.say(None, Role::System, &text);
        out.layer(layer, lines.len() as i64, count(&text) + MESSAGE_TOKENS);
    }
}

fn note_left_out(note: &NoteShown, why: &'static str) -> LeftOut {
    LeftOut {
        id: note.hash.short(),
        why,
        tokens: note.tokens,
        handle: Some(handle(note.seq, 0, &note.key)),
    }
}

fn note_line(note: &NoteShown, text: &str) -> String {
    format!("- [{}] {}", note.hash.short(), fold_line(text))
}

/// Returns a note's text, with the other scope if it was written on leaving or arriving.
pub fn note_text(note: &NoteShown) -> String {
    let text = &note.text;
    match &note.way {
        Some((true, scope)) => format!("[→ {scope}] {text}"),
        Some((false, scope)) => format!("[← {scope}] {text}"),
        None => text.clone(),
    }
}

/// Replaces line ends and control characters by single spaces.
pub fn fold_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.trim().chars() {
        if !crate::label::is_unprintable(c) {
            out.push(c);
        } else if !out.ends_with(' ') {
            out.push(' ');
        }
    }
    out
}

/// Renders the messages that a subagent's scope inherits. Turns of its ancestors count as its own.
pub fn inherited(
    out: &mut Output,
    (state, plan): (&State, &Plan),
    items: &Items,
    count: &dyn Fn(&str) -> i64,
) {
    let (whole, pinned) = (plan.of_inherited(&items.leading), plan.of_inherited(&items.messages));
    let (Some(whole), Some(pinned)) = (whole, pinned) else {
        return;
    };
    let window = match Window::new(state, &whole, items, count) {
        // Attributed turns may cost more than the stored counts. If the beginning must be left out,
        // its instructions stay.
        Ok(window) if window.start > 0 && items.from == 0 => {
            Window::new(state, &pinned, items, count)
        }
        window => window,
    };
    match window {
        Ok(window) => conversation(out, &window, "inherited"),
        // If no inherited message fits, the scope's own messages are still shown.
        Err(_) => {
            out.layer("inherited", 0, 0);
            items.messages.iter().last().into_iter().for_each(|row| out.left_out(row, BEYOND));
        }
    }
}

/// The reason given for the last block that was not read.
const BEYOND: &str = "no room for it, nor for what stands before it";

/// Layer 3: pinned turns and the window.
pub fn messages(out: &mut Output, window: &Window<'_>) {
    conversation(out, window, Layer::Messages.name());
}

fn conversation(out: &mut Output, window: &Window<'_>, layer: &'static str) {
    let (before, mut tokens) = (out.written, 0);
    for pinned in window.pinned() {
        if write(out, pinned.turn, pinned.share, &Ids::default()) {
            tokens += pinned.cost;
        }
        let cut = pinned.turn.iter().filter(|row| is_stubbed(row, pinned.share));
        cut.for_each(|row| out.left_out(row, "over pinned_tokens_max"));
    }
    window.items.cut.iter().for_each(|row| out.left_out(row, BEYOND));
    cut_off(out, window);
    let mut answered = window.plan.answered;
    for (index, unit) in window.shown() {
        if answered.is_some_and(|answered| unit.position >= answered) {
            out.writer.mark_cached();
            answered = None;
        }
        tokens += window.cost(index);
        render_unit(out, window, index, unit);
    }
    withheld(out, window);
    out.layer(layer, out.written - before, tokens);
}

/// Adds the receipt for the items before the window: one line for all of them.
fn cut_off(out: &mut Output, window: &Window<'_>) {
    let start = match window.units.get(window.start) {
        Some(unit) => unit.sum - unit.stored,
        None => window.items.sum_at_end,
    };
    let pinned = window.pinned().iter().map(|pinned| stored(pinned.turn));
    let tokens = start - pinned.sum::<i64>();
    if tokens > 0 {
        let (id, why) = ("before the window".into(), "over the budget");
        out.left_out.push(LeftOut { id, why, tokens, handle: None });
    }
}

/// Adds the receipts for the items after an open call.
fn withheld(out: &mut Output, window: &Window<'_>) {
    for unit in &window.units[window.end..] {
        let (rows, why): (Vec<Turn<'_>>, _) = match &unit.unit {
            Unit::Batch { call, replies, fate: Fate::Open } => {
                ([*call].into_iter().chain(replies.iter().copied()).collect(), "waits for replies")
            }
            Unit::Batch { call, replies, .. } => {
                ([*call].into_iter().chain(replies.iter().copied()).collect(), "after an open call")
            }
            Unit::Plain(turn) | Unit::Attributed(turn) => (vec![*turn], "after an open call"),
            Unit::Note(note) => {
                out.left_out.push(note_left_out(note, "after an open call"));
                continue;
            }
        };
        rows.into_iter().flatten().for_each(|row| out.left_out(row, why));
    }
    let read = window.units.last().map_or(window.items.sum_at_end, |unit| unit.sum);
    let tokens = window.scope_sum - read;
    if tokens > 0 && window.end < window.units.len() {
        let (id, why) = ("and what follows".into(), "after an open call");
        out.left_out.push(LeftOut { id, why, tokens, handle: None });
    }
}

fn render_unit(out: &mut Output, window: &Window<'_>, index: usize, placed: &Placed<'_>) {
    let share = share(placed, window.plan);
    match &placed.unit {
        Unit::Note(note) => {
            if share.is_some() {
                out.left_out.push(note_left_out(note, "shown as a stub"));
            }
            out.say(Some(note.hash.short()), Role::System, &in_place(note, share));
        }
        Unit::Plain(turn) => {
            note_stubs(out, turn, share);
            if !write(out, turn, share, &Ids::default()) {
                turn.iter().for_each(|row| out.left_out(row, "empty"));
            }
        }
        Unit::Attributed(turn) => {
            note_stubs(out, turn, share);
            let id = turn.first().map(|row| row.turn.to_string());
            out.say(id, Role::User, &attributed(turn, window, share));
        }
        Unit::Batch { call, replies, fate } => {
            let closed = window.dangling == Some(index);
            let ids = Ids::of(call, window.plan.format, &mut out.call_ids);
            let given = *fate == Fate::GivenUp || (*fate == Fate::Open && !closed);
            if given || !is_carried(&ids, call, replies, window.plan.format, share) {
                given_up(out, window.plan.given_up, (call, replies), share);
            } else {
                batch(out, window.plan, (call, replies), share, &ids);
            }
        }
    }
}

/// Whether calls can be shown with their replies. Calls that only their own format can express must
/// be whole, and their replies must be in that format too.
fn is_carried(
    ids: &Ids,
    call: Turn<'_>,
    replies: &[Turn<'_>],
    format: Format,
    share: Option<i64>,
) -> bool {
    let own = |turn: &Turn<'_>| is_own_format(format, turn[0].shape.as_deref());
    if !ids.has_whole() || !own(&call) {
        return true;
    }
    let whole = !call.iter().any(|row| row.form == Form::Call && is_stubbed(row, share));
    whole && replies.iter().all(own)
}

/// Returns the tokens above which a block is shown as a stub: an equal share of the step, in a unit
/// that is larger than a step.
fn share(placed: &Placed<'_>, plan: &Plan) -> Option<i64> {
    let blocks = match &placed.unit {
        Unit::Note(_) => 1,
        Unit::Plain(turn) | Unit::Attributed(turn) => turn.len(),
        Unit::Batch { call, replies, .. } => {
            call.len() + replies.iter().map(|turn| turn.len()).sum::<usize>()
        }
    };
    (placed.stored > plan.step).then(|| plan.step / blocks.max(1) as i64)
}

/// The tokens of a stub. A shorter text is shown, because a stub would only add tokens.
pub const STUB_TOKENS: i64 = 24;

fn note_stubs(out: &mut Output, turn: Turn<'_>, share: Option<i64>) {
    for row in turn.iter().filter(|row| is_stubbed(row, share)) {
        out.left_out(row, "shown as a stub");
    }
    if is_bare(turn, share) {
        let (id, tokens) = (turn[0].turn.to_string(), shape_tokens(turn));
        let handle = Some(id.clone());
        out.left_out.push(LeftOut { id, why: "fields of its own left out", tokens, handle });
    }
}

/// Renders a note in its place: a message in the form of the layer.
fn in_place(note: &NoteShown, share: Option<i64>) -> String {
    let text = match share {
        Some(_) => format!("(read {} gives it)", handle(note.seq, 0, &note.key)),
        None => note_text(note),
    };
    format!("{EPISODIC_MEMORY}\n{}", note_line(note, &text))
}

/// Renders calls together with their replies.
fn batch(
    out: &mut Output,
    plan: &Plan,
    (call, replies): (Turn<'_>, &[Turn<'_>]),
    share: Option<i64>,
    ids: &Ids,
) {
    out.writer.begin_batch();
    for turn in [call].iter().chain(replies) {
        note_stubs(out, turn, share);
        write(out, turn, share, ids);
    }
    let answered = answered(replies);
    let open = |row: &&Shown| row.form == Form::Call && !answered.contains(&row.item);
    for row in call.iter().filter(|row| plan.dangling == Dangling::Close && open(row)) {
        if let Some((id, kind)) = ids.get(row) {
            out.writer.close(id, NO_REPLY, *kind);
            out.written += 1;
        }
    }
    out.writer.end_batch();
}

/// The synthetic reply that closes a dangling call.
const NO_REPLY: &str = "[no reply was recorded]";

/// Renders a chain that will never be complete: only the turn's text is shown.
fn given_up(
    out: &mut Output,
    why: &'static str,
    (call, replies): (Turn<'_>, &[Turn<'_>]),
    share: Option<i64>,
) {
    let texts = call.iter().filter(|row| row.form != Form::Call && is_stubbed(row, share));
    texts.for_each(|row| out.left_out(row, "shown as a stub"));
    write(out, call, share, &Ids::default());
    let calls = call.iter().filter(|row| row.form == Form::Call);
    for row in calls.chain(replies.iter().copied().flatten()) {
        out.left_out(row, why);
    }
}

/// Returns the tokens of a unit as it is rendered.
pub fn cost(placed: &Placed<'_>, window: &Window<'_>, count: &dyn Fn(&str) -> i64) -> i64 {
    let (share, format) = (share(placed, window.plan), window.plan.format);
    match &placed.unit {
        Unit::Note(note) => count(&in_place(note, share)) + MESSAGE_TOKENS,
        Unit::Plain(turn) if is_hollow(turn, format) => 0,
        Unit::Plain(turn) if share.is_none() => stored(turn),
        Unit::Plain(turn) => turn_cost(turn, share, format, count),
        // Escaping adds tokens that the stored counts do not include.
        Unit::Attributed(turn) if turn.iter().any(|row| escaped(&row.text) != row.text) => {
            count(&attributed(turn, window, share)) + MESSAGE_TOKENS
        }
        Unit::Attributed(turn) => {
            let around = count(&heading(&turn[0], window)) + count("</turn>") + 2;
            turn_cost(turn, share, format, count) + around + 4 * turn.len() as i64
        }
        Unit::Batch { call, fate: Fate::GivenUp, .. } => given_up_cost(call, share, count),
        Unit::Batch { call, replies, fate } => {
            let replies: i64 =
                replies.iter().map(|turn| turn_cost(turn, share, format, count)).sum();
            let closing = match (fate, window.plan.dangling) {
                (Fate::Open, Dangling::Close) => {
                    let ids: i64 =
                        Ids::of(call, format, &mut HashSet::new()).values().map(count).sum();
                    ids + (count(NO_REPLY) + MESSAGE_TOKENS) * call.len() as i64
                }
                _ => 0,
            };
            turn_cost(call, share, format, count) + replies + closing
        }
    }
}

fn given_up_cost(call: Turn<'_>, share: Option<i64>, count: &dyn Fn(&str) -> i64) -> i64 {
    let texts = call.iter().filter(|row| row.form != Form::Call && !row.text.is_empty());
    let cost: i64 = texts.map(|row| count_shown(row, share, count)).sum();
    if cost == 0 { 0 } else { cost + MESSAGE_TOKENS + shape_tokens(call) }
}
