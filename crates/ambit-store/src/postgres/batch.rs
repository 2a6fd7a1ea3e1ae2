//! Groups pending statements: the rows of one table are sent together. Each statement costs a
//! message, an answer and a wake-up on both sides, which is more than most rows cost.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::merge::Waiting;
use super::value::{Owned, Param};

/// A statement that may be reordered and sent together with others.
struct Hot {
    /// The statement for one row.
    one: &'static str,
    /// The statement for many rows of one vault, if any. The first parameter is the vault; each
    /// other one is an array with the rows' values for that parameter of `one`.
    many: Option<&'static str>,
    /// The only table that the statement reads or writes.
    table: &'static str,
    /// How many leading parameters identify the changed row; 0 for an insert.
    identity: usize,
}

macro_rules! hot {
    ($($one:literal $(or $many:literal)? on $table:literal by $identity:literal;)+) => {
        &[$(Hot {
            one: $one,
            many: [$(Some($many),)? None][0],
            table: $table,
            identity: $identity,
        }),+]
    };
}

/// The statements in the order in which they are sent: a row comes after the rows that its foreign
/// keys reference.
const HOT: &[Hot] = hot! {
    "content_insert" or "content_insert_many" on "content" by 0;
    "bag_insert" or "bag_insert_many" on "bag" by 0;
    "posting_insert" or "posting_insert_many" on "posting" by 0;
    "event_insert" or "event_insert_many" on "event" by 0;
    "scope_insert" on "scope" by 0;
    "scope_shows" on "scope" by 2;
    "scope_head" on "scope" by 2;
    "scope_last_note" on "scope" by 2;
    "actor_insert" on "actor" by 0;
    "actor_view" or "actor_view_many" on "actor" by 2;
    "actor_view_opened" on "actor" by 2;
    "actor_focus" on "actor" by 2;
    "presence_here" or "presence_here_many" on "presence" by 3;
    "presence_enter" on "presence" by 3;
    "presence_leave" on "presence" by 3;
    "view_insert" or "view_insert_many" on "view" by 0;
    "view_end" on "view" by 2;
    "stream_insert" or "stream_insert_many" on "stream" by 0;
    "turn_insert" or "turn_insert_many" on "turn" by 0;
    "item_insert" or "item_insert_many" on "item" by 0;
    "place_insert" or "place_insert_many" on "place" by 0;
    "note_insert" or "note_insert_many" on "note" by 0;
    "object_insert" on "object" by 0;
    "version_insert" on "version" by 0;
    "visit_insert" or "visit_insert_many" on "visit" by 0;
    "frame_remember" or "frame_remember_many" on "frame" by 3;
    "delta_insert" or "delta_insert_many" on "delta" by 0;
    "stand_insert" or "stand_insert_many" on "stand" by 0;
    "call_insert" or "call_insert_many" on "open_call" by 0;
    "key_insert" or "key_insert_many" on "key" by 0;
    "vault_update" on "vault" by 1;
};

/// A statement with its parameters, ready to be sent.
pub(super) struct Message {
    pub name: &'static str,
    pub values: Vec<Param>,
}

impl Message {
    fn one(name: &'static str, values: Vec<Owned>) -> Message {
        Message { name, values: values.into_iter().map(Param::One).collect() }
    }

    fn many(name: &'static str, vault: i64, rows: Vec<Vec<Owned>>) -> Message {
        let width = rows.first().map_or(0, Vec::len);
        let mut columns: Vec<Vec<Owned>> = (1..width).map(|_| Vec::new()).collect();
        for row in rows {
            let values = row.into_iter().skip(1);
            columns.iter_mut().zip(values).for_each(|(column, value)| column.push(value));
        }
        let vault = Param::One(Owned::Int(vault));
        let columns = columns.into_iter().map(Param::Many);
        Message { name, values: [vault].into_iter().chain(columns).collect() }
    }
}

/// Groups the pending statements into as few messages as their order allows.
pub(super) fn messages(waiting: Vec<Waiting>) -> Vec<Message> {
    let mut all = Vec::new();
    let mut batch = Batch::default();
    for (name, values) in waiting {
        match HOT.iter().position(|hot| hot.one == name) {
            Some(rank) => {
                if !batch.takes(rank, &values) {
                    all.extend(std::mem::take(&mut batch).messages());
                }
                batch.push(rank, values);
            }
            None => {
                all.extend(std::mem::take(&mut batch).messages());
                all.push(Message::one(name, values));
            }
        }
    }
    all.extend(batch.messages());
    all
}

