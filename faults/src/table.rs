//! The table of results: rounds, acknowledged texts, texts found, and the verdict of each suite.

use std::fmt;
use std::time::Duration;

/// One line of the table.
pub struct Row {
    pub name: String,
    pub rounds: u64,
    pub acknowledged: u64,
    pub found: u64,
    pub doubled: u64,
    pub worst: Option<Duration>,
    /// A remark, or the first fault.
    pub verdict: Result<String, String>,
}

impl Row {
    pub fn new(name: impl Into<String>) -> Row {
        Row {
            name: name.into(),
            rounds: 0,
            acknowledged: 0,
            found: 0,
            doubled: 0,
            worst: None,
            verdict: Ok(String::new()),
        }
    }

    pub fn failed(name: impl Into<String>, why: impl Into<String>) -> Row {
        Row { verdict: Err(why.into()), ..Row::new(name) }
    }

    /// Records a fault. Only the first one is reported.
    pub fn fault(&mut self, why: impl Into<String>) {
        if self.verdict.is_ok() {
            self.verdict = Err(why.into());
        }
    }

    /// Records a remark, unless there is a fault.
    pub fn note(&mut self, what: impl Into<String>) {
        if let Ok(note) = &mut self.verdict {
            *note = what.into();
        }
    }

    pub fn took(&mut self, time: Duration) {
        self.worst = Some(self.worst.map_or(time, |worst| worst.max(time)));
    }

    /// Adds the results of another row of the same suite.
    pub fn add(&mut self, other: Row) {
        self.rounds += other.rounds;
        self.acknowledged += other.acknowledged;
        self.found += other.found;
        self.doubled += other.doubled;
        other.worst.into_iter().for_each(|time| self.took(time));
        if let Err(why) = other.verdict {
            self.fault(why);
        }
    }

    fn cells(&self) -> [String; 7] {
        let worst = self.worst.map_or("-".to_string(), |worst| match worst.as_millis() {
            0..10_000 => format!("{} ms", worst.as_millis()),
            _ => format!("{:.1} s", worst.as_secs_f64()),
        });
        let verdict = match &self.verdict {
            Ok(note) if note.is_empty() => "held".to_string(),
            Ok(note) => format!("held: {note}"),
            Err(why) => format!("FAILED: {why}"),
        };
        let [rounds, acknowledged, found, doubled] =
            [self.rounds, self.acknowledged, self.found, self.doubled].map(|n| n.to_string());
        [self.name.clone(), rounds, acknowledged, found, doubled, worst, verdict]
    }
}

impl fmt::Display for Row {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [name, rounds, acknowledged, found, doubled, worst, verdict] = self.cells();
        write!(
            out,
            "{name}: {rounds} rounds, {acknowledged} acknowledged, {found} found, {doubled} \
             doubled, worst {worst}: {verdict}"
        )
    }
}

const HEAD: [&str; 7] = ["suite", "rounds", "acknowledged", "found", "doubled", "worst", "verdict"];

/// Formats all rows under one header, with numbers right-aligned.
pub fn table(rows: &[Row]) -> String {
    let mut lines = vec![HEAD.map(str::to_string)];
    lines.extend(rows.iter().map(Row::cells));
    let width =
        |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..HEAD.len()).map(width).collect();
    let mut text = String::new();
    for line in &lines {
        for (column, cell) in line.iter().enumerate() {
            let pad = " ".repeat(widths[column] - cell.chars().count());
            match column {
                0 => text += &format!("{cell}{pad}"),
                6 => text += &format!("  {cell}\n"),
                _ => text += &format!("  {pad}{cell}"),
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{Row, table};

    #[test]
    fn the_first_fault_is_reported_and_columns_are_aligned() {
        let mut row = Row::new("a");
        row.note("fine");
        row.rounds = 200;
        let held = table(&[row]);
        let mut row = Row::failed("b", "one");
        row.fault("two");
        row.note("three");
        let failed = table(&[row]);
        assert!(held.ends_with("held: fine\n") && failed.ends_with("FAILED: one\n"), "{failed}");
        let ends = |line: &str| line.find("rounds").or(line.find("200").map(|at| at - 3));
        let mut lines = held.lines().map(ends);
        assert_eq!(lines.next(), lines.next());
    }
}
