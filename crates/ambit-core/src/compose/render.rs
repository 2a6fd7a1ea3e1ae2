//! Rendering: units become messages of the wire format, with their tokens and receipts.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use serde_json::value::RawValue;

use super::stub::{handle, stub};
use super::unit::{Fate, Placed, Turn, Unit, stored};
use super::window::Window;
use super::{Dangling, LayerReceipt, LeftOut, NoteShown, Plan, Shown, shape_of};
use crate::wire::{MESSAGE_TOKENS, forgotten, openai};
use crate::{Form, Kind, Role, rfc3339};

/// The first line of the layer of notes.
pub const EPISODIC_MEMORY: &str = "[EPISODIC MEMORY]";

/// What was rendered so far.
#[derive(Default)]
pub struct Output {
    pub messages: Vec<Box<RawValue>>,
    pub ids: Vec<Option<String>>,
    pub layers: Vec<LayerReceipt>,
    pub left_out: Vec<LeftOut>,
}

impl Output {
    fn push(&mut self, json: String, id: Option<String>) {
        // What is rendered is JSON by construction.
        if let Ok(raw) = RawValue::from_string(json) {
            self.messages.push(raw);
            self.ids.push(id);
        }
    }

    fn push_turn(&mut self, json: String, turn: Turn<'_>) {
        self.push(json, turn.first().map(|row| row.turn.to_string()));
    }

    fn layer(&mut self, name: &'static str, items: i64, tokens: i64) {
        self.layers.push(LayerReceipt { name, items, tokens });
    }

    fn left_out(&mut self, row: &Shown, why: &'static str) {
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
    out.push(openai::plain(Role::System, &system.text), None);
    out.layer("system", 1, system.tokens + MESSAGE_TOKENS);
}

/// Layer 2: the last notes, newest kept where the cap is reached.
pub fn notes(out: &mut Output, window: &Window<'_>, count: &dyn Fn(&str) -> i64) {
    let notes = window.layer_notes();
    let cap = window.plan.notes_cap;
    let mut left = cap - MESSAGE_TOKENS - count(EPISODIC_MEMORY);
    let mut lines = Vec::new();
    let mut full = false;
    for note in notes.iter().rev() {
        if full {
            out.left_out.push(note_left_out(note, "over notes_tokens_max"));
            continue;
        }
        let mut line = note_line(note, &note_text(note));
        let mut tokens = count(&line) + 1;
        if tokens > left {
            let handle = handle(note.seq, 0, &note.key);
            line = note_line(note, &format!("({tokens} tokens; read {handle} gives them)"));
            tokens = count(&line) + 1;
            out.left_out.push(note_left_out(note, "over notes_tokens_max"));
        }
        // Once a note does not fit, not even as a stub, older ones do not stand in for it.
        full = tokens > left;
        if !full {
            left -= tokens;
            lines.push(line);
        }
    }
    if lines.is_empty() {
        out.layer(Kind::Note.policy().layer.name(), 0, 0);
        return;
    }
    lines.reverse();
    let text = format!("{EPISODIC_MEMORY}\n{}", lines.join("\n"));
    out.push(openai::plain(Role::System, &text), None);
    let layer = Kind::Note.policy().layer.name();
    out.layer(layer, lines.len() as i64, count(&text) + MESSAGE_TOKENS);
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

/// A note's text with the way it goes, as it was written.
pub fn note_text(note: &NoteShown) -> String {
    let text = &note.text;
    match &note.way {
        Some((true, scope)) => format!("[→ {scope}] {text}"),
        Some((false, scope)) => format!("[← {scope}] {text}"),
        None => text.clone(),
    }
}

/// Folds line ends and control characters into single spaces.
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

/// Layer 3: pinned turns and the window.
pub fn messages(out: &mut Output, window: &Window<'_>) {
    let (before, mut tokens) = (out.messages.len(), 0);
    for pinned in window.pinned() {
        if let Some(json) = plain(pinned.turn, pinned.share) {
            out.push_turn(json, pinned.turn);
            tokens += pinned.cost;
        }
        let cut = pinned.turn.iter().filter(|row| is_stubbed(row, pinned.share));
        cut.for_each(|row| out.left_out(row, "over pinned_tokens_max"));
    }
    cut_off(out, window);
    for (index, unit) in window.shown() {
        tokens += window.cost(index);
        render_unit(out, window, index, unit);
    }
    withheld(out, window);
    let layer = Kind::Message.policy().layer.name();
    out.layer(layer, (out.messages.len() - before) as i64, tokens);
}

/// The receipt for what stands before the window: one line, however much it is.
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

/// The receipts for what waits behind an open call.
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
            let json = openai::plain(Role::System, &in_place(note, share));
            out.push(json, Some(note.hash.short()));
        }
        Unit::Plain(turn) => {
            note_stubs(out, turn, share);
            match plain(turn, share) {
                Some(json) => out.push_turn(json, turn),
                None => turn.iter().for_each(|row| out.left_out(row, "empty")),
            }
        }
        Unit::Attributed(turn) => {
            note_stubs(out, turn, share);
            let json = openai::plain(Role::User, &attributed(turn, window, share));
            out.push_turn(json, turn);
        }
        Unit::Batch { call, replies, fate } => {
            let closed = window.dangling == Some(index);
            if *fate == Fate::GivenUp || (*fate == Fate::Open && !closed) {
                given_up(out, call, replies, share);
            } else {
                batch(out, window.plan, call, replies, share);
            }
        }
    }
}