/// Statements whose order matters only for foreign keys: one statement per table, which changes
/// each row once.
#[derive(Default)]
struct Batch {
    /// The rows by statement, as an index of [`HOT`], and vault.
    rows: BTreeMap<(usize, i64), Vec<Vec<Owned>>>,
    /// The statement for each table.
    tables: HashMap<&'static str, usize>,
    changed: HashSet<(usize, Vec<i64>)>,
}

fn identity(rank: usize, values: &[Owned]) -> (usize, Vec<i64>) {
    (rank, values.iter().take(HOT[rank].identity).map(Owned::number).collect())
}

impl Batch {
    fn takes(&self, rank: usize, values: &[Owned]) -> bool {
        let same = self.tables.get(HOT[rank].table).is_none_or(|there| *there == rank);
        same && !self.changed.contains(&identity(rank, values))
    }

    fn push(&mut self, rank: usize, values: Vec<Owned>) {
        self.tables.insert(HOT[rank].table, rank);
        if HOT[rank].identity > 0 {
            self.changed.insert(identity(rank, &values));
        }
        let vault = values.first().map_or(0, Owned::number);
        self.rows.entry((rank, vault)).or_default().push(values);
    }

    fn messages(self) -> Vec<Message> {
        let mut all = Vec::new();
        for ((rank, vault), rows) in self.rows {
            match HOT[rank].many {
                Some(name) if rows.len() > 1 => all.push(Message::many(name, vault, rows)),
                _ => all.extend(rows.into_iter().map(|row| Message::one(HOT[rank].one, row))),
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{HOT, messages};
    use crate::postgres::session::{text_of, texts};
    use crate::postgres::value::Owned;

    fn names(waiting: &[(&'static str, &[i64])]) -> Vec<&'static str> {
        let owned = |values: &[i64]| values.iter().map(|it| Owned::Int(*it)).collect();
        let waiting = waiting.iter().map(|(name, values)| (*name, owned(values))).collect();
        messages(waiting).iter().map(|message| message.name).collect()
    }

    #[test]
    fn rows_of_a_table_go_together_and_parents_go_first() {
        let waiting = [
            ("place_insert", &[1, 5][..]),
            ("presence_here", &[1, 2, 3]),
            ("item_insert", &[1, 5]),
            ("scope_shows", &[1, 7, 1]),
            ("item_insert", &[1, 6]),
            ("presence_here", &[1, 2, 4]),
            ("item_insert", &[2, 6]),
        ];
        let expected = [
            "scope_shows",
            "presence_here_many",
            "item_insert_many",
            "item_insert",
            "place_insert",
        ];
        assert_eq!(names(&waiting), expected);
    }

    #[test]
    fn a_row_is_changed_once_and_a_table_by_one_statement() {
        let again = [("presence_here", &[1, 7, 1][..]), ("presence_here", &[1, 7, 1])];
        assert_eq!(names(&again), ["presence_here", "presence_here"]);
        let other_way = [("scope_shows", &[1, 7, 1][..]), ("scope_head", &[1, 8, 2])];
        assert_eq!(names(&other_way), ["scope_shows", "scope_head"]);
        let others =
            [("item_insert", &[1, 5][..]), ("places_close", &[1, 2]), ("item_insert", &[1, 6])];
        assert_eq!(names(&others), ["item_insert", "places_close", "item_insert"]);
    }

    #[test]
    fn each_statement_for_many_rows_is_that_of_one_row() {
        let parameters =
            |name: &str| (1..).take_while(|it| text_of(name).contains(&format!("${it}"))).count();
        let table = |name: &str| -> String {
            let words = text_of(name).split_whitespace();
            let mut words = words.filter(|word| !["INSERT", "INTO", "UPDATE"].contains(word));
            words.next().unwrap_or_default().to_string()
        };
        let columns = |name: &str| {
            let inserted = text_of(name).split_once(')').filter(|(it, _)| it.contains("INSERT"));
            let text = inserted.map_or("", |(columns, _)| columns);
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        for hot in HOT {
            assert_eq!(table(hot.one), hot.table, "{}", hot.one);
            if let Some(many) = hot.many {
                assert_eq!(table(many), hot.table, "{many}");
                assert_eq!(parameters(many), parameters(hot.one), "{many}");
                assert_eq!(columns(many), columns(hot.one), "{many}");
            }
        }
        let used: BTreeSet<_> = HOT.iter().filter_map(|hot| hot.many).collect();
        let written = texts().map(|(name, _)| name).filter(|name| name.ends_with("_many"));
        assert_eq!(written.collect::<BTreeSet<_>>(), used);
    }
}
