//! Line-by-line differences between two texts, as hunks like those of `diff -u`.

use std::ops::Range;
use std::time::Duration;

use serde::Serialize;
use similar::{DiffOp, DiffTag, TextDiff};

/// A run of changed lines with a few unchanged lines around it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Hunk {
    /// The first line in each text, counted from 1, and the number of lines.
    pub old_start: usize,
    pub old_lines: usize,
    pub new_start: usize,
    pub new_lines: usize,
    pub lines: Vec<DiffLine>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct DiffLine {
    /// A space for an unchanged line, `-` or `+`.
    pub op: char,
    pub text: String,
}

/// Lines shown around a change.
const AROUND: usize = 3;

/// The time limit for finding the shortest difference. The rest is then shown as replaced: two
/// long texts with little in common would take minutes.
const SEARCH_MAX: Duration = Duration::from_millis(250);

/// Returns the hunks of a difference, in order. Equal texts have none.
pub fn diff(old: &str, new: &str) -> Vec<Hunk> {
    let (old, new) = (lines(old), lines(new));
    let diff = TextDiff::configure().timeout(SEARCH_MAX).diff_slices(&old, &new);
    diff.grouped_ops(AROUND).iter().map(|ops| hunk(ops, &old, &new)).collect()
}

/// Writes hunks as text, with names for the two sides.
pub fn unified(hunks: &[Hunk], old: &str, new: &str) -> String {
    if hunks.is_empty() {
        return String::new();
    }
    let mut text = format!("--- {old}\n+++ {new}\n");
    for it in hunks {
        text += &format!(
            "@@ -{},{} +{},{} @@\n",
            it.old_start, it.old_lines, it.new_start, it.new_lines
        );
        for line in &it.lines {
            text.push(line.op);
            text += &line.text;
            text.push('\n');
        }
    }
    text
}

fn lines(text: &str) -> Vec<&str> {
    text.strip_suffix('\n').unwrap_or(text).split('\n').filter(|_| !text.is_empty()).collect()
}

fn hunk(ops: &[DiffOp], old: &[&str], new: &[&str]) -> Hunk {
    let mut lines = Vec::new();
    let mut push = |op: char, texts: &[&str]| {
        lines.extend(texts.iter().map(|text| DiffLine { op, text: text.to_string() }));
    };
    for op in ops {
        match op.tag() {
            DiffTag::Equal => push(' ', &old[op.old_range()]),
            DiffTag::Delete | DiffTag::Insert | DiffTag::Replace => {
                push('-', &old[op.old_range()]);
                push('+', &new[op.new_range()]);
            }
        }
    }
    // An operation that is empty on one side does not always have the right position there.
    let start = |range: fn(&DiffOp) -> Range<usize>| {
        ops.iter().map(range).find(|range| !range.is_empty()).map_or(0, |range| range.start)
    };
    let count = |not: char| lines.iter().filter(|line| line.op != not).count();
    let (old_lines, new_lines) = (count('+'), count('-'));
    // The start of an empty side is the line before it, as in `diff -u`.
    let old_start = start(DiffOp::old_range) + usize::from(old_lines > 0);
    let new_start = start(DiffOp::new_range) + usize::from(new_lines > 0);
    Hunk { old_start, old_lines, new_start, new_lines, lines }
}

#[cfg(test)]
mod tests {
    use super::{diff, unified};

    fn rendered(old: &str, new: &str) -> String {
        unified(&diff(old, new), "a", "b")
    }

    #[test]
    fn equal_texts_have_no_hunks() {
        assert_eq!(rendered("", ""), "");
        assert_eq!(rendered("a\nb\n", "a\nb"), "");
    }

    #[test]
    fn hunks_show_added_removed_and_changed_lines() {
        assert_eq!(rendered("", "x\n"), "--- a\n+++ b\n@@ -0,0 +1,1 @@\n+x\n");
        assert_eq!(rendered("x\n", ""), "--- a\n+++ b\n@@ -1,1 +0,0 @@\n-x\n");
        assert_eq!(
            rendered("1\n2\n3\n4\n5\n6\n7\n8\n9", "1\n2\n3\n4\nfive\n6\n7\n8\n9"),
            "--- a\n+++ b\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"
        );
    }

    /// A diff turns the old text into the new one, for any two texts.
    #[test]
    fn applying_a_diff_gives_the_new_text() {
        let mut seed = 7u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
            (seed >> 33) % below
        };
        for _ in 0..2_000 {
            let text = |random: &mut dyn FnMut(u64) -> u64| {
                let lines: Vec<_> = (0..random(30)).map(|_| random(6).to_string()).collect();
                lines.join("\n")
            };
            let (old, new) = (text(&mut random), text(&mut random));
            let (from, to) = (super::lines(&old), super::lines(&new));
            let (mut out, mut at) = (Vec::new(), 0);
            for it in diff(&old, &new) {
                let start = it.old_start - usize::from(it.old_lines > 0);
                out.extend_from_slice(&from[at..start]);
                at = start + it.old_lines;
                let kept = it.lines.iter().filter(|line| line.op != '-');
                let kept: Vec<&str> = kept.map(|line| line.text.as_str()).collect();
                let new_start = it.new_start - usize::from(it.new_lines > 0);
                assert_eq!(kept, &to[new_start..new_start + it.new_lines]);
                let removed = it.lines.iter().filter(|line| line.op != '+');
                let removed: Vec<&str> = removed.map(|line| line.text.as_str()).collect();
                assert_eq!(removed, &from[start..at]);
                out.extend_from_slice(&to[new_start..new_start + it.new_lines]);
            }
            out.extend_from_slice(&from[at..]);
            assert_eq!(out, to, "{old:?} {new:?}");
        }
    }

    #[test]
    fn texts_with_nothing_in_common_are_compared_quickly() {
        let side = |name: &str| (0..20_000).map(|n| format!("{name} {n}\n")).collect::<String>();
        let hunks = diff(&side("old"), &side("new"));
        assert_eq!((hunks.len(), hunks[0].lines.len()), (1, 40_000));
    }
}
