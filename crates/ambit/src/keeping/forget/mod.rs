//! `forget`: deletes texts for good. The selection is read first and can be previewed. It is then
//! forgotten in batches, one transaction each; repeating an interrupted command continues it.

mod select;

use std::collections::BTreeMap;

use ambit_core::{
    Answer, Class, Command, ContentNo, FORGET_BATCH, Forget, ForgetAnswer, ForgetSelection, ItemNo,
    Needs, ScopeNo, State, TextUse,
};
use ambit_store::Snapshot;
use serde::Serialize;

use crate::conversation::reading::author;
use crate::engine::{read_state, unexpected};
use crate::{Caller, Engine, Result};
use select::Selected;
pub(crate) use select::actor_named;

/// What to forget: named things, or everything that matches all other fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Handles, blocks, turns, or notes' hashes.
    pub names: Vec<String>,
    /// Everything that a scope shows or showed.
    pub within: Option<String>,
    /// Everything that an actor wrote.
    pub by: Option<String>,
    /// Everything whose text contains this.
    pub containing: Option<String>,
    /// Everything whose text has every word of this.
    pub search: Option<String>,
}

/// What was forgotten, or would be.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct ForgetReport {
    /// False for a preview.
    pub done: bool,
    /// Blocks of messages, and notes, that are now shown as a mark.
    pub blocks: i64,
    pub notes: i64,
    /// Versions of objects that are forgotten.
    pub versions: i64,
    /// Turns whose other fields are forgotten too.
    pub shapes: i64,
    /// Texts that are deleted; `kept` counts those that other items still reference.
    pub texts: i64,
    pub kept: i64,
    /// The scopes with marks, and how many forgotten items are shown nowhere.
    pub scopes: Vec<ForgetScope>,
    pub hidden: i64,
    /// Samples of the texts; empty once they are deleted.
    pub snippets: Vec<Snippet>,
    /// Turns that lose only some blocks: their other fields stay.
    pub partly: Vec<i64>,
    /// Names of scopes and actors that contain the text: they cannot be forgotten.
    pub names: Vec<String>,
    /// Copies that `forget` cannot reach.
    pub cannot_reach: Vec<String>,
    /// The event that forgot the last batch.
    pub head: Option<i64>,
    /// Whether the store's files are scrubbed: false if a reader prevented it.
    pub scrubbed: Option<bool>,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct ForgetScope {
    /// Null for insights, which are shown in every scope.
    pub name: Option<String>,
    pub items: i64,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct Snippet {
    pub id: String,
    pub author: String,
    pub text: String,
}

/// How many texts a preview shows, and how much of each.
const SNIPPETS: usize = 5;
const SNIPPET_CHARS: usize = 60;

impl Engine {
    /// Reports what `forget` would do. Read-only.
    pub fn forget_preview(
        &self,
        caller: &Caller,
        selection: &Selection,
        progress: &dyn Fn(i64),
    ) -> Result<ForgetReport> {
        Ok(self.select(caller, selection, progress)?.1)
    }

    /// Forgets the selection. Calls `progress` with the number of events read, then with the
    /// number of items and turns done.
    pub fn forget(
        &self,
        caller: &Caller,
        selection: &Selection,
        progress: &dyn Fn(i64),
    ) -> Result<ForgetReport> {
        let words = format!("{selection:?}");
        if let Some(first) = self.earlier_answer(caller, &words)? {
            return self.scrub(ForgetReport::done(&first));
        }
        let (selected, mut report) = self.select(caller, selection, progress)?;
        let batches = selected.batches();
        let unkeyed = Caller { key: None, ..caller.clone() };
        let mut so_far = empty_answer();
        let mut done = 0;
        for (index, what) in batches.iter().enumerate() {
            // The idempotency key covers the whole command, so only the last batch stores it.
            let last = index + 1 == batches.len();
            let caller = if last { caller } else { &unkeyed };
            let selection = words.clone();
            let command = Command::Forget(Forget { what: what.clone(), so_far, selection });
            so_far = match self.run(caller, command)? {
                Answer::Forgot(answer) => answer,
                other => return Err(unexpected(&other)),
            };
            done += (what.items.len() + what.shapes.len()) as i64;
            progress(done);
        }
        report.snippets.clear();
        self.scrub(ForgetReport { kept: report.kept, ..report.follow(&so_far) })
    }

    /// Completes a report: scrubs the deleted text from the store's files.
    fn scrub(&self, report: ForgetReport) -> Result<ForgetReport> {
        let scrubbed = Some(self.store.scrub()?);
        Ok(ForgetReport { scrubbed, cannot_reach: self.cannot_reach(), ..report })
    }

    /// Returns the first answer under the caller's key. The selection depends on what still
    /// exists, so the key is looked up before anything is selected.
    fn earlier_answer(&self, caller: &Caller, words: &str) -> Result<Option<ForgetAnswer>> {
        let selection = words.to_string();
        let command = Command::Forget(Forget {
            what: ForgetSelection::default(),
            so_far: empty_answer(),
            selection,
        });
        match self.stored_answer(caller, &command)? {
            None => Ok(None),
            Some(Answer::Forgot(answer)) => Ok(Some(answer)),
            Some(other) => Err(unexpected(&other)),
        }
    }

    fn select(
        &self,
        caller: &Caller,
        selection: &Selection,
        progress: &dyn Fn(i64),
    ) -> Result<(Selected, ForgetReport)> {
        let context = self.context(caller);
        self.read(caller, &mut |snapshot| {
            let needs = Needs { all_scopes: true, ..Needs::of(&context) };
            let state = read_state(snapshot, &needs)?;
            if let Some(pin) = &context.pin {
                state.scope_named(pin)?;
            }
            let selected = select::select(snapshot, &state, selection, progress)?;
            let report = preview(snapshot, &needs, &state, &selected)?;
            let cannot_reach = self.cannot_reach();
            Ok((selected, ForgetReport { cannot_reach, ..report }))
        })
    }

    fn cannot_reach(&self) -> Vec<String> {
        let own = self.store.cannot_scrub().iter().map(ToString::to_string);
        own.chain(["exports, and what others have read or copied".to_string()]).collect()
    }
}

/// Returns an answer that counts nothing.
fn empty_answer() -> ForgetAnswer {
    ForgetAnswer::default()
}

impl ForgetReport {
    fn done(answer: &ForgetAnswer) -> ForgetReport {
        ForgetReport {
            done: true,
            blocks: 0,
            notes: 0,
            versions: 0,
            shapes: 0,
            texts: 0,
            kept: 0,
            scopes: Vec::new(),
            hidden: 0,
            snippets: Vec::new(),
            partly: Vec::new(),
            names: Vec::new(),
            cannot_reach: Vec::new(),
            head: None,
            scrubbed: None,
        }
        .follow(answer)
    }

    fn follow(self, answer: &ForgetAnswer) -> ForgetReport {
        ForgetReport {
            done: true,
            blocks: answer.blocks,
            notes: answer.notes,
            versions: answer.versions,
            shapes: answer.shapes,
            texts: answer.texts,
            head: Some(answer.head).filter(|head| *head > 0),
            ..self
        }
    }
}

/// Counts the effects of a selection, batch by batch.
fn preview(
    snapshot: &mut dyn Snapshot,
    needs: &Needs,
    state: &State,
    selected: &Selected,
) -> Result<ForgetReport> {
    let mut report = ForgetReport { done: false, ..ForgetReport::done(&empty_answer()) };
    let mut texts: BTreeMap<ContentNo, (TextUse, i64)> = BTreeMap::new();
    let mut scopes: BTreeMap<ScopeNo, i64> = BTreeMap::new();
    let all = (selected.items.len() + selected.shapes.len()) as i64;
    for mut what in selected.batches() {
        what.uses_max = all + 1;
        let forget = Needs { selected: what, all_scopes: false, ..needs.clone() };
        let found = snapshot.state(&forget)?.selected;
        for (content, selected) in found.text_uses() {
            let text = found.texts.get(&content).copied().unwrap_or(TextUse { tokens: 0, uses: 0 });
            texts.entry(content).or_insert((text, 0)).1 += selected;
        }
        for it in found.forgettable_items() {
            match it.row.kind.policy().class {
                Class::Block => report.blocks += 1,
                Class::Note => report.notes += 1,
                Class::Version => report.versions += 1,
            }
            report.hidden += i64::from(it.places.is_empty());
            it.places.iter().for_each(|place| *scopes.entry(place.scope).or_default() += 1);
            if report.snippets.len() < SNIPPETS {
                report.snippets.extend(snippet(snapshot, it.row.turn, it.row.item)?);
            }
        }
        report.shapes += found.forgettable_turns().count() as i64;
    }
    let gone = texts.values().filter(|(text, selected)| text.uses <= *selected).count();
    report.texts = gone as i64;
    report.kept = (texts.len() - gone) as i64;
    let name = |scope: ScopeNo| (scope != ScopeNo::VAULT).then(|| state.scope_name(scope));
    let scope = |(scope, items)| ForgetScope { name: name(scope), items };
    report.scopes = scopes.into_iter().map(scope).collect();
    report.partly = selected.partly.iter().copied().collect();
    report.names = selected.labels.clone();
    Ok(report)
}

fn snippet(snapshot: &mut dyn Snapshot, turn: i64, item: ItemNo) -> Result<Option<Snippet>> {
    let rows = snapshot.blocks(turn)?;
    let Some(row) = rows.into_iter().find(|row| row.item == item) else {
        return Ok(None);
    };
    let mut text: String = row.text.chars().take(SNIPPET_CHARS).collect();
    if text.len() < row.text.len() {
        text.push('…');
    }
    let id = format!("{turn}.{}", row.block);
    Ok(Some(Snippet { id, author: author(snapshot, row.author)?, text }))
}

impl Selected {
    /// Splits the selection into batches of one transaction each.
    fn batches(&self) -> Vec<ForgetSelection> {
        let items = self.items.iter().map(|item| (Some(*item), None));
        let all: Vec<_> = items.chain(self.shapes.iter().map(|turn| (None, Some(*turn)))).collect();
        let batch = |part: &[(Option<ItemNo>, Option<i64>)]| ForgetSelection {
            items: part.iter().filter_map(|(item, _)| *item).collect(),
            shapes: part.iter().filter_map(|(_, turn)| *turn).collect(),
            uses_max: part.len() as i64 + 1,
        };
        all.chunks(FORGET_BATCH).map(batch).collect()
    }
}
