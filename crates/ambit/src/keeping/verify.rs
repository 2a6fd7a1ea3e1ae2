//! `verify`: checks the hash chain, every content's key, all rows against a rebuild from the log,
//! and the search index against the texts.

use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Unbounded};

use ambit_core::{Content, ContentNo, ContentRef, Logged, ScopeNo, SettingSet, What, key_of};
use ambit_store::{Error as StoreError, Origins, PAGE, Rows, Snapshot, walk};

use crate::answers::VerifyAnswer;
use crate::{Caller, Engine, Error, Result};

impl Engine {
    /// Checks a vault from its first event on. Calls `progress` with the number of events done.
    pub fn verify(&self, caller: &Caller, progress: &dyn Fn(i64)) -> Result<VerifyAnswer> {
        self.check(caller, false, progress)
    }

    /// Checks only the hash chain.
    pub fn verify_chain(&self, caller: &Caller, progress: &dyn Fn(i64)) -> Result<VerifyAnswer> {
        self.check(caller, true, progress)
    }

    fn check(&self, caller: &Caller, quick: bool, progress: &dyn Fn(i64)) -> Result<VerifyAnswer> {
        let mut check = Check { quick, ..Check::default() };
        let read = self.read(caller, &mut |snapshot| {
            check.log(snapshot, progress)?;
            check.head(snapshot);
            if !quick {
                check.contents(snapshot)?;
            }
            if !quick && check.bad.is_none() {
                check.rows(snapshot)?;
            }
            if !quick && check.bad.is_none() {
                check.index(snapshot)?;
            }
            Ok(())
        });
        match read {
            // Unreadable data is a finding of this verb, not an error.
            Err(Error::Store(StoreError::Damaged(problem))) => check.fail(None, problem),
            other => other?,
        }
        let (first_bad, problem) = match check.bad {
            Some((seq, problem)) => (seq, Some(problem)),
            None => (None, None),
        };
        Ok(VerifyAnswer {
            ok: problem.is_none(),
            quick,
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
    quick: bool,
    /// The rows that follow from the log; for a quick check only the vault's own row.
    rebuilt: Rows,
    /// The expected reference of each content, and the first event with it.
    named: BTreeMap<ContentNo, (ContentRef, i64)>,
    /// The events that set the settings: their rows do not store them.
    settings: BTreeMap<(ScopeNo, String), i64>,
    contents: i64,
    /// The forgotten texts, and the events that forgot them.
    forgotten: BTreeMap<ContentNo, i64>,
    /// The first problem, with the damaged event if known.
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
        let read = |after: i64| {
            progress(after.max(0));
            snapshot.events(after, PAGE)
        };
        if let Some(at) = walk(read, |logged| self.follow(&logged))? {
            self.fail(at.event, at.problem);
        }
        Ok(())
    }

    fn follow(&mut self, logged: &Logged) {
        if self.quick {
            return self.rebuilt.vault.follow(logged);
        }
        let (seq, what) = (logged.event.seq, &logged.event.body.what);
        for text in what.texts() {
            self.named.entry(text.content).or_insert((text.clone(), seq));
        }
        self.forgotten
            .extend(logged.event.body.what.forgets().iter().map(|content| (*content, seq)));
        if let What::Set(SettingSet { scope, name, .. }) = what {
            self.settings.insert((scope.unwrap_or(ScopeNo::VAULT), name.clone()), seq);
        }
        self.rebuilt.apply(logged);
    }

    /// Missing events at the end leave no gap, so the last event is compared with the vault's row.
    fn head(&mut self, snapshot: &dyn Snapshot) {
        let (stored, rebuilt) = (snapshot.vault(), &self.rebuilt.vault);
        if stored.head_hash == rebuilt.head_hash && stored.head_seq == rebuilt.head_seq {
            return;
        }
        let last = rebuilt.head_seq;
        // If only one of the two differs, the row was altered.
        if stored.head_seq > last && stored.head_hash != rebuilt.head_hash {
            self.fail(Some(last + 1), format!("event {} is missing", last + 1));
        } else {
            self.fail(Some(last), "the row of vault does not follow from the log".into());
        }
    }

    fn contents(&mut self, snapshot: &mut dyn Snapshot) -> ambit_store::Result<()> {
        let mut after = ContentNo(i64::MIN);
        let mut missing = self.named.clone();
        let mut limit = PAGE;
        loop {
            let page = match snapshot.contents(after, limit) {
                // The page has an unreadable row: reading one by one finds it.
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
        // A text that no event forgot must exist.
        missing.retain(|content, _| !self.forgotten.contains_key(content));
        if let Some((_, seq)) = missing.into_values().min_by_key(|(_, seq)| *seq) {
            self.fail(Some(seq), format!("the text that event {seq} references is missing"));
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
            self.fail(Some(seq), format!("the text that event {seq} references was altered"));
        } else if named.tokens != content.tokens {
            self.fail(Some(seq), format!("event {seq}'s text is counted wrongly"));
        } else if content.digest != ambit_core::digest(&content.text) {
            self.fail(Some(seq), format!("event {seq}'s text is indexed wrongly"));
        }
    }

    fn index(&mut self, snapshot: &mut dyn Snapshot) -> ambit_store::Result<()> {
        let faults = snapshot.index_faults()?;
        if faults > 0 {
            let problem = format!("{faults} rows of the search index do not follow from the texts");
            self.fail(None, problem);
        }
        Ok(())
    }

    fn rows(&mut self, snapshot: &mut dyn Snapshot) -> ambit_store::Result<()> {
        let mut stored = snapshot.rows()?;
        let unreadable = std::mem::take(&mut stored.unreadable).into_iter().next();
        let origins = Origins { rebuilt: &self.rebuilt, settings: &self.settings };
        let found = stored.first_difference(&origins);
        let event = found.as_ref().and_then(|found| found.event);
        let problem = found.map(|found| match found.event {
            Some(event) => {
                format!("a row of {} does not follow from event {event}", found.table)
            }
            None => format!("the rows of {} do not follow from the log", found.table),
        });
        if let Some(problem) = unreadable.or(problem) {
            self.fail(event, problem);
        }
        Ok(())
    }
}