/// What a block may cost before a stub stands for it: its equal share of the step, in a unit that
/// is larger than a step.
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

/// What a stub costs itself: a text no longer than that is shown, for a stub would only add to it.
const STUB_TOKENS: i64 = 24;

/// The text alone counts: the message's own tokens, which the first block bears, cannot be cut.
fn is_stubbed(row: &Shown, share: Option<i64>) -> bool {
    share.is_some_and(|share| row.text_tokens > share.max(STUB_TOKENS))
}

fn shown_text(row: &Shown, share: Option<i64>) -> Cow<'_, str> {
    match row.form {
        _ if row.forgotten.is_some() => Cow::Borrowed(&row.text),
        // Media has no text to cut; what stands for it must be a part of its own.
        Form::Media | Form::Other if is_stubbed(row, share) => Cow::Owned(text_part(&stub(row))),
        // A part that providers do not take from this role is named in its place.
        Form::Media | Form::Other if !openai::holds(row.role, &row.text) => {
            let handle = handle(row.turn, row.block, &row.key);
            Cow::Owned(text_part(&format!("[{} {handle}]", row.form.as_str())))
        }
        _ if is_stubbed(row, share) => Cow::Owned(stub(row)),
        _ => Cow::Borrowed(&row.text),
    }
}

fn text_part(text: &str) -> String {
    format!("{{\"type\":\"text\",\"text\":{}}}", serde_json::Value::from(text))
}

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

/// A note in its place: a message in the layer's form.
fn in_place(note: &NoteShown, share: Option<i64>) -> String {
    let text = match share {
        Some(_) => format!("(read {} gives it)", handle(note.seq, 0, &note.key)),
        None => note_text(note),
    };
    format!("{EPISODIC_MEMORY}\n{}", note_line(note, &text))
}

/// Whether nothing of a turn is left that a provider would take.
pub fn is_hollow(turn: Turn<'_>) -> bool {
    turn.iter().all(|row| row.text.is_empty()) && plain(turn, None).is_none()
}

fn plain(turn: Turn<'_>, share: Option<i64>) -> Option<String> {
    message(turn, share, true, &[])
}

fn message(
    turn: Turn<'_>,
    share: Option<i64>,
    calls: bool,
    call_ids: &[Option<String>],
) -> Option<String> {
    let first = turn.first()?;
    let texts: Vec<Cow<'_, str>> = turn.iter().map(|row| shown_text(row, share)).collect();
    let texts: Vec<Option<&str>> = texts.iter().map(|text| Some(text.as_ref())).collect();
    let (role, shape) = (first.role, shape_of(turn));
    let shape = shape.as_deref();
    let bare = is_bare(turn, share);
    openai::render(&openai::Parts { role, shape, texts: &texts, calls, call_ids, bare })
}

