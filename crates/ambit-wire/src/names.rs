//! Ids and names that providers accept. An invalid one is always replaced by the same valid one: a
//! call and its reply still match, and compositions stay the same.

use sha2::{Digest, Sha256};

use crate::Format;

/// The longest id that each provider's service accepts.
fn id_max(format: Format) -> usize {
    match format {
        Format::Openai => 40,
        Format::Responses | Format::Anthropic => 64,
    }
}

/// The longest name of a function.
const NAME_MAX: usize = 64;

/// How many hash digits distinguish replaced words.
const DIGITS: usize = 8;

/// Returns an id as a format accepts it.
pub fn shown_id(format: Format, id: &str) -> String {
    let fits = match format {
        Format::Anthropic => id.chars().all(is_word),
        Format::Openai | Format::Responses => !id.chars().any(char::is_control),
    };
    if fits && !id.is_empty() && id.chars().count() <= id_max(format) {
        return id.to_string();
    }
    replaced(id, id_max(format))
}

/// Returns a function's name as all formats accept it.
pub fn shown_name(name: &str) -> String {
    if !name.is_empty() && name.len() <= NAME_MAX && name.chars().all(is_word) {
        return name.to_string();
    }
    replaced(name, NAME_MAX)
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

/// Returns the start of a word followed by digits of its hash.
fn replaced(word: &str, max: usize) -> String {
    let front = max - DIGITS - 1;
    let front: String =
        word.chars().take(front).map(|c| if is_word(c) { c } else { '_' }).collect();
    let hash = Sha256::digest(word.as_bytes());
    let digits: String = hash.iter().take(DIGITS / 2).map(|byte| format!("{byte:02x}")).collect();
    format!("{front}-{digits}")
}

#[cfg(test)]
mod tests {
    use super::{Format, shown_id, shown_name};

    #[test]
    fn valid_ids_and_names_stay_and_others_are_replaced_consistently() {
        for format in Format::ALL {
            assert_eq!(shown_id(format, "call_1-a"), "call_1-a");
            let long = shown_id(format, &"x".repeat(200));
            assert!(long.len() <= 64 && long == shown_id(format, &"x".repeat(200)));
            assert_ne!(long, shown_id(format, &"x".repeat(201)));
            assert!(!shown_id(format, "").is_empty());
        }
        assert_eq!(shown_id(Format::Openai, "call|fc.1"), "call|fc.1");
        assert!(shown_id(Format::Anthropic, "call|fc.1").starts_with("call_fc_1-"));
        assert_eq!(shown_name("read_file"), "read_file");
        assert!(shown_name("read file").starts_with("read_file-"));
        assert_eq!(shown_name(&"n".repeat(300)).len(), 64);
    }
}
