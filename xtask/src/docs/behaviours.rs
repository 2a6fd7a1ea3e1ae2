//! docs/behaviours.md: what the system does, and which tests prove it.

use std::collections::BTreeMap;
use std::path::Path;

use super::{Page, head};
use crate::behaviours::{FAMILIES, Id, Named, named, table};
use crate::tree::File;

const TABLE: &str = "xtask/behaviours.txt";

pub fn make(_root: &Path, files: &[File]) -> Result<Page, String> {
    let source = files.iter().find(|file| file.path == TABLE);
    let table = table(&source.ok_or_else(|| format!("{TABLE} is missing"))?.text)?;
    page(&table, &named(files)).map(Page::Made)
}

fn page(table: &BTreeMap<Id, String>, named: &[Named]) -> Result<String, String> {
    let unknown: Vec<String> = named
        .iter()
        .filter(|named| !table.contains_key(&named.id))
        .map(|named| format!("{} names {}", named.place(), named.id))
        .collect();
    if !unknown.is_empty() {
        return Err(format!("{}, which {TABLE} does not know", unknown.join("; ")));
    }
    let tests = |id: &Id| named.iter().filter(|named| named.id == *id).collect::<Vec<_>>();
    let proven = table.keys().filter(|id| !tests(id).is_empty()).count();
    let mut page = head("Behaviours", &format!("`{TABLE}` and the tests that name an id"));
    page.push_str(&format!("\nTests name {proven} of {} behaviours.\n", table.len()));
    for (family, (_, title)) in FAMILIES.iter().enumerate() {
        page.push_str(&format!("\n## {title}\n\n"));
        for (id, words) in table.iter().filter(|(id, _)| id.family == family) {
            let tests = tests(id);
            let mark = if tests.is_empty() { " *(not yet)*" } else { "" };
            page.push_str(&format!("- **{id}** {words}{mark}\n"));
            for test in tests {
                page.push_str(&format!("  - `{}`\n", test.place()));
            }
        }
    }
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::{make, page};
    use crate::behaviours::{FAMILIES, Id, Named, named, table};
    use crate::tree;

    fn example(number: u32) -> Named {
        let id = Id { family: 0, number };
        Named { id, path: "a.rs".into(), test: "b".into() }
    }

    #[test]
    fn a_test_that_names_an_unknown_id_is_refused() {
        let table = table(&format!("{}-1\tone\n", FAMILIES[0].0)).unwrap();
        assert!(page(&table, &[example(1)]).unwrap().contains("one\n  - `a.rs: b`\n"));
        assert!(page(&table, &[]).unwrap().contains("one *(not yet)*\n"));
        assert!(page(&table, &[example(2)]).unwrap_err().contains("a.rs: b names"));
    }

    #[test]
    fn every_family_has_lines_and_every_id_here_is_known() {
        let root = tree::root();
        let files = tree::read(&root).unwrap();
        make(&root, &files).map(|_| ()).unwrap();
        let text = &files.iter().find(|file| file.path == super::TABLE).unwrap().text;
        let table = table(text).unwrap();
        for (family, (name, _)) in FAMILIES.iter().enumerate() {
            assert!(table.keys().any(|id| id.family == family), "{name}");
        }
        assert!(named(&files).iter().all(|named| table.contains_key(&named.id)));
    }
}
