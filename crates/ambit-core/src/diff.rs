//! What changed between two texts, line by line: the shortest script of removals and additions, by
//! Myers' algorithm, and its hunks as `diff -u` has them.

use serde::Serialize;

/// A run of lines with what changed in them, and a few around.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hunk {
    /// The first line of either text, counted from 1, and how many.
    pub old_start: usize,
    pub old_lines: usize,
    pub new_start: usize,
    pub new_lines: usize,
    pub lines: Vec<DiffLine>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DiffLine {
    /// A space where nothing changed, `-` or `+`.
    pub op: char,
    pub text: String,
}

/// Lines shown around a change.
const AROUND: usize = 3;

/// How many removals and additions are looked for. Beyond them the rest is told as replaced.
const EDITS_MAX: usize = 1_000;

/// The hunks of a diff, in order. None where the texts are equal.
pub fn diff(old: &str, new: &str) -> Vec<Hunk> {
    let (old, new) = (lines(old), lines(new));
    let steps = script(&old, &new);
    hunks(&steps, &old, &new)
}

/// The diff as text, with names for the two sides.
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

/// One step of a script, with the places it stands at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Keep(usize, usize),
    Remove(usize, usize),
    Add(usize, usize),
}

fn script(old: &[&str], new: &[&str]) -> Vec<Step> {
    let front = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - front;
    let back = old.iter().rev().zip(new.iter().rev()).take(rest);
    let back = back.take_while(|(a, b)| a == b).count();
    let (a, b) = (&old[front..old.len() - back], &new[front..new.len() - back]);
    let mut steps: Vec<_> = (0..front).map(|at| Step::Keep(at, at)).collect();
    let middle = shortest(a, b).unwrap_or_else(|| replaced(a.len(), b.len()));
    steps.extend(middle.into_iter().map(|step| match step {
        Step::Keep(x, y) => Step::Keep(x + front, y + front),
        Step::Remove(x, y) => Step::Remove(x + front, y + front),
        Step::Add(x, y) => Step::Add(x + front, y + front),
    }));
    let ends = (old.len() - back..old.len()).zip(new.len() - back..new.len());
    steps.extend(ends.map(|(x, y)| Step::Keep(x, y)));
    steps
}

fn replaced(old: usize, new: usize) -> Vec<Step> {
    let removed = (0..old).map(|x| Step::Remove(x, 0));
    removed.chain((0..new).map(|y| Step::Add(old, y))).collect()
}

/// The furthest that each diagonal comes with so many edits, kept for the way back.
fn shortest(a: &[&str], b: &[&str]) -> Option<Vec<Step>> {
    let (n, m) = (a.len() as isize, b.len() as isize);
    let max = (a.len() + b.len()).min(EDITS_MAX);
    let offset = max as isize + 1;
    let mut furthest = vec![0isize; 2 * max + 3];
    let mut trace = Vec::new();
    for d in 0..=max as isize {
        trace.push(furthest[(offset - d - 1) as usize..=(offset + d + 1) as usize].to_vec());
        for k in (-d..=d).step_by(2) {
            let at = (offset + k) as usize;
            let down = k == -d || (k != d && furthest[at - 1] < furthest[at + 1]);
            let mut x = if down { furthest[at + 1] } else { furthest[at - 1] + 1 };
            while x < n && x - k < m && a[x as usize] == b[(x - k) as usize] {
                x += 1;
            }
            furthest[at] = x;
            if x >= n && x - k >= m {
                return Some(way_back(&trace, n, m));
            }
        }
    }
    None
}

fn way_back(trace: &[Vec<isize>], n: isize, m: isize) -> Vec<Step> {
    let (mut x, mut y) = (n, m);
    let mut steps = Vec::new();
    for (d, furthest) in trace.iter().enumerate().rev() {
        let (d, k) = (d as isize, x - y);
        let at = |k: isize| furthest[(k + d + 1) as usize];
        let down = k == -d || (k != d && at(k - 1) < at(k + 1));
        let before = if down { k + 1 } else { k - 1 };
        let (start_x, start_y) = if d == 0 { (0, 0) } else { (at(before), at(before) - before) };
        while x > start_x && y > start_y {
            (x, y) = (x - 1, y - 1);
            steps.push(Step::Keep(x as usize, y as usize));
        }
        if d > 0 {
            steps.push(match down {
                true => Step::Add(start_x as usize, start_y as usize),
                false => Step::Remove(start_x as usize, start_y as usize),
            });
            (x, y) = (start_x, start_y);
        }
    }
    steps.reverse();
    steps
}

fn hunks(steps: &[Step], old: &[&str], new: &[&str]) -> Vec<Hunk> {
    let changed = |step: &Step| !matches!(step, Step::Keep(..));
    let mut hunks = Vec::new();
    let mut at = 0;
    while let Some(first) = steps[at..].iter().position(changed).map(|found| at + found) {
        let start = first.saturating_sub(AROUND).max(at);
        let mut last = first;
        // Changes that stand close are one hunk.
        while let Some(next) = steps[last + 1..].iter().position(changed)
            && next <= 2 * AROUND
        {
            last += next + 1;
        }
        let end = (last + 1 + AROUND).min(steps.len());
        hunks.push(hunk(&steps[start..end], old, new));
        at = end;
    }
    hunks
}

fn hunk(steps: &[Step], old: &[&str], new: &[&str]) -> Hunk {
    let line = |step: &Step| {
        let (op, text) = match *step {
            Step::Keep(x, _) => (' ', old[x]),
            Step::Remove(x, _) => ('-', old[x]),
            Step::Add(_, y) => ('+', new[y]),
        };
        DiffLine { op, text: text.to_string() }
    };
    let (x, y) = match steps[0] {
        Step::Keep(x, y) | Step::Remove(x, y) | Step::Add(x, y) => (x, y),
    };
    let lines: Vec<_> = steps.iter().map(line).collect();
    let count = |not: char| lines.iter().filter(|line| line.op != not).count();
    let (old_lines, new_lines) = (count('+'), count('-'));
    // An empty side stands after the line before it.
    let (old_start, new_start) = (x + usize::from(old_lines > 0), y + usize::from(new_lines > 0));
    Hunk { old_start, old_lines, new_start, new_lines, lines }
}

#[cfg(test)]
mod tests {
    use super::{diff, unified};

    fn told(old: &str, new: &str) -> String {
        unified(&diff(old, new), "a", "b")
    }

    #[test]
    fn equal_texts_have_no_hunks() {
        assert_eq!(told("", ""), "");
        assert_eq!(told("a\nb\n", "a\nb"), "");
    }

    #[test]
    fn what_is_added_removed_and_changed() {
        assert_eq!(told("", "x\n"), "--- a\n+++ b\n@@ -0,0 +1,1 @@\n+x\n");
        assert_eq!(told("x\n", ""), "--- a\n+++ b\n@@ -1,1 +0,0 @@\n-x\n");
        assert_eq!(
            told("1\n2\n3\n4\n5\n6\n7\n8\n9", "1\n2\n3\n4\nfive\n6\n7\n8\n9"),
            "--- a\n+++ b\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"
        );
    }

    /// A diff brings the one text to the other, whatever they are.
    #[test]
    fn applied_it_gives_the_new_text() {
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
    fn texts_with_nothing_in_common_take_no_time() {
        let side = |name: &str| (0..20_000).map(|n| format!("{name} {n}\n")).collect::<String>();
        let hunks = diff(&side("old"), &side("new"));
        assert_eq!((hunks.len(), hunks[0].lines.len()), (1, 40_000));
    }
}
