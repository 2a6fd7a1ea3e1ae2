//! Attributed turns: the turns of other actors, shown as text in a block that names the author.

use std::borrow::Cow;

use ambit_wire::forgotten;

use super::Shown;
use super::said::{called, shown_text};
use super::stub::handle;
use super::unit::Turn;
use super::window::Window;
use crate::{Form, rfc3339};

/// Renders another actor's turn, or a reply without its call, as text in a block that names the
/// author. The text is escaped so that it cannot close the block.
pub fn attributed(turn: Turn<'_>, window: &Window<'_>, share: Option<i64>) -> String {
    let first = &turn[0];
    let mut names = called(turn).into_iter().map(|called| called.name);
    let mut lines = vec![heading(first, window)];
    for row in turn {
        let text = match row.form {
            Form::Text | Form::Reply => shown_text(row, share).into_owned(),
            Form::Call => {
                let name = names.next().unwrap_or_default();
                format!("[calls {name}: {}]", shown_text(row, share))
            }
            _ if row.forgotten.is_some() => forgotten::MARK.to_string(),
            _ if row.text.is_empty() => continue,
            _ => {
                format!("[{} {}]", row.form.as_str(), handle(row.turn, row.block, &row.key))
            }
        };
        lines.push(escaped(&text).into_owned());
    }
    lines.push("</turn>".to_string());
    lines.join("\n")
}

/// Escapes a text so that it neither closes nor opens a block.
pub fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains("<turn") && !text.contains("</turn") {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace("</turn", "<\\/turn").replace("<turn", "<\\turn"))
}

pub fn heading(first: &Shown, window: &Window<'_>) -> String {
    let author = window.items.authors.get(&first.author);
    let name = author.map_or("", |author| author.name.as_str());
    let name = name.replace('"', "'").replace('<', "‹");
    let date = rfc3339(first.time);
    format!("<turn author=\"{name}\" role=\"{}\" date=\"{date}\">", first.role.as_str())
}
