//! Statements that wait together become one. To a server each statement is a message, an answer
//! and a wake-up on both sides, which cost more than most rows. So rows of the same statement
//! become one statement over arrays, and statements that change different tables become the parts
//! of one.
//!
//! The parts of one statement see the store as it was before all of them, in no order. So a bundle
//! has one statement for each table, and changes each row once; whatever else comes, ends it.

use std::collections::{BTreeMap, HashSet};

use tokio_postgres::types::Type;

use super::merge::Waiting;
use super::value::{Owned, Param};

/// Statements that change a row, and by how many of their first parameters it is known. Statements
/// that insert rows, and do nothing else, need not be named.
const CHANGING: [(&str, usize); 12] = [
    ("actor_focus", 2),
    ("actor_view", 2),
    ("actor_view_opened", 2),
    ("frame_remember", 3),
    ("presence_enter", 3),
    ("presence_here", 3),
    ("presence_leave", 3),
    ("scope_head", 2),
    ("scope_last_note", 2),
    ("scope_shows", 2),
    ("vault_update", 1),
    ("view_end", 2),
];

/// Statements that go together, each with all its rows.
#[derive(Default)]
pub(super) struct Bundle {
    pub parts: Vec<(&'static str, Vec<Vec<Owned>>)>,
}

/// What a bundle is prepared as: its statements, and which of them are over arrays.
pub(super) type Shape = Vec<(&'static str, bool)>;

impl Bundle {
    pub fn shape(&self) -> Shape {
        self.parts.iter().map(|(name, rows)| (*name, rows.len() > 1)).collect()
    }

    /// Its parameters, in the order of its statements: of the one row, or of each parameter the
    /// values of all rows.
    pub fn values(self) -> Vec<Param> {
        let mut values = Vec::new();
        for (_, mut rows) in self.parts {
            if rows.len() == 1 {
                values.extend(rows.remove(0).into_iter().map(Param::One));
                continue;
            }
            let width = rows.first().map_or(0, Vec::len);
            let mut columns: Vec<Vec<Owned>> = (0..width).map(|_| Vec::new()).collect();
            for row in rows {
                columns.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
            }
            values.extend(columns.into_iter().map(Param::Many));
        }
        values
    }
}

/// Puts what waits into as few bundles as its order allows.
pub(super) fn bundles(
    waiting: Vec<Waiting>,
    text_of: impl Fn(&str) -> &'static str,
) -> Vec<Bundle> {
    let mut all = Vec::new();
    let mut open = Open::default();
    for (name, values) in waiting {
        let Some((table, key)) = known(name, text_of(name)) else {
            all.extend(open.end());
            all.push(Bundle { parts: vec![(name, vec![values])] });
            continue;
        };
        let row = (table, values.iter().take(key).map(Owned::number).collect::<Vec<_>>());
        let other = open.tables.get(table).is_some_and(|there| *there != name);
        if other || (key > 0 && open.changed.contains(&row)) {
            all.extend(open.end());
        }
        if key > 0 {
            open.changed.insert(row);
        }
        open.tables.insert(table, name);
        match open.bundle.parts.iter_mut().find(|(there, _)| *there == name) {
            Some((_, rows)) => rows.push(values),
            None => open.bundle.parts.push((name, vec![values])),
        }
    }
    all.extend(open.end());
    all
}

/// The bundle that is being filled.
#[derive(Default)]
struct Open {
    bundle: Bundle,
    /// The one statement for each table.
    tables: BTreeMap<&'static str, &'static str>,
    changed: HashSet<(&'static str, Vec<i64>)>,
}

impl Open {
    fn end(&mut self) -> Option<Bundle> {
        let Open { bundle, .. } = std::mem::take(self);
        (!bundle.parts.is_empty()).then_some(bundle)
    }
}

/// The table of a statement that can be part of a bundle, and how many parameters name its row:
/// none where the row is new.
fn known(name: &str, text: &'static str) -> Option<(&'static str, usize)> {
    let mut words = text.split_whitespace();
    let changing = CHANGING.iter().find(|(known, _)| *known == name);
    match (words.next()?, changing) {
        ("UPDATE", Some((_, key))) => Some((words.next()?, *key)),
        ("INSERT", changing) => {
            let inserts = text.contains(VALUES) && !text.contains("ON CONFLICT");
            let key = changing.map(|(_, key)| *key).or(inserts.then_some(0))?;
            Some((words.nth(1)?, key))
        }
        _ => None,
    }
}

const VALUES: &str = "VALUES (";

/// One statement: its text, and the types of its parameters.
pub(super) struct Piece<'a> {
    pub text: &'a str,
    pub types: &'a [Type],
    pub many: bool,
}

/// The text of a bundle.
pub(super) fn text(pieces: &[Piece<'_>]) -> String {
    let mut before = 0;
    let mut parts = Vec::new();
    for piece in pieces {
        parts.push(match piece.many {
            true => over_arrays(piece, before),
            false => numbered(piece.text, |number| format!("${}", before + number)),
        });
        before += piece.types.len();
    }
    let last = match check(pieces) {
        Some(check) => check,
        None => parts.pop().unwrap_or_default(),
    };
    if parts.is_empty() {
        return last;
    }
    let part = |(at, part): (usize, &String)| format!("part_{at} AS ({part})");
    let with: Vec<String> = parts.iter().enumerate().map(part).collect();
    format!("WITH {} {last}", with.join(", "))
}

/// How statements end that must not miss a row.
const COUNTED: &str = "RETURNING 1";

/// What fails, and all parts with it, where one of them has missed a row that it is for. None where
/// no part is counted.
fn check(pieces: &[Piece<'_>]) -> Option<String> {
    let mut before = 0;
    let mut all = Vec::new();
    for (at, piece) in pieces.iter().enumerate() {
        if piece.text.ends_with(COUNTED) {
            let rows = match (piece.many, piece.types.first()) {
                (true, Some(kind)) => format!("cardinality(${}::{}[])", before + 1, kind.name()),
                _ => "1".to_string(),
            };
            all.push(format!("(SELECT COUNT(*) FROM part_{at}) = {rows}"));
        }
        before += piece.types.len();
    }
    let all = all.join(" AND ");
    (!all.is_empty()).then(|| format!("SELECT 1 / (CASE WHEN {all} THEN 1 ELSE 0 END)"))
}

/// The same statement for many rows: each parameter is an array, and a row has one value of each.
fn over_arrays(piece: &Piece<'_>, before: usize) -> String {
    let array = |(at, kind): (usize, &Type)| format!("${}::{}[]", before + at + 1, kind.name());
    let arrays: Vec<String> = piece.types.iter().enumerate().map(array).collect();
    let columns: Vec<String> = (1..=arrays.len()).map(|number| format!("p{number}")).collect();
    let rows = format!("FROM unnest({}) AS anew({})", arrays.join(", "), columns.join(", "));
    let text = numbered(piece.text, |number| format!("anew.p{number}"));
    match text.split_once(VALUES) {
        Some((front, rest)) => {
            // What stands between the brackets has none of its own.
            let (values, tail) = rest.split_once(')').unwrap_or((rest, ""));
            format!("{front}SELECT {values} {rows}{tail}")
        }
        None => text.replacen("WHERE", &format!("{rows} WHERE"), 1),
    }
}

/// A text with something else for each parameter.
fn numbered(text: &str, with: impl Fn(usize) -> String) -> String {
    let mut parts = text.split('$');
    let mut out = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
        out += &part[..end].parse().map_or_else(|_| "$".to_string(), &with);
        out += &part[end..];
    }
    out
}

#[cfg(test)]
mod tests {
    use tokio_postgres::types::Type;

    use super::{Piece, bundles, text};
    use crate::postgres::value::Owned;

    const ITEM: &str = "INSERT INTO item (a, b) VALUES ($1, $2)";
    const HERE: &str = "INSERT INTO presence (a, b, c, d) VALUES ($1, $2, NULL, $3)\n\
        ON CONFLICT (a) DO UPDATE SET b = excluded.b";
    const SCOPE: &str = "UPDATE scope SET s = s + $3 WHERE vault = $1 AND scope = $2";
    const HEAD: &str = "UPDATE scope SET h = $3 WHERE vault = $1 AND scope = $2";
    const OTHERS: &str = "UPDATE presence SET b = $2 WHERE a <> $1";

    fn text_of(name: &str) -> &'static str {
        match name {
            "item_insert" => ITEM,
            "presence_here" => HERE,
            "scope_shows" => SCOPE,
            "scope_head" => HEAD,
            _ => OTHERS,
        }
    }

    fn shapes(waiting: &[(&'static str, &[i64])]) -> Vec<String> {
        let owned = |values: &[i64]| values.iter().map(|it| Owned::Int(*it)).collect();
        let waiting = waiting.iter().map(|(name, values)| (*name, owned(values))).collect();
        let all = bundles(waiting, text_of);
        let word = |(name, many): &(&str, bool)| format!("{name}{}", if *many { "[]" } else { "" });
        all.iter().map(|it| it.shape().iter().map(word).collect::<Vec<_>>().join(" ")).collect()
    }

    #[test]
    fn what_changes_other_tables_or_rows_goes_together() {
        let many = [
            ("item_insert", &[1, 5][..]),
            ("presence_here", &[1, 2, 3]),
            ("scope_shows", &[1, 7, 1]),
            ("item_insert", &[1, 6]),
            ("presence_here", &[1, 2, 4]),
        ];
        assert_eq!(shapes(&many), ["item_insert[] presence_here[] scope_shows"]);
    }

    #[test]
    fn a_row_is_changed_once_and_a_table_in_one_way() {
        let again = [("scope_shows", &[1, 7, 1][..]), ("scope_shows", &[1, 7, 2])];
        assert_eq!(shapes(&again), ["scope_shows", "scope_shows"]);
        let other_row = [("scope_shows", &[1, 7, 1][..]), ("scope_shows", &[1, 8, 2])];
        assert_eq!(shapes(&other_row), ["scope_shows[]"]);
        let other_way = [("scope_shows", &[1, 7, 1][..]), ("scope_head", &[1, 8, 2])];
        assert_eq!(shapes(&other_way), ["scope_shows", "scope_head"]);
        let unknown = [("item_insert", &[1, 5][..]), ("others", &[1, 2]), ("item_insert", &[1, 6])];
        assert_eq!(shapes(&unknown), ["item_insert", "others", "item_insert"]);
    }

    #[test]
    fn texts_are_put_together_and_numbered_anew() {
        let three = [Type::INT8, Type::INT8, Type::BYTEA];
        let piece = |text, many| {
            let count = if text == ITEM { 2 } else { 3 };
            Piece { text, types: &three[..count], many }
        };
        assert_eq!(text(&[piece(ITEM, false)]), ITEM);
        assert_eq!(
            text(&[piece(ITEM, true), piece(SCOPE, false)]),
            "WITH part_0 AS (INSERT INTO item (a, b) SELECT anew.p1, anew.p2 \
             FROM unnest($1::int8[], $2::int8[]) AS anew(p1, p2)) \
             UPDATE scope SET s = s + $5 WHERE vault = $3 AND scope = $4"
        );
        let rows = "FROM unnest($1::int8[], $2::int8[], $3::bytea[]) AS anew(p1, p2, p3)";
        assert_eq!(
            text(&[piece(HERE, true)]),
            format!(
                "INSERT INTO presence (a, b, c, d) SELECT anew.p1, anew.p2, NULL, anew.p3 {rows}\n\
                 ON CONFLICT (a) DO UPDATE SET b = excluded.b"
            )
        );
        assert_eq!(
            text(&[piece(SCOPE, true)]),
            format!(
                "UPDATE scope SET s = s + anew.p3 {rows} WHERE vault = anew.p1 AND scope = anew.p2"
            )
        );
    }
}
