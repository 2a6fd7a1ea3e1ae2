//! All stories once more, told by tools: a command line becomes a call, and what it prints becomes
//! the text of the answer. Commands that are no tools, because they are about files or make the
//! store itself, are still given on the command line.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::client::Client;
use crate::place::Place;
use crate::stories::{Command, alike, tell, tell_all};

/// What has no tool, or takes a file where the tool takes data.
const NO_TOOLS: [&str; 5] = ["init", "backup", "export", "import", "check"];

/// What stands behind tools with an `op`.
const GROUPS: [(&str, &[&str]); 4] = [
    ("keep", &["settings", "log", "verify", "rebuild", "gc", "tidy", "forget", "revert", "doctor"]),
    ("attend", &["context", "enter", "leave", "focus", "break", "suggest", "place", "objects"]),
    ("trace", &["why", "history", "related", "views", "diff", "meta"]),
    ("subagent", &["fork", "rejoin", "abandon"]),
];

/// How long a process may take to leave.
const LEAVE: Duration = Duration::from_secs(10);

#[test]
fn stories_print_the_expected_output_by_tools() {
    told_by_tools(Place::empty, &|_| true);
}

#[test]
fn stories_print_the_expected_output_by_tools_on_a_server() {
    told_by_tools(Place::on_server, &|text| !text.contains("\n# On a file.\n"));
}

fn told_by_tools(place: fn() -> Place, fits: &dyn Fn(&str) -> bool) {
    let mut by_tools = BTreeSet::new();
    tell_all(place, fits, &mut |place, commands, path| {
        // One process for the whole story, and one for each command that says otherwise who acts,
        // or where.
        let mut client = started(place, &[]);
        for command in commands {
            let verb = command.words[0].as_str();
            if NO_TOOLS.contains(&verb) {
                tell(place, command, path);
                continue;
            }
            let call = Call::of(command);
            let own = !call.globals.is_empty();
            let mut other = own.then(|| started(place, &call.globals));
            call.tell(place, other.as_mut().unwrap_or(&mut client), command, path);
            if let Some(other) = other {
                other.leave(LEAVE);
            }
            by_tools.insert(verb.to_string());
        }
    });
    let tools = ["where", "scope", "goto", "note", "append", "compose", "read", "notes", "scopes"];
    for verb in tools.iter().chain(&["rewind", "verify", "forget"]) {
        assert!(by_tools.contains(*verb), "no story tells of {verb}");
    }
}

/// As the command line would act: for the user, and who is new is an operator.
fn started(place: &Place, globals: &[String]) -> Client {
    let mut arguments = vec!["--admin"];
    arguments.extend(globals.iter().map(String::as_str));
    if !globals.iter().any(|word| word == "--as") {
        arguments.extend(["--as", "ada"]);
    }
    let asked = [&["where", "--json"], &arguments[1..]].concat();
    let known = place.run(&asked).out.contains("\"registered\":true");
    if !known && !globals.iter().any(|word| word == "--kind") {
        arguments.extend(["--kind", "operator"]);
    }
    Client::named(place, "storyteller", &arguments)
}

/// A command line as a call.
pub struct Call {
    pub globals: Vec<String>,
    tool: String,
    pub arguments: Map<String, Value>,
}

