//! What a client is offered: tools in their order with their marks and schemas, resources, prompts.

use serde_json::{Value, json};

use super::client::{Client, message};
use crate::place::Place;

const TOOLS: [&str; 19] = [
    "where", "scope", "goto", "note", "append", "compose", "read", "notes", "scopes", "rewind",
    "search", "check", "insight", "insights", "put", "get", "attend", "trace", "subagent",
];

fn tools(client: &mut Client) -> Vec<Value> {
    client.result("tools/list", json!({}))["tools"].as_array().unwrap().clone()
}

/// Proves S1-29: the commands are exposed through one tool interface. Their order is fixed, for the
/// list is part of what a provider caches.
#[test]
fn tools_are_listed_in_a_fixed_order_with_their_marks() {
    let place = Place::new();
    for _ in 0..2 {
        let listed = tools(&mut Client::new(&place));
        let names: Vec<_> = listed.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert_eq!(names, TOOLS);
        for tool in &listed {
            let marks = &tool["annotations"];
            let name = tool["name"].as_str().unwrap();
            let reads = ["where", "compose", "read", "notes", "scopes", "search", "check"];
            let reads = [&reads[..], &["insights", "trace"]].concat();
            let reads = reads.contains(&name);
            assert_eq!(marks["readOnlyHint"], reads, "{tool}");
            let adds = ["note", "append", "insight", "put", "get", "attend", "subagent"];
            let changes = |mark: bool| if reads { Value::Null } else { json!(mark) };
            assert_eq!(marks["idempotentHint"], changes(!adds.contains(&name)), "{tool}");
            assert_eq!(marks["destructiveHint"], changes(false), "{tool}");
            assert_eq!(marks["openWorldHint"], false, "{tool}");
            assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
            let told = ["scope", "goto", "note", "append", "compose", "search"].contains(&name);
            assert_eq!(tool["outputSchema"].is_object(), told, "{tool}");
        }
    }
}

/// The arguments are those of the command line, but for what is about files.
#[test]
fn tools_take_what_the_command_line_takes() {
    let place = Place::new();
    let listed = tools(&mut Client::new(&place));
    let told: Vec<_> = listed
        .iter()
        .map(|tool| {
            let schema = &tool["inputSchema"];
            let required: Vec<_> = schema["required"].as_array().into_iter().flatten().collect();
            let acts = schema["properties"]["actor"]["type"] == "string";
            assert_eq!(acts, tool["name"] != "check", "{tool}");
            let argument = |(name, property): (&String, &Value)| {
                let must = required.iter().any(|it| *it == name);
                let told = property["description"].is_string() || name == "op";
                assert!(told, "{tool}");
                format!(
                    "{name}{}:{}",
                    if must { "!" } else { "" },
                    property["type"].as_str().unwrap()
                )
            };
            let arguments = schema["properties"].as_object().unwrap().iter();
            let arguments = arguments.filter(|(name, _)| *name != "actor").map(argument);
            let arguments = arguments.collect::<Vec<_>>().join(" ");
            format!("{} {arguments}", tool["name"].as_str().unwrap()).trim().to_string()
        })
        .collect();
    assert_eq!(
        told,
        [
            "where at:string",
            "scope name!:string note!:string key:string",
            "goto name!:string note!:string key:string",
            "note message!:string expect_head:integer key:string",
            "append format:string messages!:array expect_head:integer key:string",
            "compose format:string budget:integer layout:string system:string at:string \
             expect_head:integer",
            "read handle!:string snapshot:boolean range:string lines:string grep:string",
            "notes name:string at:string",
            "scopes at:string",
            "rewind to!:string key:string",
            "search query!:string in:string below:boolean only:string by:string since:string \
             until:string limit:integer",
            "check request!:object format:string",
            "insight message:string retract:string key:string",
            "insights",
            "put name:string id:string type:string content:string into:string key:string",
            "get id!:string no_visit:boolean version:integer at:string key:string",
            "attend op!:string",
            "trace op!:string",
            "subagent op!:string",
        ]
    );
}

