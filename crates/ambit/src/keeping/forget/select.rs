//! Resolves a selection to items, and to turns for the rest of their message.

use std::collections::BTreeSet;

use ambit_core::search::Query;
use ambit_core::{
    ActorNo, ActorRefusal, Appended, ContentNo, ContentRef, FORGET_BATCH, ForgetSelection, Forked,
    ItemNo, Logged, Needs, Noted, ObjectPut, Refusal, Registered, ScopeCreated, ScopeNo, State,
    What,
};
use ambit_store::{Objects, Snapshot};
use ambit_text::terms::words;
use ambit_wire::json::Json;

use super::Selection;
use crate::conversation::reading::{Name, find_note, no_such};
use crate::{Error, ForgetRefusal, QuestionRefusal, Result};

/// The number of rows read at a time.
const PAGE: i64 = 1_000;

#[derive(Debug, Default)]
pub(super) struct Selected {
    pub items: BTreeSet<ItemNo>,
    pub shapes: BTreeSet<i64>,
    /// Turns of which only some blocks were named.
    pub partly: BTreeSet<i64>,
    /// Versions of objects among the items.
    objects: BTreeSet<ItemNo>,
    /// Names of scopes and actors that contain the text.
    pub labels: Vec<String>,
}

pub(super) fn select(
    snapshot: &mut dyn Snapshot,
    state: &State,
    selection: &Selection,
    progress: &dyn Fn(i64),
) -> Result<Selected> {
    let Selection { names, within, by, containing, search } = selection;
    let filtered = within.is_some() || by.is_some() || containing.is_some() || search.is_some();
    if names.is_empty() != filtered {
        return Err(ForgetRefusal::Nothing.into());
    }
    if containing.as_ref().is_some_and(String::is_empty) {
        return Err(ForgetRefusal::EmptyText.into());
    }
    let words = search.as_ref().map(|words| Query::of(words));
    if words.as_ref().is_some_and(|query| query.words.is_empty()) {
        return Err(QuestionRefusal::NoWords.into());
    }
    let mut selected = Selected::default();
    for name in names {
        selected.named(snapshot, state, name)?;
    }
    if !filtered {
        return Ok(selected);
    }
    let scope = match within {
        Some(name) => Some(state.scope_named(name)?.scope),
        None => None,
    };
    let filter = Filter {
        author: match by {
            Some(name) => Some(actor_named(snapshot, state, name)?),
            None => None,
        },
        texts: match (containing, &words) {
            (None, None) => None,
            (text, words) => Some(matching_texts(snapshot, &|bytes| {
                text.as_ref().is_none_or(|text| contains_text(bytes, text))
                    && words.as_ref().is_none_or(|words| has_all_words(bytes, words))
            })?),
        },
        label: containing.clone(),
    };
    match scope {
        Some(scope) => {
            let versions = versions_in(snapshot, scope)?;
            let items = snapshot.items_in(scope)?.union(&versions).copied().collect();
            selected.of_items(snapshot, &items, &filter)?;
            // Objects that also belong to another scope are kept.
            selected.objects.retain(|item| !versions.contains(item));
            selected.items.retain(|item| !selected.objects.contains(item));
        }
        None => selected.of_log(snapshot, &filter, progress)?,
    }
    Ok(selected)
}

pub(crate) fn actor_named(
    snapshot: &mut dyn Snapshot,
    state: &State,
    name: &str,
) -> Result<ActorNo> {
    let needs = Needs { actor: name.to_string(), ..Needs::default() };
    let found = match &state.actor {
        Some(actor) if actor.name == name || actor.id == name => Some(actor.actor),
        _ => snapshot.state(&needs)?.actor.map(|actor| actor.actor),
    };
    let missing = || Refusal::from(ActorRefusal::Missing { name: name.into() });
    Ok(found.ok_or_else(missing)?)
}

/// The conditions that every selected text meets.
struct Filter {
    author: Option<ActorNo>,
    texts: Option<BTreeSet<ContentNo>>,
    label: Option<String>,
}

impl Filter {
    fn matches(&self, author: ActorNo, content: ContentNo) -> bool {
        self.author.is_none_or(|by| by == author)
            && self.texts.as_ref().is_none_or(|texts| texts.contains(&content))
    }
}

