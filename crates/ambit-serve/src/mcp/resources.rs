//! Resources: what a client may read without a call of its model: the current composition, the
//! scopes, and each scope's notes.

use ambit::Request;
use ambit_verbs::{Failure, Session};
use rmcp::model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde::Serialize;

const COMPOSITION: &str = "ambit://composition";
const SCOPES: &str = "ambit://scopes";
const INSIGHTS: &str = "ambit://insights";
const NOTES: &str = "/notes";

/// How many scopes are listed with their notes; the notes of other scopes can still be read.
const LISTED_MAX: usize = 100;

/// The last scopes, by name.
pub fn scopes(session: &Session) -> Result<Vec<String>, Failure> {
    let answer = session.engine()?.scopes(&session.caller())?;
    let names: Vec<_> = answer.scopes.into_iter().map(|scope| scope.name).collect();
    let first = names.len().saturating_sub(LISTED_MAX);
    Ok(names[first..].to_vec())
}

pub fn all(scopes: &[String]) -> Vec<Resource> {
    let json = |uri: &str, name: &str, what: &str| {
        Resource::new(uri, name).with_description(what).with_mime_type("application/json")
    };
    let mut all = vec![
        json(COMPOSITION, "composition", "What a model is shown in the current scope"),
        json(SCOPES, "scopes", "All scopes"),
        json(INSIGHTS, "insights", "What holds in every scope"),
    ];
    all.extend(scopes.iter().map(|scope| {
        let uri = format!("{SCOPES}/{}{NOTES}", encoded(scope));
        json(&uri, &format!("notes of {scope}"), "What was done and found there")
    }));
    all
}

pub fn templates() -> Vec<ResourceTemplate> {
    let template = ResourceTemplate::new(format!("{SCOPES}/{{name}}{NOTES}"), "notes");
    vec![template.with_description("A scope's notes").with_mime_type("application/json")]
}

pub fn read(session: &Session, uri: &str) -> Result<ReadResourceResult, Failure> {
    let (engine, caller) = (session.engine()?, session.caller());
    let scope = uri.strip_prefix(SCOPES).and_then(|rest| rest.strip_prefix('/'));
    let scope = scope.and_then(|rest| rest.strip_suffix(NOTES)).and_then(decoded);
    let text = match (uri, scope) {
        (COMPOSITION, _) => json(&engine.compose(&caller, &Request::default())?)?,
        (SCOPES, _) => json(&engine.scopes(&caller)?)?,
        (INSIGHTS, _) => json(&engine.insights(&caller)?)?,
        (_, Some(scope)) => json(&engine.notes(&caller, Some(&scope))?)?,
        (_, None) => {
            let hint =
                format!("there are {COMPOSITION}, {SCOPES}, {INSIGHTS} and {SCOPES}/NAME{NOTES}");
            let message = format!("there is no resource {uri:?}");
            return Err(Failure::new(ambit::Kind::NotFound, message, hint));
        }
    };
    let contents = ResourceContents::text(text, uri).with_mime_type("application/json");
    Ok(ReadResourceResult::new(vec![contents]))
}

fn json(answer: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string(answer).map_err(|error| {
        let message = format!("cannot write the answer as JSON: {error}");
        Failure::new(ambit::Kind::Bug, message, "please report this")
    })
}

/// Percent-encodes a name as part of an address.
fn encoded(name: &str) -> String {
    let byte = |b: u8| match b {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
            char::from(b).to_string()
        }
        _ => format!("%{b:02X}"),
    };
    name.bytes().map(byte).collect()
}

/// Decodes a percent-encoded name; returns `None` if it is malformed.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(b) = rest.next() {
        bytes.push(match b {
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            b'/' => return None,
            b => b,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::{decoded, encoded};

    #[test]
    fn names_survive_an_address() {
        for name in ["main", "step 1/2", "Fehlersuche im März", "100%", "修复"] {
            let address = encoded(name);
            assert!(address.bytes().all(|b| b.is_ascii_graphic() && b != b'/'), "{address}");
            assert_eq!(decoded(&address).as_deref(), Some(name));
        }
        assert_eq!(decoded("a/b"), None);
        assert_eq!(decoded("%4"), None);
        assert_eq!(decoded("%zz"), None);
    }
}
