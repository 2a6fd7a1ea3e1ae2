//! Answers in words: tables, numbers, and stored text that is safe on a terminal.

use comfy_table::Table;

use crate::session::Session;

/// On a narrower terminal a table overflows instead of wrapping.
const TERMINAL_WIDTH_MIN: u16 = 60;

/// A table with lines on a terminal, aligned columns elsewhere.
pub fn table(session: &Session, header: &[&str], rows: Vec<Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(match session.screen {
        Some(_) => comfy_table::presets::UTF8_FULL_CONDENSED,
        None => comfy_table::presets::NOTHING,
    });
    if let Some(width) = session.screen.filter(|width| *width >= TERMINAL_WIDTH_MIN) {
        table.set_width(width);
        table.set_content_arrangement(comfy_table::ContentArrangement::Dynamic);
    }
    table.set_header(header.to_vec());
    for row in rows {
        table.add_row(row.iter().map(|cell| clean(cell)).collect::<Vec<_>>());
    }
    let text = table.to_string();
    text.lines().map(|line| line.trim_end().to_string() + "\n").collect()
}

/// Returns stored text without control characters, except newlines and tabs: it cannot control the
/// terminal.
pub fn clean(text: &str) -> String {
    let harmless = |c: char| match c {
        '\n' | '\t' => c,
        _ if steers(c) => '\u{FFFD}',
        _ => c,
    };
    text.chars().map(harmless).collect()
}

/// Returns whether a character controls a terminal or changes the direction of text.
fn steers(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Returns JSON for a terminal: the same values, with control characters escaped. JSON itself
/// requires escapes only for the first 32 characters.
pub fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len() + 1);
    for c in json.chars() {
        match c {
            _ if steers(c) => out += &format!("\\u{:04x}", c as u32),
            _ => out.push(c),
        }
    }
    out + "\n"
}

/// Lists the active scopes and marks the primary one.
pub fn stands(primary: Option<&str>, active: &[String]) -> String {
    let name = |scope: &String| match Some(scope.as_str()) == primary {
        true => format!("{}*", clean(scope)),
        false => clean(scope),
    };
    let names: Vec<_> = active.iter().map(name).collect();
    match names.is_empty() {
        true => "active: none\n".to_string(),
        false => format!("active: {}\n", names.join(", ")),
    }
}

/// Prints the warnings of an answer, one per line.
pub fn warned(warnings: &[String]) -> String {
    warnings.iter().map(|warning| format!("warning: {}\n", clean(warning))).collect()
}

/// Formats a number with a comma every three digits.
pub fn grouped(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if number < 0 { format!("-{out}") } else { out }
}

/// Returns a count with its noun, singular or plural.
pub fn counted(number: i64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(number))
}

/// ANSI styles; anstream removes them if the output is not a terminal.
pub mod style {
    pub const BOLD: &str = "\u{1b}[1m";
    pub const DIM: &str = "\u{1b}[2m";
    pub const RED: &str = "\u{1b}[31m";
    pub const GREEN: &str = "\u{1b}[32m";
    pub const CYAN: &str = "\u{1b}[36m";
    pub const OFF: &str = "\u{1b}[0m";
}

#[cfg(test)]
mod tests {
    use super::{clean, escaped, grouped};

    #[test]
    fn stored_text_cannot_steer_a_terminal() {
        assert_eq!(
            clean("a\u{1b}[31mb\n\tc\u{202E}d\u{9b}e"),
            "a\u{FFFD}[31mb\n\tc\u{FFFD}d\u{FFFD}e"
        );
    }

    #[test]
    fn json_means_the_same_and_cannot_steer_a_terminal() {
        let text = "a\u{1b}b\n\u{9b}2J\u{7f}\u{202E}\u{2028}é\u{1F511}";
        let json = serde_json::to_string(text).unwrap();
        let out = escaped(&json);
        assert_eq!(out.trim_end().chars().find(|c| super::steers(*c)), None, "{out}");
        assert_eq!(serde_json::from_str::<String>(&out).unwrap(), text);
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(1234567), "1,234,567");
        assert_eq!(grouped(-1000), "-1,000");
    }
}
