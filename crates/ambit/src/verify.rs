//! `verify`: the chain, every content's key, and all rows against a rebuild from the log.

use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Unbounded};

use ambit_core::{Content, ContentNo, ContentRef, Hash, Logged, What, chain, key_of};
use ambit_store::{Error as StoreError, Rows, Snapshot};

use crate::answers::VerifyAnswer;
use crate::{Caller, Engine, Error, Result};

/// How many rows are read at a time.
const PAGE: i64 = 1_000;

impl Engine {
    /// Checks a vault from its first event on. `progress` is told how many events are done.
    pub fn verify(&self, caller: &Caller, progress: &dyn Fn(i64)) -> Result<VerifyAnswer> {
        let mut check = Check::default();
        let read = self.read(caller, &mut |snapshot| {
            check.log(snapshot, progress)?;
            check.contents(snapshot)?;
            if check.bad.is_none() {
                check.rows(snapshot)?;
            }
            Ok(())
        });
        match read {
            // What cannot be read is what this verb is asked to find.
            Err(Error::Store(StoreError::Damaged(problem))) => check.fail(None, problem),
            other => other?,
        }
        let (first_bad, problem) = match check.bad {
            Some((seq, problem)) => (seq, Some(problem)),
            None => (None, None),
        };
        Ok(VerifyAnswer {
            ok: problem.is_none(),
            events: check.rebuilt.vault.head_seq,
            contents: check.contents,
            digest: check.rebuilt.vault.head_hash.to_hex(),
            forgotten: check.forgotten.len() as i64,
            first_bad,
            problem,
        })
    }
}

#[derive(Default)]
struct Check {
    rebuilt: Rows,
    /// What each content must be, and the event that says so first.
    named: BTreeMap<ContentNo, (ContentRef, i64)>,
    contents: i64,
    /// The texts that are gone, and the event that says so.
    forgotten: BTreeMap<ContentNo, i64>,
    /// The first thing wrong, with the event at fault where one is.
    bad: Option<(Option<i64>, String)>,
}

impl Check {
    fn fail(&mut self, seq: Option<i64>, problem: String) {
        let earlier = match &self.bad {
            None => false,
            Some((found, _)) => found.unwrap_or(i64::MAX) <= seq.unwrap_or(i64::MAX),
        };
        if !earlier {
            self.bad = Some((seq, problem));
        }
    }

    fn log(
        &mut self,
        snapshot: &mut dyn Snapshot,
        progress: &dyn Fn(i64),
    ) -> ambit_store::Result<()> {
        let mut previous = Hash::default();
        // Numbers begin with 1: whatever lies before is found too.
        let mut after = i64::MIN;
        loop {
            let page = snapshot.events(after, PAGE)?;
            if page.is_empty() {
                return Ok(());
            }
            for stored in page {
                let expected = self.rebuilt.vault.head_seq + 1;
                if stored.seq != expected {
                    self.fail(Some(expected), format!("event {expected} is missing"));
                    return Ok(());
                }
                let hash = chain(
                    &previous,
                    stored.seq,
                    stored.time,
                    stored.actor,
                    stored.view,
                    &stored.body,
                );
                // To the chain no view is view 0, so that one must not be there.
                let no_view = stored.view.is_some_and(|view| view.0 == 0);
                if no_view || hash.0.as_slice() != stored.hash {
                    self.fail(Some(expected), format!("event {expected} does not fit the chain"));
                    return Ok(());
                }
                previous = hash;
                match stored.parse() {
                    Ok(logged) => self.follow(&logged),
                    Err(error) => {
                        self.fail(Some(expected), format!("event {expected}: {error}"));
                        return Ok(());
                    }
                }
            }
            after = self.rebuilt.vault.head_seq;
            progress(after);
        }
    }