impl Call {
    pub fn of(command: &Command) -> Call {
        let (verb, rest) = command.words.split_first().unwrap();
        let mut call = Call { globals: Vec::new(), tool: verb.clone(), arguments: Map::new() };
        let mut plain = Vec::new();
        let mut words = rest.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--as" | "--scope" | "--vault" | "--store" | "--kind" => {
                    call.globals.extend([word.clone(), words.next().unwrap().clone()]);
                }
                "--full" => {}
                "-m" => {
                    let name = match verb.as_str() {
                        "note" | "insight" => "message",
                        "fork" => "task",
                        _ => "note",
                    };
                    call.arguments.insert(name.into(), json!(words.next().unwrap()));
                }
                "--quick" | "--snapshot" | "--below" | "--dry-run" | "--vacuum" | "--yes"
                | "--unset" | "--force" | "--no-visit" | "--out" | "--deep" | "--changes" => {
                    call.arguments.insert(word[2..].replace('-', "_"), json!(true));
                }
                "--budget" | "--expect-head" | "--limit" | "--after" => {
                    let number: i64 = words.next().unwrap().parse().unwrap();
                    call.arguments.insert(word[2..].replace('-', "_"), json!(number));
                }
                flag if flag.starts_with("--") => {
                    call.arguments
                        .insert(flag[2..].replace('-', "_"), json!(words.next().unwrap()));
                }
                _ => plain.push(word.clone()),
            }
        }
        call.place(&plain, &command.input);
        let group = GROUPS.iter().find(|(_, verbs)| verbs.contains(&call.tool.as_str()));
        if let Some((group, _)) = group {
            call.arguments.insert("op".into(), json!(call.tool));
            call.tool = group.to_string();
        }
        call
    }

    /// Words without a flag, by what the verb makes of them.
    fn place(&mut self, plain: &[String], input: &str) {
        let names: &[&str] = match self.tool.as_str() {
            "scope" | "goto" | "notes" => &["name"],
            "read" => &["handle"],
            "backup" | "export" | "import" | "check" => &["file"],
            "settings" => &["name", "value"],
            "get" | "why" | "related" | "meta" | "diff" | "history" => &["id"],
            "context" => &["of"],
            "enter" | "leave" | "focus" => &["scope"],
            "place" => &["id", "scope"],
            "fork" => &["name"],
            "rejoin" | "abandon" => &["child"],
            "revert" => &["event"],
            _ => &[],
        };
        for (name, word) in names.iter().zip(plain) {
            let number = word.parse::<i64>().ok().filter(|_| *name == "event");
            self.arguments.insert(name.to_string(), number.map_or(json!(word), |it| json!(it)));
        }
        if self.tool == "search" {
            self.arguments.insert("query".into(), json!(plain.join(" ")));
        }
        if self.tool == "forget" && !plain.is_empty() {
            self.arguments.insert("names".into(), json!(plain));
        }
        if self.tool == "append" {
            let messages = match self.arguments.shift_remove("role") {
                None => input.lines().map(|line| serde_json::from_str(line).unwrap()).collect(),
                Some(role) => {
                    let mut message = json!({"role": role});
                    if let Some(id) = self.arguments.shift_remove("tool_call_id") {
                        message["tool_call_id"] = id;
                    }
                    message["content"] = json!(plain[0]);
                    vec![message]
                }
            };
            self.arguments.insert("messages".into(), json!(messages));
        }
    }

    fn tell(&self, place: &Place, client: &mut Client, command: &Command, path: &str) {
        let at = format!("{path}:{}: {} {:?}", command.line, self.tool, self.arguments);
        let answer = client.call(&self.tool, json!(self.arguments));
        let envelope = &answer["structuredContent"];
        let text = match &envelope["error"] {
            Value::Null => answer["content"][0]["text"].as_str().unwrap().to_string(),
            error => {
                let word = |name: &str| error[name].as_str().unwrap().to_string();
                let hint = word("hint");
                assert!(!hint.contains("--") && !hint.contains("`ambit "), "{at}: {hint}");
                // The hint is in this interface's own terms; the story has the command line's.
                let told = command.output.iter().find(|line| line.starts_with("hint: "));
                format!("error: {}\n{}\n", word("message"), told.map_or("", |line| line))
            }
        };
        assert_eq!(code(envelope), command.code, "{at} answered:\n{answer}");
        if self.tool == "compose" && command.code == 0 {
            // To a model it is shown without what is drawn for people: the data has to be the same.
            let mut words = vec!["--json".to_string()];
            words.extend(command.words.clone());
            let words: Vec<_> = words.iter().map(String::as_str).collect();
            let ran = place.run(&words);
            let told: Value = serde_json::from_str(&ran.out).unwrap();
            assert_eq!(envelope["result"], told["result"], "{at}");
            return tell(place, command, path);
        }
        alike(&text, &in_own_terms(&text, &command.output), &at);
    }
}

/// The expected lines, where those that name a command or a flag go on in this interface's terms.
fn in_own_terms(text: &str, expected: &[String]) -> Vec<String> {
    let named = |line: &str| ["ambit ", " --"].iter().filter_map(|it| line.find(it)).min();
    let mut lines = text.lines();
    let own = |told: &String| match (lines.next(), named(told)) {
        (Some(line), Some(end)) if named(line).is_none() && line.starts_with(&told[..end]) => {
            line.to_string()
        }
        _ => told.clone(),
    };
    expected.iter().map(own).collect()
}

/// The exit code that the command line would have.
fn code(envelope: &Value) -> i32 {
    let codes = ["bug", "usage", "not_found", "conflict", "refused", "store", "busy"];
    let error = envelope["error"]["code"].as_str();
    error.map_or(0, |error| codes.iter().position(|it| *it == error).unwrap() as i32 + 1)
}
