//! Answers: the envelope with `--json`, tables and colours on a terminal, plain text in a pipe.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use ambit::Kind;
use comfy_table::Table;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::failure::{Failure, exit_code};
use crate::session::Session;

/// What a verb answers.
pub struct Output {
    /// None where there is nothing to answer.
    result: Option<Box<RawValue>>,
    text: String,
    /// Set where the answer itself says that something is wrong.
    alarm: Option<Kind>,
    /// The text is somebody's own and goes out as it is.
    verbatim: bool,
}

#[derive(Serialize)]
struct Envelope<'a> {
    ok: bool,
    actor: &'a str,
    timestamp: String,
    result: &'a RawValue,
}

impl Output {
    pub fn new(answer: &impl Serialize, text: String) -> Result<Output, Failure> {
        let result = serde_json::value::to_raw_value(answer).map_err(|error| Failure {
            kind: Kind::Bug,
            message: format!("the answer could not be written as JSON: {error}"),
            hint: "please report this".into(),
        })?;
        Ok(Output { result: Some(result), text, alarm: None, verbatim: false })
    }

    /// No answer at all: what there was to say was said elsewhere.
    pub fn silent() -> Output {
        Output { result: None, text: String::new(), alarm: None, verbatim: true }
    }

    /// The answer as data, and as text without colours.
    pub fn into_parts(self) -> (Option<Box<RawValue>>, String) {
        let text = match self.verbatim {
            true => self.text,
            false => anstream::adapter::strip_str(&self.text).to_string(),
        };
        (self.result, text)
    }

    /// An answer whose text is written byte for byte.
    pub fn verbatim(self) -> Output {
        Output { verbatim: true, ..self }
    }

    /// An answer that exits like an error.
    pub fn alarming(self, kind: Kind) -> Output {
        Output { alarm: Some(kind), ..self }
    }

    pub fn print(&self, session: &Session) -> ExitCode {
        let printed = if let Some(result) = self.result.as_ref().filter(|_| session.json) {
            let envelope = Envelope {
                ok: true,
                actor: &session.actor,
                timestamp: session.timestamp(),
                result,
            };
            let text = serde_json::to_string(&envelope).unwrap_or_default();
            write(&mut std::io::stdout().lock(), &escaped(&text))
        } else if self.verbatim {
            write(&mut std::io::stdout().lock(), &self.text)
        } else {
            print(&self.text)
        };
        let alarm = self.alarm.or(printed.is_err().then_some(Kind::Store));
        alarm.map_or(ExitCode::SUCCESS, exit_code)
    }
}

/// Writes to standard output. A reader that closed the pipe early has what it wanted: what was
/// stored stays stored, and the exit code is that of the command. Any other failure is told.
pub fn print(text: &str) -> std::io::Result<()> {
    write(&mut anstream::stdout().lock(), text)
}

fn write(out: &mut impl Write, text: &str) -> std::io::Result<()> {
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            let _ = writeln!(anstream::stderr(), "error: the answer cannot be written: {error}");
            Err(error)
        }
        _ => Ok(()),
    }
}

pub fn on_terminal() -> bool {
    std::io::stdout().is_terminal()
}

/// Below this a table is wider than the terminal rather than broken to pieces.
const TERMINAL_WIDTH_MIN: u16 = 60;

/// A table with lines on a terminal, aligned columns in a pipe.
pub fn table(header: &[&str], rows: Vec<Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(if on_terminal() {
        comfy_table::presets::UTF8_FULL_CONDENSED
    } else {
        comfy_table::presets::NOTHING
    });
    // Some terminals do not know their width, or say 0: a table cannot be fitted to that.
    if table.width().is_some_and(|width| width >= TERMINAL_WIDTH_MIN) {
        table.set_content_arrangement(comfy_table::ContentArrangement::Dynamic);
    }
    table.set_header(header.to_vec());
    for row in rows {
        table.add_row(row.iter().map(|cell| clean(cell)).collect::<Vec<_>>());
    }
    let text = table.to_string();
    text.lines().map(|line| line.trim_end().to_string() + "\n").collect()
}

/// Stored text for a terminal: no control character but line ends and tabs, so that it cannot steer
/// the screen.
pub fn clean(text: &str) -> String {
    let harmless = |c: char| match c {
        '\n' | '\t' => c,
        _ if steers(c) => '\u{FFFD}',
        _ => c,
    };
    text.chars().map(harmless).collect()
}

/// Whether a character does something to a screen, or to the order of what is on it.
fn steers(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// JSON for a terminal: the same values, with escapes for what would steer the screen. JSON itself
/// only asks for those of the first 32 characters.
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

/// Where somebody stands: the active scopes, the primary one marked.
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

/// The active scopes, below an answer on a terminal. In a pipe the answer is all there is.
pub fn print_stands(session: &Session) {
    if session.json || !on_terminal() {
        return;
    }
    // It is only told along: where it cannot be, the answer stands.
    let here = session.engine().ok().and_then(|it| it.where_am_i(&session.caller()).ok());
    if let Some(here) = here {
        let stands = stands(here.primary_scope.as_deref(), &here.active_scopes);
        let _ = print(&format!("{}{}{}\n", style::DIM, stands.trim_end(), style::OFF));
    }
}

/// What an answer warns of, a line each.
pub fn warned(warnings: &[String]) -> String {
    warnings.iter().map(|warning| format!("warning: {}\n", clean(warning))).collect()
}

/// Numbers with a comma every three digits.
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

/// The noun in the right number.
pub fn counted(number: i64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(number))
}

/// ANSI styles; anstream takes them out where they do not belong.
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
