//! Labels: names of scopes, actors and objects. Events hold them as they are and they cannot be
//! forgotten. They must be short and printable, and must not look like ids.

use crate::{NameFault, NameRefusal};

/// Checks the name of a scope, an actor or a vault.
pub fn check_label(what: &str, name: &str, chars_max: i64) -> Result<(), NameRefusal> {
    check_name_for(what, name, ("name_chars_max", chars_max))
}

/// Checks the name of an object, which is often a path.
pub fn check_object(name: &str, chars_max: i64) -> Result<(), NameRefusal> {
    check_name_for("object", name, ("object_chars_max", chars_max))
}

/// Refuses a name for a new object that looks like a handle: `812` is an event, `812.0` a block,
/// and seven or more digits of a hash are a note.
pub fn check_unlike_handles(name: &str) -> Result<(), NameRefusal> {
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let hash = (7..=64).contains(&name.len()) && name.bytes().all(|it| it.is_ascii_hexdigit());
    let hex = |text: &str| text.bytes().all(|it| it.is_ascii_hexdigit());
    let block = name.split_once('.').is_some_and(|(turn, rest)| {
        let (block, key) = rest.split_once('-').unwrap_or((rest, ""));
        number(turn) && number(block) && hex(key)
    });
    if !number(name) && !hash && !block {
        return Ok(());
    }
    Err(NameRefusal::LikeAHandle { name: name.into() })
}

fn check_name_for(
    what: &str,
    name: &str,
    (setting, max): (&'static str, i64),
) -> Result<(), NameRefusal> {
    let chars = name.chars().count() as i64;
    let like_an_id = ["scp_", "act_", "obj_", "viw_"].iter().any(|it| name.starts_with(it));
    let fault = if name.trim().is_empty() {
        NameFault::Empty
    } else if name.trim() != name {
        NameFault::Padded
    } else if let Some(c) = name.chars().find(|c| is_unprintable(*c)) {
        NameFault::Control(c)
    } else if chars > max {
        NameFault::TooLong { chars, setting, max }
    } else if like_an_id {
        NameFault::LikeAnId
    } else {
        return Ok(());
    };
    Err(NameRefusal::Invalid { what: what.into(), name: name.into(), fault })
}

/// Whether a character is a control character, a line separator, or reorders text on a screen.
pub(crate) fn is_unprintable(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::{check_label, check_unlike_handles};

    #[test]
    fn names_that_look_like_handles_are_refused() {
        for good in
            ["plan", "issue-12", "12th", "3.md", "v1.0", "decade", "be.ef", "", "20.11-plan.md"]
        {
            assert!(check_unlike_handles(good).is_ok(), "{good}");
        }
        for bad in ["3", "812", "812.0", "812.0-3fa2", "bbbd170", "ABCDEF01", "1234567"] {
            assert!(check_unlike_handles(bad).is_err(), "{bad}");
        }
        assert!(check_unlike_handles(&"a".repeat(65)).is_ok());
    }

    #[test]
    fn valid_and_invalid_names() {
        for good in ["main", "step-1", "Fehlersuche im März", "修复"] {
            assert!(check_label("scope", good, 100).is_ok(), "{good}");
        }
        for bad in ["", " ", " a", "a\n", "a\u{1b}[0m", "a\u{202E}b", "scp_1", "a\0b"] {
            assert!(check_label("scope", bad, 100).is_err(), "{bad:?}");
        }
        assert!(check_label("scope", &"x".repeat(101), 100).is_err());
    }
}
