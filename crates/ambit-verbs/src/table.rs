//! What the table of verbs holds: verbs, their families, and how each interface offers them.

use clap::{ArgMatches, Args, Command};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::arguments::{self, Object};
use crate::envelope;
use crate::failure::Failure;
use crate::output::{Erased, Output};
use crate::session::Session;
use crate::verbs::VERBS;

/// Implemented by a verb's struct of arguments.
pub trait Run: Args + DeserializeOwned + JsonSchema {
    type Answer: Serialize + JsonSchema;

    fn run(&self, session: &Session) -> Result<Output<Self::Answer>, Failure>;
}

/// One verb.
pub struct Verb {
    pub name: &'static str,
    pub family: Family,
    pub effect: Effect,
    /// Whether the verb needs a store.
    pub needs_store: bool,
    /// Whether people are shown their active scopes below the answer.
    pub shows_scopes: bool,
    pub mcp: Mcp,
    /// Adds its flags, summary and examples to a command.
    augment: fn(Command) -> Command,
    run_matches: fn(&ArgMatches, &Session) -> Result<Erased, Failure>,
    run_json: fn(&Object, &str, &Session) -> Result<Erased, Failure>,
    input: fn() -> Object,
    output: fn() -> Object,
}

/// What a verb may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Changes nothing.
    Reads,
    /// Every call adds something.
    Adds,
    /// Repeating the call changes nothing.
    Sets,
    /// Deletes something permanently.
    Destroys,
}

/// Verbs that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    Scopes,
    Conversation,
    Objects,
    AskingBack,
    Subagents,
    Keeping,
}

impl Family {
    pub const ALL: [Family; 6] = [
        Family::Scopes,
        Family::Conversation,
        Family::Objects,
        Family::AskingBack,
        Family::Subagents,
        Family::Keeping,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Family::Scopes => "scopes",
            Family::Conversation => "conversation",
            Family::Objects => "objects",
            Family::AskingBack => "asking-back",
            Family::Subagents => "subagents",
            Family::Keeping => "keeping",
        }
    }

    /// Its name as a heading.
    pub fn title(self) -> &'static str {
        match self {
            Family::Scopes => "Scopes",
            Family::Conversation => "Conversation",
            Family::Objects => "Objects",
            Family::AskingBack => "Asking back",
            Family::Subagents => "Subagents",
            Family::Keeping => "Keeping",
        }
    }

    /// What its verbs are about, in a line.
    pub fn summary(self) -> &'static str {
        match self {
            Family::Scopes => "open scopes, move between them, see where you are",
            Family::Conversation => "store messages and notes, compose what a model is shown",
            Family::Objects => "keep files and other things by name, with versions",
            Family::AskingBack => "find out what happened and why, and undo it",
            Family::Subagents => "hand work to a subagent and bring the result back",
            Family::Keeping => "maintain the store: settings, checks, copies",
        }
    }
}

/// How MCP offers a verb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mcp {
    /// As a tool of its own, with a description for models.
    Tool(&'static str),
    /// As a tool of its own whose answer has a schema.
    Described(&'static str),
    /// As an operation of a group's tool.
    In(&'static str),
    /// Not at all: it names files of this machine.
    Withheld,
}

/// A tool for several verbs: as tools of their own, verbs that an agent seldom needs would cost too
/// many tokens.
pub struct Group {
    pub name: &'static str,
    pub description: &'static str,
    pub effect: Effect,
    /// Offered only to administrators.
    pub admin: bool,
}

/// The grouped tools, in their order after the others.
pub static GROUPS: [Group; 4] = [
    Group {
        name: "attend",
        description: "Your frame and your scopes: context shows what is in mind, enter, \
                      leave and focus choose scopes, break begins a new chapter.",
        effect: Effect::Adds,
        admin: false,
    },
    Group {
        name: "trace",
        description: "Ask back: why a change was made (an event, object or note: who, what was in \
                      mind, what came before), history of a thing, scope (of) or actor (by), \
                      related things, a stream of views, diff and meta of an object.",
        effect: Effect::Reads,
        admin: false,
    },
    Group {
        name: "subagent",
        description: "Hand work over: fork makes a subagent with a scope and a frame of its own, \
                      and answers what it needs to start; then give its name as actor. rejoin \
                      brings its result back as a note, abandon gives it up.",
        effect: Effect::Adds,
        admin: false,
    },
    Group {
        name: "keep",
        description: "Keep the store in order, when a person asks for it.",
        effect: Effect::Destroys,
        admin: true,
    },
];

/// The verb with this name.
pub fn find(name: &str) -> Option<&'static Verb> {
    VERBS.iter().find(|verb| verb.name == name)
}

pub(crate) const fn verb<V: Run + 'static>(
    name: &'static str,
    family: Family,
    effect: Effect,
) -> Verb {
    Verb {
        name,
        family,
        effect,
        needs_store: true,
        shows_scopes: true,
        mcp: Mcp::Withheld,
        augment: V::augment_args,
        run_matches: run_matches::<V>,
        run_json: run_json::<V>,
        input: arguments::schema::<V>,
        output: envelope::answer_schema::<V::Answer>,
    }
}

fn run_matches<V: Run>(matches: &ArgMatches, session: &Session) -> Result<Erased, Failure> {
    let verb = V::from_arg_matches(matches)
        .map_err(|error| Failure::usage(error.to_string(), "`--help` lists what it takes"))?;
    verb.run(session)?.erase()
}

fn run_json<V: Run>(schema: &Object, json: &str, session: &Session) -> Result<Erased, Failure> {
    arguments::parse::<V>(schema, json)?.run(session)?.erase()
}

impl Verb {
    pub(crate) const fn without_store(self) -> Verb {
        Verb { needs_store: false, shows_scopes: false, ..self }
    }

    pub(crate) const fn without_scopes(self) -> Verb {
        Verb { shows_scopes: false, ..self }
    }

    pub(crate) const fn tool(self, description: &'static str) -> Verb {
        Verb { mcp: Mcp::Tool(description), ..self }
    }

    pub(crate) const fn described(self, description: &'static str) -> Verb {
        Verb { mcp: Mcp::Described(description), ..self }
    }

    pub(crate) const fn grouped(self, group: &'static str) -> Verb {
        Verb { mcp: Mcp::In(group), ..self }
    }

    /// The verb as a command with its flags.
    pub fn command(&self) -> Command {
        (self.augment)(Command::new(self.name))
    }

    /// What it does, in a line.
    pub fn summary(&self) -> String {
        self.command().get_about().map(ToString::to_string).unwrap_or_default()
    }

    /// Runs it with arguments from the command line.
    pub fn run_matches(&self, matches: &ArgMatches, session: &Session) -> Result<Erased, Failure> {
        (self.run_matches)(matches, session)
    }

    /// Runs it with arguments that came as a JSON object, which has to fit the schema: that of
    /// [`Verb::input`], or one with more properties.
    pub fn run_json(
        &self,
        schema: &Object,
        json: &str,
        session: &Session,
    ) -> Result<Erased, Failure> {
        (self.run_json)(schema, json, session)
    }

    /// The JSON schema of its arguments.
    pub fn input(&self) -> Object {
        (self.input)()
    }

    /// The JSON schema of its answer.
    pub fn output(&self) -> Object {
        (self.output)()
    }
}
