//! Groups pending statements: the rows of one table, or of the tables that nearly every command
//! writes, are sent together. Each statement costs a message, an answer and a wake-up on both
//! sides, which is more than most rows cost.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::LazyLock;

use super::merge::Waiting;
use super::session::{parameters, text_of};
use super::value::{Owned, Param};

/// A statement that may be reordered and sent together with others.
struct Hot {
    /// The statement for one row.
    one: &'static str,
    /// The statement for many rows of one vault, if any. The first parameter is the vault; each
    /// other one is an array with the rows' values for that parameter of `one`. Consecutive
    /// statements may share one: its arrays are those of the first, then those of the second, ….
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
    "scope_insert" on "scope" by 0;
    "scope_head" on "scope" by 2;
    "scope_last_note" on "scope" by 2;
    "actor_insert" on "actor" by 0;
    "actor_view_opened" on "actor" by 2;
    "actor_focus" on "actor" by 2;
    "presence_enter" on "presence" by 3;
    "presence_leave" on "presence" by 3;
    "content_insert" or "append_many" on "content" by 0;
    "bag_insert" or "append_many" on "bag" by 0;
    "event_insert" or "append_many" on "event" by 0;
    "scope_shows" or "append_many" on "scope" by 2;
    "actor_view" or "append_many" on "actor" by 2;
    "presence_here" or "append_many" on "presence" by 3;
    "item_insert" or "append_many" on "item" by 0;
    "place_insert" or "append_many" on "place" by 0;
    "vault_update" or "append_many" on "vault" by 1;
    "posting_insert" or "posting_insert_many" on "posting" by 0;
    "view_insert" or "view_insert_many" on "view" by 0;
    "view_end" on "view" by 2;
    "stream_insert" or "stream_insert_many" on "stream" by 0;
    "turn_insert" or "turn_insert_many" on "turn" by 0;
    "note_insert" or "note_insert_many" on "note" by 0;
    "object_insert" on "object" by 0;
    "version_insert" on "version" by 0;
    "visit_insert" or "visit_insert_many" on "visit" by 0;
    "frame_remember" or "frame_remember_many" on "frame" by 3;
    "delta_insert" or "delta_insert_many" on "delta" by 0;
    "stand_insert" or "stand_insert_many" on "stand" by 0;
    "call_insert" or "call_insert_many" on "open_call" by 0;
    "key_insert" or "key_insert_many" on "key" by 0;
};

/// How many parameters each of the statements has besides the vault.
static WIDTHS: LazyLock<Vec<usize>> =
    LazyLock::new(|| HOT.iter().map(|hot| parameters(text_of(hot.one)) - 1).collect());

/// The parameters of a statement for one row, or those of many rows in one place.
type Values = Vec<Owned>;

/// A statement with its parameters, ready to be sent.
pub(super) struct Message {
    pub name: &'static str,
    pub values: Vec<Param>,
}

impl Message {
    fn one(name: &'static str, values: Vec<Owned>) -> Message {
        Message { name, values: values.into_iter().map(Param::One).collect() }
    }

    fn many(name: &'static str, vault: i64, columns: Vec<Values>) -> Message {
        let vault = Param::One(Owned::Int(vault));
        let columns = columns.into_iter().map(Param::Many);
        Message { name, values: [vault].into_iter().chain(columns).collect() }
    }
}

/// Returns the values of each parameter besides the vault.
fn columns(rows: Vec<Values>, width: usize) -> Vec<Values> {
    let mut columns: Vec<_> = (0..width).map(|_| Vec::with_capacity(rows.len())).collect();
    for row in rows {
        let values = row.into_iter().skip(1);
        columns.iter_mut().zip(values).for_each(|(column, value)| column.push(value));
    }
    columns
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

/// The rows of each statement, as an index of [`HOT`].
type Rows = BTreeMap<usize, Vec<Values>>;

/// Statements whose order matters only for foreign keys: one statement per table, which changes
/// each row once.
#[derive(Default)]
struct Batch {
    /// The rows by the first of the statements that are sent together, and by vault.
    rows: BTreeMap<(usize, i64), Rows>,
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
        let shares = |hot: &Hot| hot.many.is_some() && hot.many == HOT[rank].many;
        let first = HOT.iter().position(shares).unwrap_or(rank);
        let rows = self.rows.entry((first, vault)).or_default();
        rows.entry(rank).or_default().push(values);
    }

    fn messages(self) -> Vec<Message> {
        let mut all = Vec::new();
        for ((first, vault), mut rows) in self.rows {
            let many = HOT[first].many;
            let together = HOT[first..].iter().take_while(|hot| hot.many == many).count();
            let count: usize = rows.values().map(Vec::len).sum();
            match many {
                // One row in each table.
                Some("append_many") if count == together && rows.len() == together => {
                    let values =
                        rows.into_values().flatten().flat_map(|row| row.into_iter().skip(1));
                    let values = [Owned::Int(vault)].into_iter().chain(values);
                    all.push(Message::one("append", values.collect()));
                }
                Some(name) if count > 1 => {
                    let ranks = first..first + together;
                    let columns = ranks.flat_map(|rank| sorted_columns(rank, rows.remove(&rank)));
                    all.push(Message::many(name, vault, columns.collect()));
                }
                _ => all.extend(rows.into_iter().flat_map(|(rank, rows)| {
                    rows.into_iter().map(move |row| Message::one(HOT[rank].one, row))
                })),
            }
        }
        all
    }
}

