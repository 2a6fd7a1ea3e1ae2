//! The tools, in their fixed order: each a verb's struct, when to use it, and what it may do.

use std::sync::Arc;

use rmcp::model::{Tool as Listed, ToolAnnotations};
use serde_json::{Value, json};

use super::answers::{self, APPENDED, COMPOSED, FOUND, NOTED, SWITCHED};
use super::arguments::{self, Object, parse, properties};
use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;
use crate::verbs;

/// Which tools there are beside those for everybody.
#[derive(Clone, Copy, Debug, Default)]
pub struct Offered {
    pub admin: bool,
    pub nothing: bool,
}

/// One tool.
pub struct Tool {
    pub name: &'static str,
    description: String,
    marks: Marks,
    input: Arc<Object>,
    output: Option<Arc<Object>>,
    run: Run,
}

type Run = fn(&Object, &str, &Session) -> Result<Output, Failure>;

/// What a tool may do.
#[derive(Clone, Copy)]
struct Marks {
    reads: bool,
    /// The same call again brings nothing about that the first did not.
    repeats: bool,
    destroys: bool,
    /// It is done in a store, which has to be there.
    stored: bool,
}

const READS: Marks = Marks { reads: true, repeats: true, destroys: false, stored: true };
const ADDS: Marks = Marks { reads: false, repeats: false, destroys: false, stored: true };
const SETS: Marks = Marks { reads: false, repeats: true, destroys: false, stored: true };
const DESTROYS: Marks = Marks { reads: false, repeats: false, destroys: true, stored: true };
const JUDGES: Marks = Marks { reads: true, repeats: true, destroys: false, stored: false };

macro_rules! tools {
    ($($name:literal $marks:ident $args:ty $(=> $fields:ident)?: $description:literal;)+) => {
        vec![$(Tool {
            name: $name,
            description: $description.into(),
            marks: $marks,
            input: Arc::new(arguments::schema::<$args>()),
            output: None $(.or(Some(Arc::new(answers::schema($fields)))))?,
            run: |schema, arguments, session| parse::<$args>(schema, arguments)?.run(session),
        }),+]
    };
}

/// All tools that are offered. A client may cache their list as part of its prompt: new ones go to
/// the end.
pub fn all(offered: Offered) -> Vec<Tool> {
    let mut tools = tools! {
        "where" READS verbs::where_am_i::Where:
            "Where you are: your scope, what is in sight, calls that wait for a reply.";
        "scope" SETS verbs::scope::Scope => SWITCHED:
            "Open a new scope and go there. Use it before a sub-task whose details the rest of \
             the work will not need: reading files, debugging, trying things out. The note stays \
             in the scope you leave and says why.";
        "goto" SETS verbs::goto::Goto => SWITCHED:
            "Go to an existing scope, as a rule back to main when a sub-task is done. The note \
             is written on arrival: the result you bring, in a line. Details stay behind.";
        "note" ADDS verbs::note::Note => NOTED:
            "Keep a finding, decision or next step in the current scope. Notes outlast messages \
             and are shown first; write one before details go out of sight.";
        "append" ADDS verbs::append::Append => APPENDED:
            "Record messages of the conversation in the current scope, all or none.";
        "compose" READS verbs::compose::Compose => COMPOSED:
            "What to show a model now: notes and messages of the current scope within a budget \
             of tokens; what was left out has handles. Use it to resume work.";
        "read" READS verbs::read::Read:
            "Read back what a handle, a turn or a note's hash stands for, also when it is out of \
             sight; a long text in parts, each of which names the next.";
        "notes" READS verbs::notes::Notes:
            "A scope's notes, oldest first: what was done and found there.";
        "scopes" READS verbs::scopes::Scopes:
            "All scopes with their sizes. Look here before opening one.";
        "rewind" SETS verbs::rewind::Rewind:
            "Hide all messages after a turn, to try again from there. Nothing is lost.";
        "search" READS verbs::search::Search => FOUND:
            "Find by their words what was said or noted, in any scope, also what is out of sight. \
             Look here before you ask or work something out again; read gives a hit in full.";
        "check" JUDGES verbs::check::Check:
            "What a provider would refuse in a request, and where.";
        "insight" ADDS verbs::insight::Insight:
            "Keep what holds for all work in this project: it is shown in every scope, to \
             everybody. Retract one that holds no more.";
        "insights" READS verbs::insights::Insights:
            "What is known to hold in every scope, with who found it.";
    };
    if offered.admin {
        tools.push(keep());
    }
    if offered.nothing {
        tools.extend(tools! { "nothing" READS Nothing: "Does nothing."; });
    }
    tools
}

