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
            input: Arc::new(with_actor(arguments::schema::<$args>(), $marks)),
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
        "put" ADDS verbs::put::Put:
            "Keep a file, document, contact or any other thing, or its next version, by name. \
             What you had in mind is recorded with it.";
        "get" ADDS verbs::get::Get:
            "An object's text by name or id, or a note's by hash. It comes to mind by that, \
             unless no_visit.";
    };
    tools.extend(GROUPS.iter().map(|group| group.tool()));
    if offered.admin {
        tools.push(KEEP.tool());
    }
    if offered.nothing {
        tools.extend(tools! { "nothing" READS Nothing: "Does nothing."; });
    }
    tools
}

/// Verbs that stand behind one tool: what an agent seldom needs would cost too much as tools of
/// their own.
struct Group {
    name: &'static str,
    description: &'static str,
    marks: Marks,
    operations: fn() -> Vec<Tool>,
    run: Run,
}

const GROUPS: [Group; 3] = [
    Group {
        name: "attend",
        description: "What you have in mind and where you stand: context shows the frame, enter, \
                      leave and focus choose scopes, break begins a new chapter.",
        marks: ADDS,
        operations: || {
            tools! {
                "context" READS verbs::context::Context: "";
                "enter" SETS verbs::enter::Enter: "";
                "leave" SETS verbs::leave::Leave: "";
                "focus" SETS verbs::focus::Focus: "";
                "break" SETS verbs::break_off::Break: "";
                "suggest" READS verbs::suggest::Suggest: "";
                "place" SETS verbs::place::Place: "";
                "objects" READS verbs::objects::Objects: "";
            }
        },
        run: |_, given, session| GROUPS[0].run(given, session),
    },
    Group {
        name: "trace",
        description: "Ask back: why a change was made (an event, object or note: who, what was in \
                      mind, what came before), history of a thing, scope (of) or actor (by), \
                      related things, a stream of views, diff and meta of an object.",
        marks: READS,
        operations: || {
            tools! {
                "why" READS verbs::why::Why: "";
                "history" READS verbs::history::History: "";
                "related" READS verbs::related::Related: "";
                "views" READS verbs::views::Views: "";
                "diff" READS verbs::diff::Diff: "";
                "meta" READS verbs::meta::Meta: "";
            }
        },
        run: |_, given, session| GROUPS[1].run(given, session),
    },
    Group {
        name: "subagent",
        description: "Hand work over: fork makes a subagent with a scope and a frame of its own, \
                      and answers what it needs to start; then give its name as actor. rejoin \
                      brings its result back as a note, abandon gives it up.",
        marks: ADDS,
        operations: || {
            tools! {
                "fork" ADDS verbs::fork::Fork: "";
                "rejoin" SETS verbs::rejoin::Rejoin: "";
                "abandon" SETS verbs::abandon::Abandon: "";
            }
        },
        run: |_, given, session| GROUPS[2].run(given, session),
    },
];

/// None of it takes a file's path: who calls may be on another machine one day, and is a model
/// today.
const KEEP: Group = Group {
    name: "keep",
    description: "Keep the store in order, when a person asks for it.",
    marks: DESTROYS,
    operations: || {
        tools! {
            "settings" SETS verbs::settings::Settings: "";
            "log" READS verbs::log::Log: "";
            "verify" READS verbs::verify::Verify: "";
            "rebuild" SETS verbs::rebuild::Rebuild: "";
            "gc" SETS verbs::gc::Gc: "";
            "tidy" SETS verbs::tidy::Tidy: "";
            "forget" DESTROYS verbs::forget::Forget: "";
            "revert" SETS verbs::revert::Revert: "";
            "doctor" READS verbs::doctor::Doctor: "";
        }
    },
    run: |_, given, session| KEEP.run(given, session),
};

