//! Stories: scripts of commands with their expected output, in `stories/` at the workspace's root.
//! They are the docs' examples.
//!
//! A line `$ ambit …` is a command; `< …` before its output is a line of its input; `? N` the exit
//! code where it is not 0; all other lines up to the next command are what it prints, with `[..]`
//! for whatever differs from run to run. Lines that begin with `#` are for the reader; the line
//! `# On a file.` marks a story that does not run on a server.

use std::fs;
use std::path::PathBuf;

use crate::place::Place;

#[derive(Debug, Default)]
pub struct Command {
    pub line: usize,
    pub words: Vec<String>,
    pub input: String,
    pub code: i32,
    pub output: Vec<String>,
}

#[test]
fn stories_print_the_expected_output() {
    tell_all(Place::empty, &|_| true, &mut on_the_command_line);
}

/// The same words from a team's server; but for what is about files.
#[test]
fn stories_print_the_expected_output_on_a_server() {
    let fits = |text: &str| !text.contains("\n# On a file.\n");
    tell_all(Place::on_server, &fits, &mut on_the_command_line);
}

fn on_the_command_line(place: &Place, commands: &[Command], path: &str) {
    commands.iter().for_each(|command| tell(place, command, path));
}

/// Tells a story's commands in a place.
pub type Teller<'a> = &'a mut dyn FnMut(&Place, &[Command], &str);

pub fn tell_all(place: fn() -> Place, fits: &dyn Fn(&str) -> bool, teller: Teller<'_>) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../stories");
    let mut stories: Vec<_> = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    stories.retain(|path| path.extension().is_some_and(|extension| extension == "story"));
    stories.sort();
    assert!(stories.len() >= 5, "where are the stories?");
    for path in stories {
        let text = fs::read_to_string(&path).unwrap();
        let commands = parse(&text);
        assert!(!commands.is_empty(), "{} tells nothing", path.display());
        if !fits(&text) {
            continue;
        }
        teller(&place(), &commands, &path.display().to_string());
    }
}

pub fn tell(place: &Place, command: &Command, path: &str) {
    let words: Vec<_> = command.words.iter().map(String::as_str).collect();
    let ran = place.run_with(&words, command.input.as_bytes());
    let printed = ran.out.clone() + &ran.err;
    let at = format!("{path}:{}: {words:?}", command.line);
    assert_eq!(ran.code, command.code, "{at} printed:\n{printed}");
    alike(&printed, &command.output, &at);
}

/// Fails if the printed text differs from the expected one.
pub fn alike(printed: &str, expected: &[String], at: &str) {
    let printed: Vec<_> = printed.lines().map(str::trim_end).collect();
    let alike = printed.len() == expected.len()
        && printed.iter().zip(expected).all(|(line, expected)| matches(line, expected));
    let expected = expected.join("\n");
    assert!(alike, "{at} printed:\n{}\nbut the story expects:\n{expected}", printed.join("\n"));
}

fn parse(text: &str) -> Vec<Command> {
    let mut commands: Vec<Command> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if let Some(command) = line.strip_prefix("$ ambit") {
            let words = words(command);
            commands.push(Command { line: number, words, ..Command::default() });
        } else if let Some(command) = commands.last_mut().filter(|_| !line.starts_with('#')) {
            if let Some(input) = line.strip_prefix("< ") {
                command.input += &format!("{input}\n");
            } else if let Some(code) = line.strip_prefix("? ") {
                command.code = code.trim().parse().unwrap();
            } else {
                command.output.push(line.trim_end().to_string());
            }
        }
    }
    for command in &mut commands {
        // Blank lines before the next command are for the eye.
        while command.output.last().is_some_and(String::is_empty) {
            command.output.pop();
        }
    }
    commands
}

/// Splits a command line into words; double quotes hold words together.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut quoted, mut any) = (String::new(), false, false);
    for c in line.chars() {
        match c {
            '"' => {
                quoted = !quoted;
                any = true;
            }
            ' ' if !quoted => {
                if any {
                    words.push(std::mem::take(&mut word));
                }
                any = false;
            }
            c => {
                word.push(c);
                any = true;
            }
        }
    }
    if any {
        words.push(word);
    }
    words
}

/// Returns whether a line is as expected; `[..]` matches anything.
fn matches(line: &str, expected: &str) -> bool {
    let mut parts = expected.split("[..]");
    let Some(mut rest) = parts.next().and_then(|first| line.strip_prefix(first)) else {
        return false;
    };
    let parts: Vec<_> = parts.collect();
    let Some((last, middle)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[test]
fn a_line_matches_the_expected_line_and_nothing_else() {
    assert!(matches("note 1a2b3c4 in main", "note [..] in main"));
    assert!(!matches("note 1a2b3c4 in main", "note [..] in step"));
    assert!(!matches("a note", "note"));
    assert!(matches("a b c d", "a[..]c[..]"));
    assert_eq!(words(" note -m \"two words\" \"\""), ["note", "-m", "two words", ""]);
}