    fn follow(&mut self, logged: &Logged) {
        let seq = logged.event.seq;
        let mut names = |text: &ContentRef| {
            self.named.entry(text.content).or_insert((text.clone(), seq));
        };
        match &logged.event.body.what {
            What::Appended { blocks, shape, .. } => {
                blocks.iter().for_each(|block| names(&block.text));
                shape.iter().for_each(names);
            }
            What::Noted { text, .. } => names(text),
            What::Forgotten { contents, .. } => {
                self.forgotten.extend(contents.iter().map(|content| (*content, seq)));
            }
            What::VaultCreated { .. }
            | What::Registered { .. }
            | What::ScopeCreated { .. }
            | What::Entered { .. }
            | What::Left { .. }
            | What::Focused { .. }
            | What::Carried { .. }
            | What::Rewound { .. }
            | What::Cleared { .. }
            | What::Set { .. } => {}
        }
        self.rebuilt.apply(logged);
    }

    fn contents(&mut self, snapshot: &mut dyn Snapshot) -> ambit_store::Result<()> {
        let mut after = ContentNo(i64::MIN);
        let mut missing = self.named.clone();
        let mut limit = PAGE;
        loop {
            let page = match snapshot.contents(after, limit) {
                // Somewhere in the page: one by one it shows where.
                Err(StoreError::Damaged(_)) if limit > 1 => {
                    limit = 1;
                    continue;
                }
                Err(StoreError::Damaged(problem)) => {
                    let next = self.named.range((Excluded(after), Unbounded)).next();
                    let seq = next.map(|(_, (_, seq))| *seq);
                    self.fail(seq, problem);
                    return Ok(());
                }
                page => page?,
            };
            let Some(last) = page.last() else {
                break;
            };
            after = last.content;
            for content in page {
                self.contents += 1;
                let named = missing.remove(&content.content);
                self.content(&content, named);
            }
        }
        // One that no event forgot must be there.
        missing.retain(|content, _| !self.forgotten.contains_key(content));
        if let Some((_, seq)) = missing.into_values().min_by_key(|(_, seq)| *seq) {
            self.fail(Some(seq), format!("the text that event {seq} names is missing"));
        }
        Ok(())
    }

    fn content(&mut self, content: &Content, named: Option<(ContentRef, i64)>) {
        if let Some(seq) = self.forgotten.get(&content.content) {
            let problem = format!("a text that event {seq} forgot is still there");
            return self.fail(Some(*seq), problem);
        }
        let Some((named, seq)) = named else {
            return self.fail(None, format!("content {} has no event", content.content));
        };
        let key = key_of(&content.salt, &content.text);
        if named.key != key || content.key != key {
            self.fail(Some(seq), format!("the text that event {seq} names was altered"));
        } else if named.tokens != content.tokens {
            self.fail(Some(seq), format!("event {seq}'s text is counted wrongly"));
        } else if content.digest != ambit_core::digest(&content.text) {
            self.fail(Some(seq), format!("event {seq}'s text is indexed wrongly"));
        }
    }

    fn rows(&mut self, snapshot: &mut dyn Snapshot) -> ambit_store::Result<()> {
        let stored = snapshot.rows()?;
        if stored == self.rebuilt {
            return Ok(());
        }
        let table = differing_table(&stored, &self.rebuilt);
        self.fail(None, format!("the rows of {table} do not follow from the log"));
        Ok(())
    }
}

fn differing_table(a: &Rows, b: &Rows) -> &'static str {
    let tables = [
        ("vault", a.vault != b.vault),
        ("scope", a.scopes != b.scopes),
        ("actor", a.actors != b.actors),
        ("presence", a.presences != b.presences),
        ("item", a.items != b.items),
        ("place", a.places != b.places),
        ("turn", a.turns != b.turns),
        ("note", a.notes != b.notes),
        ("visit", a.visits != b.visits),
        ("view", a.views != b.views),
        ("stream", a.streams != b.streams),
        ("frame", a.frames != b.frames),
        ("open_call", a.calls != b.calls),
        ("setting", a.settings != b.settings),
    ];
    tables.iter().find(|(_, differs)| *differs).map_or("nothing", |(name, _)| name)
}
