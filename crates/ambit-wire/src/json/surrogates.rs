//! Lone surrogates in JSON escapes, which UTF-8 cannot hold.

use std::borrow::Cow;

/// Replaces escapes of lone surrogates by `\ufffd`. Returns the text and their number.
pub fn repair_surrogates(text: &str) -> (Cow<'_, str>, usize) {
    let has_any = text.as_bytes().windows(4).any(is_surrogate_start);
    if !has_any {
        return (Cow::Borrowed(text), 0);
    }
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let (mut at, mut kept, mut repaired) = (0, 0, 0);
    while at < bytes.len() {
        if bytes[at] != b'\\' {
            at += 1;
            continue;
        }
        match (unit(bytes, at), unit(bytes, at + 6)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => at += 12,
            (Some(0xD800..=0xDFFF), _) => {
                out.push_str(&text[kept..at]);
                out.push_str("\\ufffd");
                at += 6;
                kept = at;
                repaired += 1;
            }
            // Another escape: its second byte must not be read as a backslash.
            _ => at += 2,
        }
    }
    out.push_str(&text[kept..]);
    (Cow::Owned(out), repaired)
}

fn is_surrogate_start(four: &[u8]) -> bool {
    four[0] == b'\\' && four[1] == b'u' && matches!(four[2], b'd' | b'D') && four[3] >= b'8'
}

/// Returns the code unit of the `\uXXXX` at an offset.
fn unit(bytes: &[u8], at: usize) -> Option<u32> {
    let escape = bytes.get(at..at + 6)?;
    if escape[0] != b'\\' || escape[1] != b'u' {
        return None;
    }
    let digits = std::str::from_utf8(&escape[2..]).ok()?;
    digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests {
    use super::repair_surrogates;

    #[test]
    fn lone_surrogates_are_replaced_and_pairs_are_kept() {
        let check = |input: &str, expected: &str, count: usize| {
            let (repaired, n) = repair_surrogates(input);
            assert_eq!((repaired.as_ref(), n), (expected, count), "{input}");
        };
        check(r#""plain \n text""#, r#""plain \n text""#, 0);
        check(r#""\ud83d\ude00""#, r#""\ud83d\ude00""#, 0);
        check(r#""a\ud83d""#, r#""a\ufffd""#, 1);
        check(r#""\uDE00\ud83dx""#, r#""\ufffd\ufffdx""#, 2);
        check(r#""\\ud83d""#, r#""\\ud83d""#, 0);
        check(r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#, 1);
        check(r#""\ud83d\u""#, r#""\ufffd\u""#, 1);
    }
}