impl Selected {
    /// Selects one thing by its name; for an object, all versions.
    fn named(&mut self, snapshot: &mut dyn Snapshot, state: &State, name: &str) -> Result<()> {
        if let Some(object) = snapshot.object(name)? {
            // Older vaults have object names that can also mean something else. Deletion is
            // permanent, so an ambiguous name is refused.
            if Name::parse(&name.to_ascii_lowercase()).is_some() {
                return Err(ForgetRefusal::Ambiguous { name: name.into(), id: object.id }.into());
            }
            return self.of_object(snapshot, object.item);
        }
        let lower = name.to_ascii_lowercase();
        let (turn, block, key) = match Name::parse(&lower) {
            Some(Name::Turn(turn)) => (turn, None, None),
            Some(Name::Block { turn, block, key }) => (turn, Some(block), key),
            Some(Name::Note(prefix)) => match (find_note(snapshot, &prefix)?, prefix.parse()) {
                (Some(note), _) => (note.seq, None, None),
                (None, Ok(turn)) => (turn, None, None),
                (None, Err(_)) => return Err(name_refusal(snapshot, state, name)?),
            },
            None => return Err(name_refusal(snapshot, state, name)?),
        };
        let rows = snapshot.blocks(turn)?;
        let fits = |row: &&ambit_core::compose::Shown| {
            let handle = ambit_core::compose::handle(turn, row.block, &row.key);
            block.is_none_or(|block| block == row.block)
                && (key.is_none() || row.forgotten.is_some() || handle == lower)
        };
        let taken: Vec<_> = rows.iter().filter(fits).map(|row| row.item).collect();
        if taken.is_empty() {
            return Err(no_such(name));
        }
        self.items.extend(taken);
        let whole = rows.iter().all(|row| self.items.contains(&row.item));
        let has_rest = rows.first().is_some_and(|row| row.shape.is_some());
        if block.is_none() {
            self.shapes.insert(turn);
        }
        // The rest belongs to the turn. A caller that names only a block is warned that the rest
        // stays.
        match has_rest && !self.shapes.contains(&turn) && (block.is_some() || !whole) {
            true => drop(self.partly.insert(turn)),
            false => drop(self.partly.remove(&turn)),
        }
        Ok(())
    }

    fn of_object(&mut self, snapshot: &mut dyn Snapshot, object: ItemNo) -> Result<()> {
        self.items.extend(all_versions(snapshot, object)?);
        Ok(())
    }

    /// Selects the items that match the filter, with the rests of their turns.
    fn of_items(
        &mut self,
        snapshot: &mut dyn Snapshot,
        items: &BTreeSet<ItemNo>,
        filter: &Filter,
    ) -> Result<()> {
        let items: Vec<_> = items.iter().copied().collect();
        for part in items.chunks(FORGET_BATCH) {
            let selected = ForgetSelection {
                items: part.iter().copied().collect(),
                ..ForgetSelection::default()
            };
            let found = snapshot.state(&Needs { selected, ..Needs::default() })?.selected.items;
            let by = found.iter().filter(|it| filter.matches_author(it.row.author));
            let shapes = by.map(|it| it.row.turn).collect();
            for it in &found {
                if filter.matches(it.row.author, it.row.content) {
                    self.items.insert(it.row.item);
                    self.objects.extend(it.row.object.map(|_| it.row.item));
                }
            }
            let selected = ForgetSelection { shapes, ..ForgetSelection::default() };
            for it in snapshot.state(&Needs { selected, ..Needs::default() })?.selected.shapes {
                if filter.texts.as_ref().is_none_or(|texts| texts.contains(&it.shape)) {
                    self.shapes.insert(it.turn);
                }
            }
        }
        Ok(())
    }

    /// Selects everything in the log that matches the filter.
    fn of_log(
        &mut self,
        snapshot: &mut dyn Snapshot,
        filter: &Filter,
        progress: &dyn Fn(i64),
    ) -> Result<()> {
        let mut after = 0;
        loop {
            let page = snapshot.events(after, PAGE)?;
            let Some(last) = page.last() else {
                return Ok(());
            };
            after = last.seq;
            for stored in page {
                let seq = stored.seq;
                let logged = stored
                    .parse()
                    .map_err(|error| Error::damaged(format!("event {seq}: {error}")))?;
                self.of_event(&logged, filter);
            }
            progress(after);
        }
    }

    fn of_event(&mut self, logged: &Logged, filter: &Filter) {
        let event = &logged.event;
        let matches = |text: &ContentRef| filter.matches(event.actor, text.content);
        let label = |name: &String| {
            let contains = filter.label.as_ref().is_some_and(|text| name.contains(text.as_str()));
            contains.then(|| name.clone())
        };
        match &event.body.what {
            What::Appended(Appended { blocks, shape, .. }) => {
                let taken = blocks.iter().filter(|block| matches(&block.text));
                self.items.extend(taken.map(|block| block.item));
                if shape.as_ref().is_some_and(matches) {
                    self.shapes.insert(event.seq);
                }
            }
            What::Noted(Noted { item, text, .. }) if matches(text) => {
                self.items.insert(*item);
            }
            What::Put(ObjectPut { item, text, named, .. }) => {
                self.items.extend(matches(text).then_some(*item));
                self.labels.extend(named.as_ref().and_then(|named| label(&named.name)));
            }
            What::Registered(Registered { name, .. })
            | What::ScopeCreated(ScopeCreated { name, .. })
            | What::Forked(Forked { name, .. }) => self.labels.extend(label(name)),
            _ => {}
        }
    }
}