/// Returns the columns of rows in the order of what identifies them, or empty columns.
fn sorted_columns(rank: usize, rows: Option<Vec<Values>>) -> Vec<Values> {
    let mut rows = rows.unwrap_or_default();
    if HOT[rank].identity > 0 {
        rows.sort_by_cached_key(|row| identity(rank, row));
    }
    columns(rows, WIDTHS[rank])
}

/// Combines the look-ups of texts of one vault into one query; the last column of its rows is the
/// number of the look-up, from 1. Returns the queries, and the places that each had in the step.
pub(super) fn queries(step: Vec<(usize, Waiting)>) -> (Vec<Message>, Vec<Vec<usize>>) {
    let mut all: Vec<(&'static str, Vec<Values>, Vec<usize>)> = Vec::new();
    let mut texts: HashMap<i64, usize> = HashMap::new();
    for (place, (name, values)) in step {
        let vault = values.first().map_or(0, Owned::number);
        let at = match name {
            "content_equal" => *texts.entry(vault).or_insert(all.len()),
            _ => all.len(),
        };
        if at == all.len() {
            all.push((name, Vec::new(), Vec::new()));
        }
        all[at].1.push(values);
        all[at].2.push(place);
    }
    let messages = all.into_iter().map(|(name, mut rows, places)| {
        let vault = rows[0].first().map_or(0, Owned::number);
        let message = match rows.len() {
            1 => Message::one(name, rows.remove(0)),
            _ => Message::many("content_equal_many", vault, columns(rows, 2)),
        };
        (message, places)
    });
    messages.unzip()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{HOT, Hot, Message, messages, queries};
    use crate::postgres::session::{parameters, text_of, texts};
    use crate::postgres::value::{Owned, Param};

    fn sent(waiting: &[(&'static str, &[i64])]) -> Vec<Message> {
        let owned = |values: &[i64]| values.iter().map(|it| Owned::Int(*it)).collect();
        messages(waiting.iter().map(|(name, values)| (*name, owned(values))).collect())
    }

    fn names(waiting: &[(&'static str, &[i64])]) -> Vec<&'static str> {
        sent(waiting).iter().map(|message| message.name).collect()
    }

    #[test]
    fn rows_of_a_table_go_together_and_parents_go_first() {
        let waiting = [
            ("stream_insert", &[1, 5][..]),
            ("presence_enter", &[1, 2, 3]),
            ("view_insert", &[1, 5]),
            ("scope_insert", &[1, 7, 1]),
            ("view_insert", &[1, 6]),
            ("presence_enter", &[1, 2, 4]),
            ("view_insert", &[2, 6]),
        ];
        let expected = [
            "scope_insert",
            "presence_enter",
            "presence_enter",
            "view_insert_many",
            "view_insert",
            "stream_insert",
        ];
        assert_eq!(names(&waiting), expected);
    }

    #[test]
    fn what_nearly_every_command_writes_is_one_statement_for_each_vault() {
        let waiting = [
            ("note_insert", &[1, 5][..]),
            ("presence_here", &[1, 9, 3]),
            ("place_insert", &[1, 5]),
            ("item_insert", &[2, 6]),
            ("presence_here", &[1, 2, 3]),
            ("vault_update", &[1, 6]),
            ("actor_insert", &[1, 9]),
        ];
        assert_eq!(names(&waiting), ["actor_insert", "append_many", "item_insert", "note_insert"]);
        let sent = sent(&waiting);
        let array = |at: usize| match &sent[1].values[at] {
            Param::Many(values) => values.iter().map(Owned::number).collect(),
            Param::One(_) => vec![],
        };
        assert_eq!(sent[1].values.len(), parameters(text_of("append_many")));
        // No text; two presences, sorted; a place; the vault.
        let arrays = [array(1), array(27), array(28), array(46), array(58)];
        assert_eq!(arrays, [vec![], vec![2, 9], vec![3, 3], vec![5], vec![6]]);
    }

    #[test]
    fn one_row_in_each_table_needs_no_arrays() {
        let ones = HOT.iter().filter(|hot| hot.many == Some("append_many"));
        let rows: Vec<(_, Vec<i64>)> = ones
            .map(|hot| (hot.one, (1..=parameters(text_of(hot.one)) as i64).collect()))
            .collect();
        let waiting: Vec<_> = rows.iter().map(|(name, row)| (*name, row.as_slice())).collect();
        assert_eq!(names(&waiting), ["append"]);
        assert_eq!(sent(&waiting)[0].values.len(), parameters(text_of("append")));
        assert_eq!(written("append"), written("append_many"));
    }

    #[test]
    fn texts_of_a_vault_are_looked_up_together_after_its_lock() {
        let step = [("vault_locked", 1), ("content_equal", 1), ("content_equal", 1), ("key", 1)];
        let other = [("vault_locked", 2), ("content_equal", 2)];
        let step = step.iter().chain(&other).enumerate();
        let step = step.map(|(place, (name, vault))| (place, (*name, vec![Owned::Int(*vault); 3])));
        let (messages, places) = queries(step.collect());
        let names: Vec<_> = messages.iter().map(|message| message.name).collect();
        let expected =
            ["vault_locked", "content_equal_many", "key", "vault_locked", "content_equal"];
        assert_eq!(names, expected);
        assert_eq!(places, [vec![0], vec![1, 2], vec![3], vec![4], vec![5]]);
    }

    #[test]
    fn a_row_is_changed_once_and_a_table_by_one_statement() {
        let again = [("scope_head", &[1, 7, 1][..]), ("scope_head", &[1, 7, 1])];
        assert_eq!(names(&again), ["scope_head", "scope_head"]);
        let other_way = [("scope_shows", &[1, 7, 1][..]), ("scope_head", &[1, 8, 2])];
        assert_eq!(names(&other_way), ["scope_shows", "scope_head"]);
        let others =
            [("item_insert", &[1, 5][..]), ("places_close", &[1, 2]), ("item_insert", &[1, 6])];
        assert_eq!(names(&others), ["item_insert", "places_close", "item_insert"]);
    }

    /// Returns what each INSERT and UPDATE of a statement writes: the table and the columns.
    fn written(name: &str) -> Vec<(String, Vec<String>)> {
        let text = text_of(name).replace(['(', ')', ','], " ");
        let words: Vec<&str> = text.split_whitespace().collect();
        let starts =
            |at: &usize| words[*at] == "INTO" || (words[*at] == "UPDATE" && words[at + 1] != "SET");
        let columns = |from: usize| -> Vec<String> {
            let end = |it: &&&str| !["SELECT", "VALUES", "FROM", "WHERE"].contains(it);
            let all: Vec<&str> = words[from..].iter().take_while(end).copied().collect();
            match all.contains(&"=") {
                true => all.windows(2).filter(|it| it[1] == "=").map(|it| it[0].into()).collect(),
                false => all.iter().map(ToString::to_string).collect(),
            }
        };
        let found = (0..words.len()).filter(starts);
        found.map(|at| (words[at + 1].to_string(), columns(at + 2))).collect()
    }

    #[test]
    fn each_statement_for_many_rows_is_those_of_one_row() {
        let used: BTreeSet<_> = HOT.iter().filter_map(|hot| hot.many).collect();
        for many in &used {
            let ones: Vec<&Hot> = HOT.iter().filter(|hot| hot.many == Some(many)).collect();
            let each: Vec<_> = ones.iter().flat_map(|hot| written(hot.one)).collect();
            assert_eq!(written(many), each, "{many}");
            let count: usize = ones.iter().map(|hot| parameters(text_of(hot.one)) - 1).sum();
            assert_eq!(parameters(text_of(many)), count + 1, "{many}");
        }
        for hot in HOT {
            let tables: Vec<_> = written(hot.one).into_iter().map(|(table, _)| table).collect();
            assert_eq!(tables, [hot.table], "{}", hot.one);
        }
        // `content_equal_many` reads.
        let in_file = texts().map(|(name, _)| name).filter(|name| name.ends_with("_many"));
        let unused: Vec<_> =
            in_file.filter(|it| *it != "content_equal_many" && !used.contains(it)).collect();
        assert!(unused.is_empty(), "{unused:?}");
    }
}
