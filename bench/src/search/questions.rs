//! Measures recall: how much of the known evidence for a question is among the first ten hits.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{me, request};
use crate::store::database::Database;
use crate::store::figure::Figure;

/// Measures one file. Each line is a conversation with its questions, loaded into a separate vault.
pub fn run(database: &Database, file: &str) -> Result<Vec<Figure>, String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let opened = database.open("questions");
    let mut tally = Tally::default();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let wrong = |what: &str| format!("{file}, line {}: {what}", number + 1);
        let line: Value = serde_json::from_str(line).map_err(|error| wrong(&error.to_string()))?;
        let vault = format!("conversation-{number}");
        opened.engine.create_vault(&vault).map_err(|error| wrong(&error.to_string()))?;
        let caller = ambit::Caller { vault, ..me() };
        let mut ids = BTreeMap::new();
        for turn in line["conversation"].as_array().ok_or_else(|| wrong("no conversation"))? {
            let id = turn["id"].as_str().ok_or_else(|| wrong("a turn without an id"))?;
            let role = turn["role"].as_str().unwrap_or("user");
            let content = turn["content"].as_str().ok_or_else(|| wrong("a turn without a text"))?;
            let answer = opened.engine.append_text(&caller, role, content);
            let head = answer.map_err(|error| wrong(&error.to_string()))?.head;
            ids.insert(head, id.to_string());
        }
        for question in line["questions"].as_array().ok_or_else(|| wrong("no questions"))? {
            let words = question["question"].as_str().ok_or_else(|| wrong("no question"))?;
            let evidence: BTreeSet<&str> = question["evidence"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .collect();
            let answer = opened.engine.search(&caller, &request(words.to_string()));
            let answer = answer.map_err(|error| wrong(&error.to_string()))?;
            let turn = |id: &str| id.split('.').next().and_then(|turn| turn.parse().ok());
            let found = answer.hits.iter().filter_map(|hit| ids.get(&turn(&hit.id)?));
            let kind = question["kind"].as_str().unwrap_or("all").to_string();
            tally.add(kind, &evidence, &found.map(String::as_str).collect::<Vec<_>>());
        }
    }
    Ok(tally.figures(file))
}

/// The number of questions and the sum of their recall, by kind.
#[derive(Default)]
struct Tally {
    kinds: BTreeMap<String, (f64, f64)>,
    /// Questions for which any, and for which all, of the evidence was found.
    any: f64,
    whole: f64,
}

impl Tally {
    fn add(&mut self, kind: String, evidence: &BTreeSet<&str>, found: &[&str]) {
        if evidence.is_empty() {
            return;
        }
        let hits = found.iter().filter(|id| evidence.contains(*id)).count() as f64;
        let recall = hits / evidence.len() as f64;
        let entry = self.kinds.entry(kind).or_default();
        *entry = (entry.0 + 1.0, entry.1 + recall);
        self.any += f64::from(u8::from(hits > 0.0));
        self.whole += f64::from(u8::from(recall >= 1.0));
    }

    fn figures(&self, file: &str) -> Vec<Figure> {
        let (count, sum) =
            self.kinds.values().fold((0.0, 0.0), |all, it| (all.0 + it.0, all.1 + it.1));
        let measured = format!(
            "{:.3} ({count} questions; any of it {:.3}, all of it {:.3})",
            sum / count,
            self.any / count,
            self.whole / count
        );
        let mut figures = vec![Figure::unbounded(format!("{file}: recall at 10"), measured)];
        for (kind, (count, sum)) in self.kinds.iter().filter(|_| self.kinds.len() > 1) {
            let measured = format!("{:.3} ({count} questions)", sum / count);
            figures.push(Figure::unbounded(format!("  {kind}"), measured));
        }
        figures
    }
}
