//! The log's JSON is stable: every kind of event reads and writes the bytes that stores hold.

use std::collections::BTreeSet;

use super::{Body, What};
use crate::Via;

/// Bodies as stores hold them, one per line: every kind of event, and old forms of some.
const BODIES: &str = include_str!("bodies.jsonl");

#[test]
fn bodies_round_trip_byte_for_byte() {
    for line in BODIES.lines() {
        let body: Body = serde_json::from_str(line).unwrap();
        assert_eq!(serde_json::to_string(&body).unwrap(), line);
    }
}

#[test]
fn the_word_of_a_kind_is_its_tag_in_the_log() {
    let mut words = BTreeSet::new();
    for line in BODIES.lines() {
        let what = serde_json::from_str::<Body>(line).unwrap().what;
        let json = serde_json::to_value(&what).unwrap();
        let tag = json.as_object().and_then(|it| it.keys().next()).map(String::as_str);
        assert_eq!(tag.or(json.as_str()), Some(what.word()));
        words.insert(what.word());
    }
    let missing: Vec<_> = kinds().into_iter().filter(|it| !words.contains(it.as_str())).collect();
    assert!(missing.is_empty(), "add a body of each to log/bodies.jsonl: {missing:?}");
}

/// The kinds of events, as serde lists them for an unknown one.
fn kinds() -> Vec<String> {
    let error = serde_json::from_str::<What>(r#""?""#).unwrap_err().to_string();
    error.split('`').skip(3).step_by(2).map(String::from).collect()
}

#[test]
fn an_unknown_field_is_refused_in_every_kind() {
    for line in BODIES.lines() {
        let body: Body = serde_json::from_str(line).unwrap();
        if body.what == What::Broke {
            continue;
        }
        let word = body.what.word();
        let with = line.replacen(
            &format!("{{\"{word}\":{{"),
            &format!("{{\"{word}\":{{\"unknown\":1,"),
            1,
        );
        assert_ne!(with, line);
        assert!(serde_json::from_str::<Body>(&with).is_err(), "{with}");
    }
}

#[test]
fn a_body_has_an_interface_unless_the_log_is_old() {
    let old = r#"{"what":{"entered":{"scope":1}}}"#;
    let mut body: Body = serde_json::from_str(old).unwrap();
    assert_eq!(body.via, None);
    assert_eq!(serde_json::to_string(&body).unwrap(), old);
    body.via = Some(Via::Cli);
    let new = r#"{"what":{"entered":{"scope":1}},"via":"cli"}"#;
    assert_eq!(serde_json::to_string(&body).unwrap(), new);
    assert_eq!(serde_json::from_str::<Body>(new).unwrap(), body);
    assert!(serde_json::from_str::<Body>(&new.replace("cli", "elsewhere")).is_err());
}
