//! MCP Inspector's command line as a client: every list, every resource and prompt, and every tool
//! once. Each is a process of its own, and so is the server that it starts.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::node::Node;
use super::{Ground, Tally, said};
use xtask::Outcome;

const SECONDS_MAX: u64 = 60;

pub fn run(ground: &Ground, tally: &mut Tally) -> Outcome {
    let inspector = Inspector {
        node: Node::install(ground)?,
        program: ground.program.clone(),
        store: ground.store("inspector")?,
        home: ground.empty("inspector-home")?,
    };
    // Strict: a schema that some client could not use would be an error.
    let tools = inspector.asks(&["tools/list", "--strict"])?;
    let tools = names(&tools, "tools", "name");
    tally.holds(&format!("tools/list, strict: {}", tools.join(", ")));
    inspector.calls(&tools, tally)?;
    for uri in names(&inspector.asks(&["resources/list"])?, "resources", "uri") {
        let read = inspector.asks(&["resources/read", "--uri", &uri]);
        tally.is(&format!("resources/read {uri}"), read.and_then(|it| filled(&it["contents"])));
    }
    let templates = inspector.asks(&["resources/templates/list"])?;
    tally.is("resources/templates/list", filled(&templates["resourceTemplates"]));
    for name in names(&inspector.asks(&["prompts/list"])?, "prompts", "name") {
        let got = inspector.asks(&["prompts/get", "--prompt-name", &name]);
        tally.is(&format!("prompts/get {name}"), got.and_then(|it| filled(&it["messages"])));
    }
    Ok(())
}

struct Inspector {
    node: Node,
    program: PathBuf,
    store: PathBuf,
    home: PathBuf,
}

impl Inspector {
    /// A method with its options; the answer.
    fn asks(&self, words: &[&str]) -> Result<Value, String> {
        let mut inspector = self.node.program("mcp-inspector", &self.home)?;
        inspector.arg("--cli").arg("--cwd").arg(&self.store).arg(&self.program);
        inspector.args(["mcp", "--admin", "--method"]).args(words);
        let told = said(inspector, SECONDS_MAX).map_err(|why| format!("{}: {why}", words[0]))?;
        serde_json::from_str(&told).map_err(|error| format!("{}: {error}: {told}", words[0]))
    }

    /// A call of a tool; its result. A tool that says `isError` ends the inspector with a failure.
    fn call(&self, tool: &str, arguments: &Value) -> Result<Value, String> {
        let pairs = arguments.as_object().into_iter().flatten().map(|(name, value)| {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_string);
            format!("{name}={text}")
        });
        let pairs: Vec<_> = pairs.collect();
        let mut words = vec!["tools/call", "--tool-name", tool];
        for pair in &pairs {
            words.extend(["--tool-arg", pair]);
        }
        let answer = self.asks(&words)?;
        match answer.pointer("/structuredContent/result") {
            Some(result) if answer["content"][0]["text"].is_string() => Ok(result.clone()),
            _ => Err(format!("{tool}: no result and text: {answer}")),
        }
    }

    /// Every tool once, as far as they are known here; one that is not fails.
    fn calls(&self, tools: &[String], tally: &mut Tally) -> Outcome {
        let said = json!([{"role": "user", "content": "Users are logged out. Why?"}]);
        let orphan = json!({"model": "m", "messages": [{"role": "tool", "content": "orphan"}]});
        let mut left: BTreeSet<_> = tools.iter().map(String::as_str).collect();
        let mut call = |tool: &str, arguments: Value| {
            left.remove(tool);
            let called = self.call(tool, &arguments);
            tally.is(&format!("tools/call {tool}"), called.clone().map(drop));
            called.unwrap_or_default()
        };
        call("append", json!({"messages": said}));
        call("scope", json!({"name": "step-1", "note": "Investigating"}));
        call("note", json!({"message": "Found: SESSION_TTL is 1"}));
        call("goto", json!({"name": "main", "note": "It is SESSION_TTL"}));
        call("where", json!({}));
        call("compose", json!({"budget": 4_000}));
        call("scopes", json!({}));
        let notes = call("notes", json!({"name": "step-1"}));
        call("read", json!({"handle": notes["notes"][1]["hash"]}));
        let found = call("search", json!({"query": "logged out", "limit": 3}));
        call("rewind", json!({"to": found["hits"][0]["handle"]}));
        call("check", json!({"request": orphan}));
        call("insight", json!({"message": "The tests need a server"}));
        call("insights", json!({}));
        call("put", json!({"name": "plan.md", "content": "1. look"}));
        call("get", json!({"id": "plan.md"}));
        call("attend", json!({"op": "context"}));
        call("trace", json!({"op": "why", "id": "plan.md"}));
        call("subagent", json!({"op": "fork", "name": "sub", "task": "look closer"}));
        call("keep", json!({"op": "verify"}));
        let left: Vec<_> = left.into_iter().collect();
        match left.is_empty() {
            true => tally.holds(&format!("all {} tools were called", tools.len())),
            false => tally.fails("all tools were called", &left.join(", ")),
        }
        let refused = self.call("goto", &json!({"name": "nowhere", "note": "lost"}));
        let refused = refused.err().filter(|why| why.contains("not_found") && why.contains("hint"));
        tally.is("a tool's error has a hint", refused.map(drop).ok_or("it has none".to_string()));
        Ok(())
    }
}

fn filled(list: &Value) -> Outcome {
    match list.as_array().is_some_and(|list| !list.is_empty()) {
        true => Ok(()),
        false => Err(format!("there is nothing: {list}")),
    }
}

/// One field of each entry of a list.
fn names(answer: &Value, list: &str, field: &str) -> Vec<String> {
    let entries = answer[list].as_array().into_iter().flatten();
    entries.filter_map(|entry| entry[field].as_str().map(str::to_string)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{filled, names};

    #[test]
    fn an_empty_answer_does_not_hold() {
        assert!(filled(&json!([1])).is_ok());
        assert!(filled(&json!([])).is_err() && filled(&json!(null)).is_err());
    }

    #[test]
    fn entries_are_named_by_a_field() {
        let answer = json!({"tools": [{"name": "where"}, {"name": "scope"}]});
        assert_eq!(names(&answer, "tools", "name"), ["where", "scope"]);
    }
}
