//! Runs MCP Inspector's command line against `ambit mcp`: every list, every resource and prompt,
//! and every tool once. Each request runs the inspector and a server in new processes.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::node::Node;
use super::{Tally, Testbed, output_within};
use xtask::Outcome;

const SECONDS_MAX: u64 = 60;

pub fn run(testbed: &Testbed, tally: &mut Tally) -> Outcome {
    let inspector = Inspector {
        node: Node::install(testbed)?,
        program: testbed.program.clone(),
        store: testbed.store("inspector")?,
        home: testbed.empty("inspector-home")?,
    };
    // Strict: fails on a schema that some clients cannot use.
    let tools = inspector.request(&["tools/list", "--strict"])?;
    let tools = names(&tools, "tools", "name");
    tally.pass(&format!("tools/list, strict: {}", tools.join(", ")));
    inspector.call_all(&tools, tally)?;
    for uri in names(&inspector.request(&["resources/list"])?, "resources", "uri") {
        let read = inspector.request(&["resources/read", "--uri", &uri]);
        tally.record(
            &format!("resources/read {uri}"),
            read.and_then(|it| expect_entries(&it["contents"])),
        );
    }
    let templates = inspector.request(&["resources/templates/list"])?;
    tally.record("resources/templates/list", expect_entries(&templates["resourceTemplates"]));
    for name in names(&inspector.request(&["prompts/list"])?, "prompts", "name") {
        let got = inspector.request(&["prompts/get", "--prompt-name", &name]);
        tally.record(
            &format!("prompts/get {name}"),
            got.and_then(|it| expect_entries(&it["messages"])),
        );
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
    /// Sends a method with its options and returns the answer.
    fn request(&self, words: &[&str]) -> Result<Value, String> {
        let mut inspector = self.node.program("mcp-inspector", &self.home)?;
        inspector.arg("--cli").arg("--cwd").arg(&self.store).arg(&self.program);
        inspector.args(["mcp", "--admin", "--method"]).args(words);
        let output =
            output_within(inspector, SECONDS_MAX).map_err(|why| format!("{}: {why}", words[0]))?;
        serde_json::from_str(&output).map_err(|error| format!("{}: {error}: {output}", words[0]))
    }

    /// Calls a tool and returns its result. The inspector fails if the tool returns `isError`.
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
        let answer = self.request(&words)?;
        match answer.pointer("/structuredContent/result") {
            Some(result) if answer["content"][0]["text"].is_string() => Ok(result.clone()),
            _ => Err(format!("{tool}: the answer has no result or no text: {answer}")),
        }
    }

    /// Calls every tool once. A tool that this function does not know is a failure.
    fn call_all(&self, tools: &[String], tally: &mut Tally) -> Outcome {
        let messages = json!([{"role": "user", "content": "Users are logged out. Why?"}]);
        let orphan = json!({"model": "m", "messages": [{"role": "tool", "content": "orphan"}]});
        let mut left: BTreeSet<_> = tools.iter().map(String::as_str).collect();
        let mut call = |tool: &str, arguments: Value| {
            left.remove(tool);
            let called = self.call(tool, &arguments);
            tally.record(&format!("tools/call {tool}"), called.clone().map(drop));
            called.unwrap_or_default()
        };
        call("append", json!({"messages": messages}));
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
            true => tally.pass(&format!("all {} tools were called", tools.len())),
            false => tally.fail("all tools were called", &left.join(", ")),
        }
        let refused = self.call("goto", &json!({"name": "nowhere", "note": "lost"}));
        let refused = refused.err().filter(|why| why.contains("not_found") && why.contains("hint"));
        tally.record(
            "a tool's error has a hint",
            refused.map(drop).ok_or("the error has no hint".to_string()),
        );
        Ok(())
    }
}

fn expect_entries(list: &Value) -> Outcome {
    match list.as_array().is_some_and(|list| !list.is_empty()) {
        true => Ok(()),
        false => Err(format!("expected a list with entries: {list}")),
    }
}

/// Returns one field of each entry of a list.
fn names(answer: &Value, list: &str, field: &str) -> Vec<String> {
    let entries = answer[list].as_array().into_iter().flatten();
    entries.filter_map(|entry| entry[field].as_str().map(str::to_string)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{expect_entries, names};

    #[test]
    fn an_empty_list_is_a_failure() {
        assert!(expect_entries(&json!([1])).is_ok());
        assert!(expect_entries(&json!([])).is_err() && expect_entries(&json!(null)).is_err());
    }

    #[test]
    fn one_field_of_each_entry_is_returned() {
        let answer = json!({"tools": [{"name": "where"}, {"name": "scope"}]});
        assert_eq!(names(&answer, "tools", "name"), ["where", "scope"]);
    }
}