/// Calls and replies together. Ids that repeat within a batch are told apart.
fn batch(out: &mut Output, plan: &Plan, call: Turn<'_>, replies: &[Turn<'_>], share: Option<i64>) {
    let ids = distinct_ids(call);
    let renamed: Vec<_> =
        ids.iter().map(|(original, id)| (original != id).then(|| id.clone())).collect();
    note_stubs(out, call, share);
    if let Some(json) = message(call, share, true, &renamed) {
        out.push_turn(json, call);
    }
    let calls: Vec<_> = call.iter().filter(|row| row.form == Form::Call).collect();
    let place: HashMap<_, _> = calls.iter().enumerate().map(|(at, row)| (row.item, at)).collect();
    for reply in replies {
        let index = reply[0].call.and_then(|item| place.get(&item).copied());
        let id = index.and_then(|index| match reply[0].shapeless {
            true => ids.get(index).map(|(_, shown)| shown.clone()),
            false => renamed.get(index).cloned().flatten(),
        });
        note_stubs(out, reply, share);
        if let Some(json) = message(reply, share, true, &[id]) {
            out.push_turn(json, reply);
        }
    }
    if plan.dangling != Dangling::Close {
        return;
    }
    let answered: HashSet<_> = replies.iter().filter_map(|reply| reply[0].call).collect();
    for (row, (_, id)) in calls.iter().zip(&ids) {
        if !answered.contains(&row.item) {
            out.push(openai::reply(id, NO_REPLY), None);
        }
    }
}

/// The synthetic reply that closes a dangling call.
const NO_REPLY: &str = "[no reply was recorded]";

/// The calls' ids as they were and as they are shown: unique and not empty, derived from what they
/// were, so that they never change.
fn distinct_ids(call: Turn<'_>) -> Vec<(String, String)> {
    let mut seen = HashSet::new();
    let mut copies: HashMap<String, usize> = HashMap::new();
    let ids = openai::calls(shape_of(call).as_deref());
    ids.into_iter()
        .enumerate()
        .map(|(index, (id, _))| {
            let mut shown = id.clone();
            if shown.is_empty() {
                shown = format!("call_{}_{index}", call[0].turn);
            }
            while !seen.insert(shown.clone()) {
                let copy = copies.entry(id.clone()).or_insert(1);
                *copy += 1;
                shown = format!("{id}-{copy}");
            }
            (id, shown)
        })
        .collect()
}

/// A chain that will never be whole: the turn's text stays.
fn given_up(out: &mut Output, call: Turn<'_>, replies: &[Turn<'_>], share: Option<i64>) {
    let texts = call.iter().filter(|row| row.form != Form::Call && is_stubbed(row, share));
    texts.for_each(|row| out.left_out(row, "shown as a stub"));
    if let Some(json) = message(call, share, false, &[]) {
        out.push_turn(json, call);
    }
    let calls = call.iter().filter(|row| row.form == Form::Call);
    for row in calls.chain(replies.iter().copied().flatten()) {
        out.left_out(row, "its chain was given up");
    }
}

/// Somebody else's turn, or a reply without its call: text in a block that says whose it is, and
/// that the text cannot close.
fn attributed(turn: Turn<'_>, window: &Window<'_>, share: Option<i64>) -> String {
    let first = &turn[0];
    let names = openai::calls(shape_of(turn).as_deref());
    let mut names = names.into_iter().map(|(_, name)| name);
    let mut lines = vec![heading(first, window)];
    for row in turn {
        let text = match row.form {
            Form::Media | Form::Other if row.forgotten.is_some() => forgotten::MARK.to_string(),
            Form::Media | Form::Other if row.text.is_empty() => continue,
            Form::Media | Form::Other => {
                format!("[{} {}]", row.form.as_str(), handle(row.turn, row.block, &row.key))
            }
            Form::Call => {
                let name = names.next().unwrap_or_default();
                format!("[calls {name}: {}]", shown_text(row, share))
            }
            Form::Text | Form::Reply => shown_text(row, share).into_owned(),
        };
        lines.push(escaped(&text).into_owned());
    }
    lines.push("</turn>".to_string());
    lines.join("\n")
}