fn all_versions(snapshot: &mut dyn Snapshot, object: ItemNo) -> Result<Vec<ItemNo>> {
    let versions = snapshot.versions(object, i64::MAX, i64::MAX)?;
    Ok(versions.into_iter().map(|version| version.item).collect())
}

/// Returns the versions of the objects that belong to this scope only.
fn versions_in(snapshot: &mut dyn Snapshot, scope: ScopeNo) -> Result<BTreeSet<ItemNo>> {
    let mut all = BTreeSet::new();
    let which = Objects { scope: Some(scope), limit: i64::MAX, ..Objects::default() };
    for object in snapshot.objects(&which)? {
        if snapshot.object_places(object.item)?.iter().all(|place| place.scope == scope) {
            all.extend(all_versions(snapshot, object.item)?);
        }
    }
    Ok(all)
}

impl Filter {
    fn matches_author(&self, author: ActorNo) -> bool {
        self.author.is_none_or(|by| by == author)
    }
}

/// Returns why a name cannot be forgotten: it is unknown, or names a scope or an actor.
fn name_refusal(snapshot: &mut dyn Snapshot, state: &State, name: &str) -> Result<Error> {
    let needs = Needs { actor: name.to_string(), ..Needs::default() };
    Ok(if state.find_scope(name).is_some() {
        ForgetRefusal::ScopeName { name: name.into() }.into()
    } else if snapshot.state(&needs)?.actor.is_some() {
        ForgetRefusal::ActorName { name: name.into() }.into()
    } else {
        no_such(name)
    })
}

/// Returns whether a text has every word of a query. Checks the text itself and not the index,
/// because deletion is permanent.
fn has_all_words(text: &[u8], query: &Query) -> bool {
    let mut missing: BTreeSet<&str> = query.words.iter().map(|word| word.text.as_str()).collect();
    words(text, &mut |word| {
        missing.remove(String::from_utf8_lossy(word).as_ref());
    });
    missing.is_empty()
}

/// Returns the texts that match.
fn matching_texts(
    snapshot: &mut dyn Snapshot,
    fits: &dyn Fn(&[u8]) -> bool,
) -> Result<BTreeSet<ContentNo>> {
    let (mut found, mut after) = (BTreeSet::new(), ContentNo(0));
    loop {
        let page = snapshot.contents(after, PAGE)?;
        let Some(last) = page.last() else {
            return Ok(found);
        };
        after = last.content;
        let fit = page.iter().filter(|content| fits(&content.text));
        found.extend(fit.map(|content| content.content));
    }
}

/// Returns whether a text contains another: literally, or in the strings of its JSON, where line
/// ends and quotes are escaped.
fn contains_text(text: &[u8], sought: &str) -> bool {
    let Ok(text) = std::str::from_utf8(text) else {
        return false;
    };
    text.contains(sought) || json_contains_text(text, sought, JSON_WITHIN_JSON_MAX)
}

/// How deeply JSON within strings of JSON is searched.
const JSON_WITHIN_JSON_MAX: usize = 4;

fn json_contains_text(text: &str, sought: &str, depth: usize) -> bool {
    // Without an escape, the text contains its strings literally.
    let is_json = text.trim_start().starts_with(['{', '[', '"']) && text.contains('\\');
    if depth == 0 || !is_json {
        return false;
    }
    fn any_string(value: &Json, found: &dyn Fn(&str) -> bool) -> bool {
        match value {
            Json::String(text) => found(text),
            Json::Array(list) => list.iter().any(|value| any_string(value, found)),
            Json::Object(fields) => {
                fields.iter().any(|(name, value)| found(name) || any_string(value, found))
            }
            _ => false,
        }
    }
    Json::parse(text).is_ok_and(|value| {
        any_string(&value, &|text| {
            text.contains(sought) || json_contains_text(text, sought, depth - 1)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::contains_text;

    #[test]
    fn texts_are_found_literally_and_within_json() {
        let arguments = r#"{"path":"a \"b\"","nested":"{\"k\":\"line\\none\"}"}"#;
        for sought in ["path", r#"a "b""#, "line\none", "nested"] {
            assert!(contains_text(arguments.as_bytes(), sought), "{sought}");
        }
        assert!(contains_text("caf\u{e9}".as_bytes(), "f\u{e9}"));
        assert!(contains_text(r#"["caf\u00e9"]"#.as_bytes(), "f\u{e9}"));
        assert!(!contains_text(br#"no json: \u00e9"#, "\u{e9}"));
        assert!(!contains_text(arguments.as_bytes(), "secret"));
    }
}
