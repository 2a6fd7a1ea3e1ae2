//! Garbage collection: finds unreferenced data in a snapshot, removes it under the vault's lock.

use std::collections::{BTreeMap, BTreeSet};

use ambit_core::{ContentNo, Logged, Millis};

use super::{At, Link, map, values};
use crate::{Error, Garbage, KEY_LIFE_MS, PAGE, Result, walk};

/// The unreferenced data that `look` found.
pub(crate) struct Litter {
    /// Texts that no event references, with their sizes.
    contents: BTreeMap<ContentNo, i64>,
    /// The last event that was read.
    head: i64,
    pub garbage: Garbage,
}

/// Finds unreferenced data in one snapshot. Reads the log and the numbers of the texts in pages.
pub(crate) fn look(
    link: &mut dyn Link,
    name: &str,
    now: Millis,
    progress: &dyn Fn(i64),
) -> Result<Litter> {
    let (mut at, found) = At::read(link, name)?;
    let vault = at.vault;
    let mut named = BTreeSet::new();
    let read = |after: i64| {
        progress(after.max(0));
        at.many("events", values![vault, after, PAGE], map::stored)
    };
    if let Some(found) = walk(read, |logged| name_texts(&mut named, &logged))? {
        // An unreadable event may reference any text.
        return Err(Error::Damaged(format!("{}; nothing was removed", found.problem)));
    }
    let mut contents = BTreeMap::new();
    let mut after = i64::MIN;
    loop {
        let values = values![vault, after, PAGE];
        let page = at.many("all_content_sizes", values, map::pair)?;
        let Some((last, _)) = page.last() else {
            break;
        };
        after = *last;
        let unnamed = page.into_iter().map(|(content, size)| (ContentNo(content), size));
        contents.extend(unnamed.filter(|(content, _)| !named.contains(content)));
    }
    let keys = at.one("keys_expired", values![vault, now - KEY_LIFE_MS], map::pair)?;
    let (keys, key_bytes) = keys.unwrap_or_default();
    let garbage = Garbage {
        keys,
        contents: contents.len() as i64,
        bytes: key_bytes + contents.values().sum::<i64>(),
        ..Garbage::default()
    };
    Ok(Litter { contents, head: found.state.head_seq, garbage })
}

/// Removes the unreferenced data. Reads the events since `look` first: a new event may reference an
/// old text.
pub(crate) fn remove(
    link: &mut dyn Link,
    name: &str,
    now: Millis,
    mut litter: Litter,
) -> Result<Garbage> {
    let (mut at, found) = At::lock(link, name)?;
    let vault = at.vault;
    let mut after = litter.head;
    while after < found.state.head_seq {
        let page = at.many("events", values![vault, after, PAGE], map::stored)?;
        let Some(last) = page.last() else {
            break;
        };
        after = last.seq;
        let mut named = BTreeSet::new();
        for stored in page {
            let seq = stored.seq;
            let logged = stored.parse();
            let logged = logged.map_err(|error| Error::Damaged(format!("event {seq}: {error}")))?;
            name_texts(&mut named, &logged);
        }
        for content in named {
            if let Some(size) = litter.contents.remove(&content) {
                litter.garbage.contents -= 1;
                litter.garbage.bytes -= size;
            }
        }
    }
    at.exec("key_expire", &values![vault, now - KEY_LIFE_MS])?;
    at.unindex(&litter.contents.keys().copied().collect())?;
    for content in litter.contents.keys() {
        at.exec("content_forget", &values![vault, content.0])?;
    }
    Ok(litter.garbage)
}

fn name_texts(named: &mut BTreeSet<ContentNo>, logged: &Logged) {
    named.extend(logged.event.body.what.texts().iter().map(|text| text.content));
}