impl Group {
    fn tool(&self) -> Tool {
        let operations = (self.operations)();
        let takes = |tool: &Tool| {
            let names = properties(&tool.input).map(|(name, _)| name.as_str());
            let names: Vec<_> = names.filter(|name| ![ACTOR, "key"].contains(name)).collect();
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
        let input = input.as_object().cloned().unwrap_or_default();
        Tool {
            name: self.name,
            description: format!(
                "{} Operations, with arguments beside op: {}.",
                self.description,
                list.join(", ")
            ),
            marks: self.marks,
            input: Arc::new(with_actor(input, self.marks)),
            output: None,
            run: self.run,
        }
    }

    fn run(&self, given: &str, session: &Session) -> Result<Output, Failure> {
        let given: Object = serde_json::from_str(given).unwrap_or_default();
        let (op, mut rest) = (given.get("op").cloned(), given);
        rest.shift_remove("op");
        let operations = (self.operations)();
        let known = operations.iter().find(|it| op.as_ref() == Some(&Value::from(it.name)));
        let tool = known.ok_or_else(|| {
            let names: Vec<_> = operations.iter().map(|tool| tool.name).collect();
            let what = match op {
                None => "the argument \"op\" is missing".to_string(),
                Some(op) => format!("there is no operation {op}"),
            };
            Failure::usage(what, format!("op is one of: {}", names.join(", ")))
        })?;
        (tool.run)(&tool.input, &Value::Object(rest).to_string(), session)
    }
}

/// The argument by which a connection acts as one of its subagents.
const ACTOR: &str = "actor";

fn with_actor(mut schema: Object, marks: Marks) -> Object {
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    if let Some(properties) = properties.filter(|_| marks.stored) {
        properties.insert(ACTOR.into(), json!({"type": "string"}));
    }
    schema
}

/// Who acts: the connection's own actor, or a subagent that descends from it.
fn acting(arguments: &str, session: &Session) -> Result<Session, Failure> {
    let given: Object = serde_json::from_str(arguments).unwrap_or_default();
    // A name may look like a number, and then a model writes one.
    let name = match given.get(ACTOR) {
        None | Some(Value::Null) => return Ok(session.clone()),
        Some(Value::String(name)) => name.clone(),
        Some(Value::Number(number)) => number.to_string(),
        Some(_) => {
            let hint = "leave it out, or name a subagent that you forked";
            return Err(Failure::usage("the argument \"actor\" is not of type string", hint));
        }
    };
    if name == session.actor {
        return Ok(session.clone());
    }
    if !session.engine()?.is_descendant(&session.caller(), &name)? {
        return Err(Failure {
            kind: ambit::Kind::NotFound,
            message: format!("there is no subagent {name:?} of yours"),
            hint: "leave actor out, or name one that you forked".into(),
        });
    }
    // The scope that the connection is pinned to is its own.
    Ok(Session { actor: name, scope: None, scope_flag: None, ..session.clone() })
}

impl Tool {
    /// Does it, and tells who acted; nobody where no store is needed.
    pub fn run(
        &self,
        arguments: &str,
        session: &Session,
    ) -> (Result<Output, Failure>, Option<String>) {
        if !self.marks.stored {
            return ((self.run)(&self.input, arguments, session), None);
        }
        match acting(arguments, session) {
            Ok(session) => ((self.run)(&self.input, arguments, &session), Some(session.actor)),
            Err(failure) => (Err(failure), None),
        }
    }

    pub fn needs_store(&self) -> bool {
        self.marks.stored
    }

    /// As a client is shown it.
    pub fn listed(&self) -> Listed {
        let marks = ToolAnnotations::new().read_only(self.marks.reads).open_world(false);
        // Of what only reads, the protocol asks for no more.
        let marks = match self.marks.reads {
            true => marks,
            false => marks.destructive(self.marks.destroys).idempotent(self.marks.repeats),
        };
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
    use super::{GROUPS, KEEP, Offered, all};
    use crate::mcp::arguments::properties;

    /// What a client pays for the list at every call of its model.
    const TOKENS_MAX: u64 = 3_500;

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
        let grouped = GROUPS.iter().chain([&KEEP]).flat_map(|group| (group.operations)());
        let grouped: Vec<_> = grouped.collect();
        for tool in all(Offered { admin: true, nothing: true }).iter().chain(&grouped) {
            for (name, _) in properties(&tool.input) {
                let path = ["file", "path", "input", "folder", "store"].contains(&name.as_str());
                assert!(!path, "{} takes {name}", tool.name);
            }
        }
    }
}