/// What the tool `keep` can do. None of it takes a file's path: who calls may be on another machine
/// one day, and is a model today.
fn operations() -> Vec<Tool> {
    tools! {
        "settings" SETS verbs::settings::Settings: "";
        "log" READS verbs::log::Log: "";
        "verify" READS verbs::verify::Verify: "";
        "rebuild" SETS verbs::rebuild::Rebuild: "";
        "gc" SETS verbs::gc::Gc: "";
        "forget" DESTROYS verbs::forget::Forget: "";
        "doctor" READS verbs::doctor::Doctor: "";
    }
}

/// The keeping verbs as one tool.
fn keep() -> Tool {
    let operations = operations();
    let takes = |tool: &Tool| {
        let names: Vec<_> = properties(&tool.input).map(|(name, _)| name.as_str()).collect();
        format!("{}({})", tool.name, names.join(", "))
    };
    let list: Vec<_> = operations.iter().map(takes).collect();
    let names: Vec<_> = operations.iter().map(|tool| tool.name).collect();
    let input = json!({
        "type": "object",
        "properties": {"op": {"type": "string", "enum": names}},
        "required": ["op"],
        "additionalProperties": true,
    });
    Tool {
        name: "keep",
        description: format!(
            "Keep the store in order, when a person asks for it. Operations with their arguments, \
             given beside op: {}.",
            list.join(", ")
        ),
        marks: DESTROYS,
        input: Arc::new(input.as_object().cloned().unwrap_or_default()),
        output: None,
        run: run_operation,
    }
}

fn run_operation(_: &Object, given: &str, session: &Session) -> Result<Output, Failure> {
    let given: Object = serde_json::from_str(given).unwrap_or_default();
    let (op, mut rest) = (given.get("op").cloned(), given);
    rest.shift_remove("op");
    let operations = operations();
    let known = operations.iter().find(|it| op.as_ref() == Some(&Value::from(it.name)));
    let tool = known.ok_or_else(|| {
        let names: Vec<_> = operations.iter().map(|tool| tool.name).collect();
        let what = match op {
            None => "the argument \"op\" is missing".to_string(),
            Some(op) => format!("there is no operation {op}"),
        };
        Failure::usage(what, format!("op is one of: {}", names.join(", ")))
    })?;
    tool.run(&Value::Object(rest).to_string(), session)
}

impl Tool {
    pub fn run(&self, arguments: &str, session: &Session) -> Result<Output, Failure> {
        (self.run)(&self.input, arguments, session)
    }

    pub fn needs_store(&self) -> bool {
        self.marks.stored
    }

    /// As a client is shown it.
    pub fn listed(&self) -> Listed {
        let marks = ToolAnnotations::new()
            .read_only(self.marks.reads)
            .destructive(self.marks.destroys)
            .idempotent(self.marks.repeats)
            .open_world(false);
        let mut tool = Listed::new(self.name, self.description.clone(), self.input.clone());
        tool.output_schema = self.output.clone();
        tool.annotations = Some(marks);
        tool
    }
}

/// A verb that does nothing.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Nothing {}

impl Nothing {
    fn run(&self, _: &Session) -> Result<Output, Failure> {
        Output::new(&json!({}), String::new())
    }
}

#[cfg(test)]
mod tests {
    use super::{Offered, all, operations};
    use crate::mcp::arguments::properties;

    /// What a client pays for the list at every call of its model.
    const TOKENS_MAX: u64 = 2_500;

    /// Beyond this a well-known client cuts a description without a word.
    const DESCRIPTION_CHARS_MAX: usize = 2_048;

    #[test]
    fn the_list_of_tools_is_small() {
        for offered in [Offered::default(), Offered { admin: true, nothing: false }] {
            let listed: Vec<_> = all(offered).iter().map(|tool| tool.listed()).collect();
            let json = serde_json::to_string(&listed).unwrap();
            let tokens = ambit::tokens::count(&json);
            println!("{} tools cost {tokens} tokens", listed.len());
            assert!(tokens < TOKENS_MAX, "{tokens} tokens: {json}");
            for tool in listed {
                let description = tool.description.unwrap_or_default();
                assert!(!description.is_empty(), "{} does not say when to use it", tool.name);
                assert!(description.chars().count() < DESCRIPTION_CHARS_MAX, "{}", tool.name);
            }
        }
    }

    #[test]
    fn nothing_takes_the_path_of_a_file() {
        for tool in all(Offered { admin: true, nothing: true }).iter().chain(&operations()) {
            for (name, _) in properties(&tool.input) {
                let path = ["file", "path", "input", "folder", "store"].contains(&name.as_str());
                assert!(!path, "{} takes {name}", tool.name);
            }
        }
    }
}
