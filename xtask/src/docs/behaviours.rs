//! Makes docs/behaviours.md: every behaviour and the tests that prove it.

use std::collections::BTreeMap;

use crate::behaviours::{FAMILIES, Id, Proof, proofs, table};
use xtask::tree::File;

const TABLE: &str = "xtask/behaviours.txt";

pub fn make(files: &[File]) -> Result<String, String> {
    let source = files.iter().find(|file| file.path == TABLE);
    let table = table(&source.ok_or_else(|| format!("{TABLE} is missing"))?.text)?;
    page(&table, &proofs(files)?)
}

fn page(table: &BTreeMap<Id, String>, proofs: &[Proof]) -> Result<String, String> {
    let unknown: Vec<String> = proofs
        .iter()
        .filter(|proof| !table.contains_key(&proof.id))
        .map(|proof| format!("{} proves {}", proof.place(), proof.id))
        .collect();
    if !unknown.is_empty() {
        return Err(format!("{}, which {TABLE} does not list", unknown.join("; ")));
    }
    let proofs_of = |id: &Id| proofs.iter().filter(|proof| proof.id == *id).collect::<Vec<_>>();
    let (shown, missing): (Vec<_>, Vec<_>) =
        table.iter().partition(|(id, _)| !proofs_of(id).is_empty());
    let mut page = format!("\nTests prove {} of {} behaviours.\n", shown.len(), table.len());
    for (family, (_, title)) in FAMILIES.iter().enumerate() {
        let mut lines = shown.iter().filter(|(id, _)| id.family == family).peekable();
        if lines.peek().is_some() {
            page.push_str(&format!("\n## {title}\n\n"));
        }
        for (id, sentence) in lines {
            page.push_str(&format!("- **{id}** {sentence}\n"));
            for proof in proofs_of(id) {
                page.push_str(&format!("  - `{}`\n", proof.place()));
            }
        }
    }
    if !missing.is_empty() {
        page.push_str("\n## Not built yet\n\nNo test is marked as the proof of these.\n\n");
    }
    for (id, sentence) in missing {
        page.push_str(&format!("- **{id}** {sentence}\n"));
    }
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::{make, page};
    use crate::behaviours::{FAMILIES, Id, Proof, table};
    use xtask::tree;

    fn example(number: u32) -> Proof {
        let id = Id { family: 0, number };
        Proof { id, path: "a.rs".into(), test: "b".into() }
    }

    #[test]
    fn a_proof_of_an_unknown_id_is_refused() {
        let table = table(&format!("{}-1\tone\n", FAMILIES[0].0)).unwrap();
        assert!(page(&table, &[example(1)]).unwrap().contains("one\n  - `a.rs: b`\n"));
        let without = page(&table, &[]).unwrap();
        assert!(without.contains("0 of 1") && without.contains("## Not built yet"));
        assert!(page(&table, &[example(2)]).unwrap_err().contains("a.rs: b proves"));
    }

    #[test]
    fn every_family_has_behaviours_and_every_marked_id_is_known() {
        let files = tree::read(&tree::root()).unwrap();
        make(&files).unwrap();
        let text = &files.iter().find(|file| file.path == super::TABLE).unwrap().text;
        let table = table(text).unwrap();
        for (family, (name, _)) in FAMILIES.iter().enumerate() {
            assert!(table.keys().any(|id| id.family == family), "{name}");
        }
    }
}