/// A text that neither closes nor opens a block.
fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains("<turn") && !text.contains("</turn") {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace("</turn", "<\\/turn").replace("<turn", "<\\turn"))
}

fn heading(first: &Shown, window: &Window<'_>) -> String {
    let author = window.items.authors.get(&first.author);
    let name = author.map_or("", |author| author.name.as_str());
    let name = name.replace('"', "'").replace('<', "‹");
    let date = rfc3339(first.time);
    format!("<turn author=\"{name}\" role=\"{}\" date=\"{date}\">", first.role.as_str())
}

/// What a unit costs as it is rendered.
pub fn cost(placed: &Placed<'_>, window: &Window<'_>, count: &dyn Fn(&str) -> i64) -> i64 {
    let share = share(placed, window.plan);
    match &placed.unit {
        Unit::Note(note) => count(&in_place(note, share)) + MESSAGE_TOKENS,
        Unit::Plain(turn) if is_hollow(turn) => 0,
        Unit::Plain(turn) if share.is_none() => stored(turn),
        Unit::Plain(turn) => turn_cost(turn, share, count),
        // What keeps a text from closing its block costs tokens that no stored count knows.
        Unit::Attributed(turn) if turn.iter().any(|row| escaped(&row.text) != row.text) => {
            count(&attributed(turn, window, share)) + MESSAGE_TOKENS
        }
        Unit::Attributed(turn) => {
            let around = count(&heading(&turn[0], window)) + count("</turn>") + 2;
            turn_cost(turn, share, count) + around + 4 * turn.len() as i64
        }
        Unit::Batch { call, fate: Fate::GivenUp, .. } => given_up_cost(call, share, count),
        Unit::Batch { call, replies, fate } => {
            let replies: i64 = replies.iter().map(|turn| turn_cost(turn, share, count)).sum();
            let closing = match (fate, window.plan.dangling) {
                (Fate::Open, Dangling::Close) => {
                    let ids: i64 = distinct_ids(call).iter().map(|(_, id)| count(id)).sum();
                    ids + (count(NO_REPLY) + MESSAGE_TOKENS) * call.len() as i64
                }
                _ => 0,
            };
            turn_cost(call, share, count) + replies + closing
        }
    }
}

fn given_up_cost(call: Turn<'_>, share: Option<i64>, count: &dyn Fn(&str) -> i64) -> i64 {
    let texts = call.iter().filter(|row| row.form != Form::Call && !row.text.is_empty());
    let cost: i64 = texts.map(|row| count_shown(row, share, count)).sum();
    if cost == 0 { 0 } else { cost + MESSAGE_TOKENS + shape_tokens(call) }
}

/// Whether a turn's unknown fields are left out: they cannot be cut, and are over their share.
fn is_bare(turn: Turn<'_>, share: Option<i64>) -> bool {
    let shapeless = turn.first().is_some_and(|row| row.shapeless);
    !shapeless && share.is_some_and(|share| shape_tokens(turn) > share.max(STUB_TOKENS))
}

fn shape_tokens(turn: Turn<'_>) -> i64 {
    (stored(turn) - turn.iter().map(|row| row.text_tokens).sum::<i64>() - MESSAGE_TOKENS).max(0)
}

pub fn turn_cost(turn: Turn<'_>, share: Option<i64>, count: &dyn Fn(&str) -> i64) -> i64 {
    if share.is_none() {
        return stored(turn);
    }
    if is_bare(turn, share) {
        let shown = message(turn, share, true, &[]).unwrap_or_default();
        return count(&shown) + MESSAGE_TOKENS;
    }
    let texts: i64 = turn.iter().map(|row| count_shown(row, share, count)).sum();
    texts + MESSAGE_TOKENS + shape_tokens(turn)
}

fn count_shown(row: &Shown, share: Option<i64>, count: &dyn Fn(&str) -> i64) -> i64 {
    if is_stubbed(row, share) { count(&stub(row)) } else { row.text_tokens }
}