/// Answers are as their schemas say, and failures too.
#[test]
fn answers_fit_their_schemas() {
    let place = Place::new();
    let mut client = Client::new(&place);
    let listed = tools(&mut client);
    let calls = [
        ("append", json!({"messages": [message("user", "hello")]})),
        ("scope", json!({"name": "step", "note": "off"})),
        ("note", json!({"message": "found"})),
        ("goto", json!({"name": "main", "note": "back"})),
        ("compose", json!({})),
        ("goto", json!({"name": "nowhere", "note": "back"})),
    ];
    for (name, arguments) in calls {
        let tool = listed.iter().find(|tool| tool["name"] == name).unwrap();
        let answer = client.call(name, arguments);
        fits(&tool["outputSchema"], &answer["structuredContent"], name);
    }
}

fn fits(schema: &Value, value: &Value, at: &str) {
    let fit = match schema["type"].as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64(),
        Some("boolean") => value.is_boolean(),
        other => panic!("{at}: {other:?}"),
    };
    assert!(fit, "{at}: {value} is not as {schema} says");
    for name in schema["required"].as_array().into_iter().flatten() {
        assert!(value.get(name.as_str().unwrap()).is_some(), "{at}: {name} is missing: {value}");
    }
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        if let Some(value) = value.get(name) {
            fits(property, value, &format!("{at}.{name}"));
        }
    }
}

#[test]
fn keep_is_for_admins_alone_and_takes_no_file() {
    let place = Place::new();
    let mut plain = Client::new(&place);
    let call = json!({"name": "keep", "arguments": {"op": "verify"}});
    let answer = plain.request("tools/call", call);
    assert_eq!(answer["error"]["code"], -32602, "{answer}");

    let mut admin = Client::named(&place, "admin", &["--admin"]);
    let last = tools(&mut admin).pop().unwrap();
    assert_eq!(last["name"], "keep");
    assert_eq!(last["annotations"]["destructiveHint"], true);
    assert_eq!(last["annotations"]["readOnlyHint"], false);
    let operations = last["inputSchema"]["properties"]["op"]["enum"].clone();
    assert_eq!(
        operations,
        json!(["settings", "log", "verify", "rebuild", "gc", "tidy", "forget", "revert", "doctor"])
    );
    admin.done("append", json!({"messages": [message("user", "hunter2")]}));
    assert_eq!(admin.done("keep", json!({"op": "verify"}))["ok"], true);
    assert_eq!(admin.done("keep", json!({"op": "log", "limit": 1}))["events"][0]["via"], "mcp");
    let set = json!({"op": "settings", "name": "notes_shown", "value": "3"});
    assert_eq!(admin.done("keep", set)["value"], "3");
    assert!(admin.done("keep", json!({"op": "settings"}))["settings"].is_array());
    assert!(admin.done("keep", json!({"op": "rebuild"}))["rows"].is_number());
    assert_eq!(admin.done("keep", json!({"op": "gc", "dry_run": true}))["dry_run"], true);
    assert_eq!(admin.done("keep", json!({"op": "doctor"}))["ok"], true);
    let forget = json!({"op": "forget", "containing": "hunter2", "yes": true});
    assert_eq!(admin.done("keep", forget)["blocks"], 1);

    for op in ["backup", "export", "import", "init", "nothing"] {
        let error = admin.refused("keep", json!({"op": op, "file": "x"}));
        assert_eq!(error["code"], "usage");
    }
    let error = admin.refused("keep", json!({"op": "verify", "file": "x"}));
    assert_eq!(error["message"], "there is no argument \"file\"");
    assert_eq!(admin.refused("keep", json!({}))["code"], "usage");
    assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 1, "only .ambit is there");
}

