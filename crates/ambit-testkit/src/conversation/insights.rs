//! Insights in the model: lines that are shown to all readers until they are retracted.

use super::model::Model;

pub struct Insight {
    /// Its line in the layer, but for who had it.
    pub line: String,
    pub author: usize,
    pub retracted: bool,
}

impl Insight {
    pub fn hash(&self) -> &str {
        &self.line[3..10]
    }
}

impl Model {
    /// Returns the target of a step: an insight's hash, a note's, or nothing.
    pub fn retract_name(&self, pick: usize) -> String {
        let mut names: Vec<_> = self.insights.iter().map(|it| it.hash().to_string()).collect();
        names.extend(self.own_notes(0).first().map(|line| line[3..10].to_string()));
        names.push("0000000".to_string());
        names[pick % names.len()].clone()
    }

    pub fn insight_named(&self, name: &str) -> Option<&Insight> {
        self.insights.iter().find(|it| it.hash() == name)
    }

    /// Starts a new epoch for all readers.
    pub fn insight(&mut self, author: usize, hash: &str, text: &str) {
        let line = format!("- [{}] {text}", &hash[..7]);
        self.insights.push(Insight { line, author, retracted: false });
        self.boundary = self.tick();
    }

    pub fn retract(&mut self, name: &str) {
        let found = self.insights.iter_mut().find(|it| it.hash() == name);
        found.into_iter().for_each(|it| it.retracted = true);
        self.boundary = self.tick();
    }

    pub fn has_insights(&self) -> bool {
        self.insights.iter().any(|it| !it.retracted)
    }

    /// The lines of the layer in a scope.
    pub fn insight_lines(&self, scope: usize) -> Vec<String> {
        let hold = self.insights.iter().filter(|it| !it.retracted);
        let line = |it: &Insight| format!("{} ({})", it.line, self.actors[it.author].name);
        let mut lines: Vec<_> = hold.map(line).collect();
        let shown = self.setting(scope, "insights_shown", "10").parse().unwrap_or(10);
        lines.drain(..lines.len().saturating_sub(shown));
        lines
    }
}
