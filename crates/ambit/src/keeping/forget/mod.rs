//! `forget`: takes texts out for good. A selection is read first and shown; then it is forgotten in
//! batches, each a transaction, so that the same command goes on where one was interrupted.

mod select;

use std::collections::BTreeMap;

use ambit_core::{
    Answer, Bearers, Class, Command, ContentNo, FORGET_BATCH, Forget, ForgetAnswer, ItemNo, Needs,
    ScopeNo, State, TextUse,
};
use ambit_store::Snapshot;
use serde::Serialize;

use crate::conversation::reading::author;
use crate::engine::{read_state, unexpected};
use crate::{Caller, Engine, Result};
use select::Selected;
pub(crate) use select::actor_named;

/// What to forget: things by their names, or all that the other fields agree on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Handles, blocks, turns, or notes' hashes.
    pub names: Vec<String>,
    /// All that a scope shows or showed.
    pub within: Option<String>,
    /// All that an actor wrote.
    pub by: Option<String>,
    /// All whose text contains this.
    pub containing: Option<String>,
    /// All whose text has every word of this.
    pub search: Option<String>,
}

/// What is or would be forgotten.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct ForgetReport {
    /// False for a preview.
    pub done: bool,
    /// Blocks of messages, and notes, that show a mark from now on.
    pub blocks: i64,
    pub notes: i64,
    /// Versions of objects that go.
    pub versions: i64,
    /// Turns whose other fields go too.
    pub shapes: i64,
    /// Texts that are gone, and those that stay because others bear them too.
    pub texts: i64,
    pub kept: i64,
    /// Where the marks stand, and how many are out of sight everywhere.
    pub scopes: Vec<ForgetScope>,
    pub hidden: i64,
    /// A few of the texts; none once they are gone.
    pub snippets: Vec<Snippet>,
    /// Turns of which only some blocks go: their other fields stay.
    pub partly: Vec<i64>,
    /// Names of scopes and actors that contain the text: they cannot be forgotten.
    pub names: Vec<String>,
    /// What forgetting does not reach.
    pub cannot_reach: Vec<String>,
    /// The event that forgot the last of it.
    pub head: Option<i64>,
    /// Whether the store's own files are free of it: false where a reader was in the way.
    pub scrubbed: Option<bool>,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct ForgetScope {
    /// Null for insights, which stand in every scope.
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
    /// What `forget` would do. Changes nothing.
    pub fn forget_preview(
        &self,
        caller: &Caller,
        selection: &Selection,
        progress: &dyn Fn(i64),
    ) -> Result<ForgetReport> {
        Ok(self.select(caller, selection, progress)?.1)
    }

    /// Forgets what is selected. `progress` is given how many events were read, then how many items
    /// and turns are done.
    pub fn forget(
        &self,
        caller: &Caller,
        selection: &Selection,
        progress: &dyn Fn(i64),
    ) -> Result<ForgetReport> {
        let words = format!("{selection:?}");
        if let Some(first) = self.forgot_before(caller, &words)? {
            return self.forgot(ForgetReport::done(&first));
        }
        let (selected, mut report) = self.select(caller, selection, progress)?;
        let batches = selected.batches();
        let unkeyed = Caller { key: None, ..caller.clone() };
        let mut so_far = none();
        let mut done = 0;
        for (index, what) in batches.iter().enumerate() {
            // The key stands for all of it, so it comes with the last batch.
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
        self.forgot(ForgetReport { kept: report.kept, ..report.follow(&so_far) })
    }

    /// Finishes a report: the store's files give up what was deleted.
    fn forgot(&self, report: ForgetReport) -> Result<ForgetReport> {
        let scrubbed = Some(self.store.scrub()?);
        Ok(ForgetReport { scrubbed, cannot_reach: self.cannot_reach(), ..report })
    }

    /// The first answer under the caller's key. What is selected depends on what is still there, so
    /// it is asked for before anything is.
    fn forgot_before(&self, caller: &Caller, words: &str) -> Result<Option<ForgetAnswer>> {
        let selection = words.to_string();
        let command =
            Command::Forget(Forget { what: Bearers::default(), so_far: none(), selection });
        match self.kept(caller, &command)? {
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

/// Nothing forgotten yet.
fn none() -> ForgetAnswer {
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

/// Counts what a selection comes to, batch by batch.
fn preview(
    snapshot: &mut dyn Snapshot,
    needs: &Needs,
    state: &State,
    selected: &Selected,
) -> Result<ForgetReport> {
    let mut report = ForgetReport { done: false, ..ForgetReport::done(&none()) };
    let mut texts: BTreeMap<ContentNo, (TextUse, i64)> = BTreeMap::new();
    let mut scopes: BTreeMap<ScopeNo, i64> = BTreeMap::new();
    let all = (selected.items.len() + selected.shapes.len()) as i64;
    for mut what in selected.batches() {
        what.uses_max = all + 1;
        let forget = Needs { selected: what, all_scopes: false, ..needs.clone() };
        let found = snapshot.state(&forget)?.selected;
        for (content, borne) in found.borne() {
            let text = found.texts.get(&content).copied().unwrap_or(TextUse { tokens: 0, uses: 0 });
            texts.entry(content).or_insert((text, 0)).1 += borne;
        }
        for it in found.bearing() {
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
        report.shapes += found.shapely().count() as i64;
    }
    let gone = texts.values().filter(|(text, borne)| text.uses <= *borne).count();
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
    /// What one transaction takes at a time.
    fn batches(&self) -> Vec<Bearers> {
        let items = self.items.iter().map(|item| (Some(*item), None));
        let all: Vec<_> = items.chain(self.shapes.iter().map(|turn| (None, Some(*turn)))).collect();
        let batch = |part: &[(Option<ItemNo>, Option<i64>)]| Bearers {
            items: part.iter().filter_map(|(item, _)| *item).collect(),
            shapes: part.iter().filter_map(|(_, turn)| *turn).collect(),
            uses_max: part.len() as i64 + 1,
        };
        all.chunks(FORGET_BATCH).map(batch).collect()
    }
}
