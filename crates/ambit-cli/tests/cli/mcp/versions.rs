//! Revisions of the protocol: with a handshake, and the newest without one.

use serde_json::{Value, json};

use super::client::Client;
use crate::place::Place;

#[test]
fn every_revision_with_a_handshake_is_spoken() {
    let place = Place::new();
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut client = Client::start(&place, &[]);
        let answer = client.initialize("old", version);
        let result = &answer["result"];
        assert_eq!(result["protocolVersion"], version, "{answer}");
        assert_eq!(result["serverInfo"]["name"], "ambit");
        assert_eq!(result["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
        assert!(result["instructions"].as_str().unwrap().contains("scope"));
        for capability in ["tools", "resources", "prompts"] {
            assert!(result["capabilities"][capability].is_object(), "{answer}");
        }
        assert_eq!(client.done("where", json!({}))["primary_scope"], "main");
    }
}

/// An unknown revision is answered with one that the server supports.
#[test]
fn an_unknown_revision_is_answered_with_a_known_one() {
    let place = Place::new();
    let mut client = Client::start(&place, &[]);
    let answer = client.initialize("odd", "1999-01-01");
    let version = answer["result"]["protocolVersion"].as_str().unwrap();
    assert!(version.starts_with("202"), "{answer}");
    assert_eq!(client.done("where", json!({}))["actor"], "odd");
}

/// The newest has no handshake: each request says who asks and how.
#[test]
fn the_newest_revision_is_spoken_without_a_handshake() {
    let place = Place::new();
    let mut client = Client::start(&place, &[]);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "New Client", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let with = |mut params: Value| {
        params["_meta"] = meta.clone();
        params
    };
    let found = client.result("server/discover", with(json!({})));
    let versions = found["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")), "{found}");
    let tools = client.result("tools/list", with(json!({})));
    assert_eq!(tools["tools"][0]["name"], "where", "{tools}");
    let call = with(json!({"name": "where", "arguments": {}}));
    let answer = client.result("tools/call", call);
    assert_eq!(answer["structuredContent"]["result"]["actor"], "new-client", "{answer}");
    assert_eq!(answer["resultType"], "complete", "{answer}");
}

#[test]
fn a_client_may_ping_before_and_after_it_begins() {
    let place = Place::new();
    let mut client = Client::start(&place, &[]);
    assert_eq!(client.result("ping", json!({})), json!({}));
    client.initialize("pinger", "2025-06-18");
    assert_eq!(client.result("ping", json!({})), json!({}));
}

/// The newest revision has neither: a request that names it is told so, also the very first one.
#[test]
fn the_newest_revision_has_no_handshake_and_no_ping() {
    let place = Place::new();
    let mut client = Client::start(&place, &[]);
    let meta = |revision: &str| {
        json!({"_meta": {
            "io.modelcontextprotocol/protocolVersion": revision,
            "io.modelcontextprotocol/clientInfo": {"name": "new", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }})
    };
    for method in ["initialize", "ping"] {
        let answer = client.request(method, meta("2026-07-28"));
        assert_eq!(answer["error"]["code"], -32601, "{answer}");
    }
    assert_eq!(client.result("ping", meta("2025-11-25")), json!({}));
    let tools = client.result("tools/list", meta("2026-07-28"));
    assert_eq!(tools["tools"][0]["name"], "where", "{tools}");
}