#[test]
fn resources_show_the_composition_the_scopes_and_their_notes() {
    let place = Place::new();
    let mut client = Client::new(&place);
    client.done("append", json!({"messages": [message("user", "hello")]}));
    client.done("scope", json!({"name": "step 1/2", "note": "off"}));
    client.done("note", json!({"message": "found it"}));
    let listed = client.result("resources/list", json!({}));
    let uris: Vec<_> =
        listed["resources"].as_array().unwrap().iter().map(|it| it["uri"].clone()).collect();
    assert_eq!(
        uris,
        [
            "ambit://composition",
            "ambit://scopes",
            "ambit://insights",
            "ambit://scopes/main/notes",
            "ambit://scopes/step%201%2F2/notes"
        ]
    );
    let templates = client.result("resources/templates/list", json!({}));
    assert_eq!(templates["resourceTemplates"][0]["uriTemplate"], "ambit://scopes/{name}/notes");
    let mut read = |uri: &str| -> Value {
        let read = client.result("resources/read", json!({"uri": uri}));
        let contents = &read["contents"][0];
        assert_eq!(contents["mimeType"], "application/json");
        assert_eq!(contents["uri"], uri);
        serde_json::from_str(contents["text"].as_str().unwrap()).unwrap()
    };
    assert_eq!(read("ambit://composition")["scope"], "step 1/2");
    assert_eq!(read("ambit://scopes")["scopes"][0]["name"], "main");
    assert_eq!(read("ambit://insights")["insights"], json!([]));
    let notes = read("ambit://scopes/step%201%2F2/notes");
    let notes: Vec<_> = notes["notes"].as_array().unwrap().iter().collect();
    assert_eq!(notes.last().unwrap()["message"], "found it");
    for uri in ["ambit://nothing", "file:///etc/passwd", "ambit://scopes/nowhere/notes"] {
        let answer = client.request("resources/read", json!({"uri": uri}));
        assert_eq!(answer["error"]["code"], -32002, "{answer}");
        assert!(answer["error"]["data"]["hint"].is_string(), "{answer}");
        assert_eq!(answer["error"]["data"]["uri"], uri, "{answer}");
    }
}

#[test]
fn prompts_teach_scopes_and_resume_work() {
    let place = Place::new();
    let mut client = Client::new(&place);
    client.done("note", json!({"message": "the session lasts 1 s"}));
    client.done("insight", json!({"message": "never touch legacy/"}));
    let listed = client.result("prompts/list", json!({}));
    let names: Vec<_> =
        listed["prompts"].as_array().unwrap().iter().map(|it| it["name"].clone()).collect();
    assert_eq!(names, ["work-in-scopes", "resume-work"]);
    let mut get = |name: &str| {
        let got = client.result("prompts/get", json!({"name": name}));
        assert_eq!(got["messages"][0]["role"], "user");
        got["messages"][0]["content"]["text"].as_str().unwrap().to_string()
    };
    for word in ["`scope`", "`note`", "`goto`", "`read`"] {
        assert!(get("work-in-scopes").contains(word));
    }
    let resume = get("resume-work");
    assert!(resume.contains("tester in the scope main"), "{resume}");
    assert!(resume.contains("the session lasts 1 s"), "{resume}");
    assert!(resume.contains("never touch legacy/"), "{resume}");
    let answer = client.request("prompts/get", json!({"name": "nothing"}));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
}

/// docs/mcp.md names every tool with its arguments, in order, and every resource and prompt.
#[test]
fn the_page_on_mcp_is_about_this_server() {
    let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let page = std::fs::read_to_string(docs.join("mcp.md")).unwrap();
    let place = Place::new();
    let mut client = Client::named(&place, "reader", &["--admin"]);
    let mut rest = page.as_str();
    for tool in tools(&mut client).iter().filter(|tool| tool["name"] != "keep") {
        let schema = &tool["inputSchema"];
        let required: Vec<_> = schema["required"].as_array().into_iter().flatten().collect();
        let argument = |name: &String| match required.iter().any(|it| *it == name) {
            true => format!("`{name}`"),
            false => format!("`{name}`?"),
        };
        let names = schema["properties"].as_object().unwrap().keys();
        let names = names.filter(|name| *name != "actor");
        let arguments = names.map(argument).collect::<Vec<_>>().join(", ");
        let row = format!("| `{}` | {arguments}", tool["name"].as_str().unwrap());
        let at = rest.find(row.trim_end()).unwrap_or_else(|| panic!("the page has no row {row}"));
        rest = &rest[at + row.len()..];
    }
    let mut named = |method: &str, list: &str, field: &str| {
        for it in client.result(method, json!({}))[list].as_array().unwrap() {
            let name = it[field].as_str().unwrap();
            let known = page.contains(&format!("| `{name}` |")) || name.ends_with("/main/notes");
            assert!(known, "the page has no row for {name}");
        }
    };
    named("resources/list", "resources", "uri");
    named("resources/templates/list", "resourceTemplates", "uriTemplate");
    named("prompts/list", "prompts", "name");
    // Each agent's page teaches the same.
    let taught: std::collections::BTreeSet<_> = std::fs::read_dir(docs.join("agents"))
        .unwrap()
        .map(|page| std::fs::read_to_string(page.unwrap().path()).unwrap())
        .map(|page| {
            page.split("```markdown\n").nth(1).unwrap().split("```").next().unwrap().to_string()
        })
        .collect();
    assert_eq!(taught.len(), 1);
}
