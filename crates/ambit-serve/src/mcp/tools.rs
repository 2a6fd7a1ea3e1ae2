//! The tools, in their fixed order, made from the table of verbs.

use std::sync::Arc;

use ambit_verbs::{
    Effect, Erased, Failure, GROUPS, Group, Mcp, Object, Output, Session, VERBS, Verb,
    envelope_schema, properties,
};
use rmcp::model::{Tool as Listed, ToolAnnotations};
use serde_json::{Value, json};

/// Which tools are offered in addition to those for every client.
#[derive(Clone, Copy, Debug, Default)]
pub struct Offered {
    /// The groups for administrators.
    pub admin: bool,
    /// The tool `nothing`, which does nothing: it measures what a call costs by itself.
    pub nothing: bool,
}

/// One tool.
pub struct Tool {
    pub name: &'static str,
    description: String,
    effect: Effect,
    input: Arc<Object>,
    output: Option<Arc<Object>>,
    does: Does,
}

/// What a tool does.
enum Does {
    Verb(&'static Verb),
    /// One of these, named by the argument `op`.
    Group(Vec<Operation>),
    Nothing,
}

/// A verb that belongs to a group's tool.
struct Operation {
    verb: &'static Verb,
    input: Object,
}

/// All tools that are offered: verbs with a tool of their own, then groups.
pub fn all(offered: Offered) -> Vec<Tool> {
    let mut tools: Vec<_> = VERBS.iter().filter_map(single).collect();
    let groups = GROUPS.iter().filter(|group| offered.admin || !group.admin);
    tools.extend(groups.map(grouped));
    if offered.nothing {
        tools.push(nothing());
    }
    tools
}

fn single(verb: &'static Verb) -> Option<Tool> {
    let (description, output) = match verb.mcp {
        Mcp::Tool(description) => (description, None),
        Mcp::Described(description) => (description, Some(envelope_schema(&verb.output()))),
        Mcp::In(_) | Mcp::Withheld => return None,
    };
    Some(Tool {
        name: verb.name,
        description: description.into(),
        effect: verb.effect,
        input: Arc::new(with_actor(verb.input(), verb.needs_store)),
        output: output.map(Arc::new),
        does: Does::Verb(verb),
    })
}

fn grouped(group: &Group) -> Tool {
    let members = VERBS.iter().filter(|verb| verb.mcp == Mcp::In(group.name));
    let operation = |verb| Operation { verb, input: with_actor(verb.input(), true) };
    let operations: Vec<_> = members.map(operation).collect();
    let takes = |it: &Operation| {
        let names = properties(&it.input).map(|(name, _)| name.as_str());
        let names: Vec<_> = names.filter(|name| ![ACTOR, "key"].contains(name)).collect();
        format!("{}({})", it.verb.name, names.join(", "))
    };
    let list: Vec<_> = operations.iter().map(takes).collect();
    let names: Vec<_> = operations.iter().map(|it| it.verb.name).collect();
    let input = object(json!({
        "type": "object",
        "properties": {"op": {"type": "string", "enum": names}},
        "required": ["op"],
        "additionalProperties": true,
    }));
    let list = list.join(", ");
    Tool {
        name: group.name,
        description: format!("{} Operations, with arguments beside op: {list}.", group.description),
        effect: group.effect,
        input: Arc::new(with_actor(input, true)),
        output: None,
        does: Does::Group(operations),
    }
}

fn nothing() -> Tool {
    let input = object(json!({"type": "object", "properties": {}}));
    Tool {
        name: "nothing",
        description: "Does nothing.".into(),
        effect: Effect::Reads,
        input: Arc::new(with_actor(input, true)),
        output: None,
        does: Does::Nothing,
    }
}

fn object(json: Value) -> Object {
    match json {
        Value::Object(object) => object,
        _ => Object::new(),
    }
}

/// The argument that lets a connection act as one of its subagents.
const ACTOR: &str = "actor";

fn with_actor(mut schema: Object, needs_store: bool) -> Object {
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    if let Some(properties) = properties.filter(|_| needs_store) {
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
        let message = format!("there is no subagent {name:?} of yours");
        let hint = "leave actor out, or name one that you forked";
        return Err(Failure::new(ambit::Kind::NotFound, message, hint));
    }
    // The scope that the connection is pinned to is its own.
    Ok(Session { actor: name, scope: None, scope_flag: None, ..session.clone() })
}

impl Tool {
    /// Runs the tool and returns who acted; `None` if it needs no store.
    pub fn run(
        &self,
        arguments: &str,
        session: &Session,
    ) -> (Result<Erased, Failure>, Option<String>) {
        if !self.needs_store() {
            return (self.run_as(arguments, session), None);
        }
        match acting(arguments, session) {
            Ok(session) => (self.run_as(arguments, &session), Some(session.actor)),
            Err(failure) => (Err(failure), None),
        }
    }

    fn run_as(&self, arguments: &str, session: &Session) -> Result<Erased, Failure> {
        match &self.does {
            Does::Verb(verb) => verb.run_json(&self.input, arguments, session),
            Does::Group(operations) => run_operation(operations, arguments, session),
            Does::Nothing => Output::new("", json!({})).erase(),
        }
    }

    pub fn needs_store(&self) -> bool {
        match &self.does {
            Does::Verb(verb) => verb.needs_store,
            Does::Group(_) | Does::Nothing => true,
        }
    }

    /// Returns the tool as a client lists it.
    pub fn listed(&self) -> Listed {
        let reads = self.effect == Effect::Reads;
        let marks = ToolAnnotations::new().read_only(reads).open_world(false);
        // The protocol requires nothing else of a read-only tool.
        let marks = match reads {
            true => marks,
            false => marks
                .destructive(self.effect == Effect::Destroys)
                .idempotent(self.effect == Effect::Sets),
        };
        let mut tool = Listed::new(self.name, self.description.clone(), self.input.clone());
        tool.output_schema = self.output.clone();
        tool.annotations = Some(marks);
        tool
    }
}

fn run_operation(
    operations: &[Operation],
    arguments: &str,
    session: &Session,
) -> Result<Erased, Failure> {
    let mut rest: Object = serde_json::from_str(arguments).unwrap_or_default();
    let op = rest.shift_remove("op");
    let named = |it: &&Operation| op.as_ref() == Some(&Value::from(it.verb.name));
    let operation = operations.iter().find(named).ok_or_else(|| {
        let names: Vec<_> = operations.iter().map(|it| it.verb.name).collect();
        let what = match &op {
            None => "the argument \"op\" is missing".to_string(),
            Some(op) => format!("there is no operation {op}"),
        };
        Failure::usage(what, format!("op is one of: {}", names.join(", ")))
    })?;
    operation.verb.run_json(&operation.input, &Value::Object(rest).to_string(), session)
}

#[cfg(test)]
mod tests {
    use ambit_verbs::properties;

    use super::{Does, Offered, all};

    /// The most tokens that the list may cost a client at every call of its model.
    const TOKENS_MAX: u64 = 3_500;

    /// A well-known client silently truncates a longer description.
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
        for tool in all(Offered { admin: true, nothing: true }) {
            let mut inputs = vec![&*tool.input];
            if let Does::Group(operations) = &tool.does {
                inputs.extend(operations.iter().map(|it| &it.input));
            }
            for (name, _) in inputs.into_iter().flat_map(properties) {
                let path = ["file", "path", "input", "folder", "store"].contains(&name.as_str());
                assert!(!path, "{} takes {name}", tool.name);
            }
        }
    }
}
