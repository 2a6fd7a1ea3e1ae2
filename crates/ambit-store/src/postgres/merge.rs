//! Merges queued changes of the same row. Each change of a row is a new row version on the server,
//! and old versions cannot be vacuumed within a transaction: each of a thousand messages in one
//! append would have to scan the versions of all previous ones.

use std::collections::HashMap;

use super::value::Owned;

/// A queued statement.
pub(super) type Waiting = (&'static str, Vec<Owned>);

/// The queued statements, in order.
#[derive(Default)]
pub(super) struct Queue {
    /// `None` for a statement that was merged into a later one.
    statements: Vec<Option<Waiting>>,
    /// The index of each row's last change that a later one may absorb.
    last: HashMap<(&'static str, [i64; 3]), usize>,
}

impl Queue {
    /// Adds a statement. If it changes a row again, it absorbs the earlier change.
    pub fn push(&mut self, name: &'static str, mut values: Vec<Owned>) {
        // These set the same columns as mergeable statements, so nothing may be moved past them.
        if matches!(name, "presence_others_boundary" | "actor_view_opened") {
            self.last.clear();
        }
        if let Some(row) = row(name, &values) {
            let earlier = self.last.insert((name, row), self.statements.len());
            let earlier = earlier.and_then(|at| self.statements.get_mut(at)?.take());
            if let Some((_, earlier)) = earlier {
                merge(name, earlier, &mut values);
            }
        }
        self.statements.push(Some((name, values)));
    }

    /// Returns how many statements were added since the queue was last emptied.
    pub fn len(&self) -> usize {
        self.statements.len()
    }

    /// Empties the queue and returns its statements in order.
    pub fn take(&mut self) -> Vec<Waiting> {
        self.last.clear();
        std::mem::take(&mut self.statements).into_iter().flatten().collect()
    }
}

/// Returns the row that a statement changes, if two statements of this kind can be merged.
fn row(name: &str, values: &[Owned]) -> Option<[i64; 3]> {
    let number = |index: usize| match values.get(index) {
        Some(Owned::Int(number)) => Some(*number),
        _ => None,
    };
    match name {
        "scope_shows" | "actor_view" => Some([number(0)?, number(1)?, 0]),
        "presence_here" => Some([number(0)?, number(1)?, number(2)?]),
        _ => None,
    }
}

/// Merges an earlier change into a later one, with the same result as running both.
fn merge(name: &str, earlier: Vec<Owned>, later: &mut [Owned]) {
    for (index, earlier) in earlier.into_iter().enumerate() {
        let zero = |at: usize| matches!(later.get(at), Some(Owned::Int(0)));
        let stays = match (name, index) {
            ("actor_view", 4) => matches!(later.get(4), Some(Owned::Null)),
            ("presence_here", 4) => zero(4),
            // A fold, and an answer, is set together with its event, or not at all.
            ("presence_here", 5) => zero(6),
            ("presence_here", 7) => zero(8),
            ("presence_here", 6 | 8) => zero(index),
            _ => false,
        };
        match (name, index, later.get_mut(index), earlier) {
            ("scope_shows", 3 | 5 | 6 | 7, Some(Owned::Int(sum)), Owned::Int(more)) => *sum += more,
            (_, _, Some(value), earlier) if stays => *value = earlier,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Owned, Queue};

    fn numbers(values: &[i64]) -> Vec<Owned> {
        values.iter().map(|number| Owned::Int(*number)).collect()
    }

    fn shown(queue: &mut Queue) -> Vec<String> {
        queue.take().iter().map(|(name, values)| format!("{name} {values:?}")).collect()
    }

    fn one(name: &'static str, values: &[i64]) -> String {
        format!("{name} {:?}", numbers(values))
    }

    #[test]
    fn what_a_scope_shows_is_added_up() {
        let mut queue = Queue::default();
        queue.push("scope_shows", numbers(&[1, 7, 10, 1, 100, 1, 0, 0]));
        queue.push("scope_shows", numbers(&[1, 8, 11, 1, 50, 1, 0, 0]));
        queue.push("scope_head", numbers(&[1, 7, 12]));
        queue.push("scope_shows", numbers(&[1, 7, 13, 2, 130, 1, 1, 9]));
        let expected = [
            one("scope_shows", &[1, 8, 11, 1, 50, 1, 0, 0]),
            one("scope_head", &[1, 7, 12]),
            one("scope_shows", &[1, 7, 13, 3, 130, 2, 1, 9]),
        ];
        assert_eq!(shown(&mut queue), expected);
        // Sent statements are not merged into.
        queue.push("scope_shows", numbers(&[1, 7, 14, 1, 140, 1, 0, 0]));
        assert_eq!(shown(&mut queue), [one("scope_shows", &[1, 7, 14, 1, 140, 1, 0, 0])]);
    }

    #[test]
    fn a_presence_keeps_what_the_later_change_leaves_alone() {
        let mut queue = Queue::default();
        queue.push("presence_here", numbers(&[1, 2, 3, 100, 10, 0, 10, 5, 10]));
        queue.push("presence_here", numbers(&[1, 2, 3, 200, 0, 0, 0, 6, 11]));
        queue.push("presence_here", numbers(&[1, 2, 4, 300, 0, 0, 0, 0, 0]));
        let expected = [
            one("presence_here", &[1, 2, 3, 200, 10, 0, 10, 6, 11]),
            one("presence_here", &[1, 2, 4, 300, 0, 0, 0, 0, 0]),
        ];
        assert_eq!(shown(&mut queue), expected);
    }

    #[test]
    fn nothing_is_moved_past_what_sets_the_same() {
        let mut queue = Queue::default();
        queue.push("presence_here", numbers(&[1, 2, 3, 100, 10, 0, 0, 0, 0]));
        queue.push("presence_others_boundary", numbers(&[1, 3, 9, 12]));
        queue.push("presence_here", numbers(&[1, 2, 3, 200, 0, 0, 0, 0, 0]));
        assert_eq!(shown(&mut queue).len(), 3);
        queue.push("actor_view", numbers(&[1, 2, 3, 1, 4, 100]));
        queue.push(
            "actor_view",
            vec![
                Owned::Int(1),
                Owned::Int(2),
                Owned::Int(3),
                Owned::Int(1),
                Owned::Null,
                Owned::Int(200),
            ],
        );
        assert_eq!(shown(&mut queue), [one("actor_view", &[1, 2, 3, 1, 4, 200])]);
        queue.push("actor_view", numbers(&[1, 2, 3, 1, 4, 100]));
        queue.push("actor_view_opened", numbers(&[1, 2, 3, 1, 4, 100, 5]));
        queue.push("actor_view", numbers(&[1, 2, 3, 1, 4, 200]));
        assert_eq!(shown(&mut queue).len(), 3);
    }
}
