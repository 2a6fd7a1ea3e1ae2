//! Finds single secrets: word boundaries, runs of bytes, and the shapes that need more than a
//! prefix.

use std::ops::Range;

use super::Found;
use super::pem::private_key;
use super::shapes::*;

/// Finds the secret that the byte at `at` belongs to. Everything before `done` counts as marks.
/// Checking the next byte first rules out most candidates.
pub(super) fn secret(bytes: &[u8], at: usize, done: usize) -> Option<Found> {
    match (bytes[at], *bytes.get(at + 1)?) {
        (b'-', b'B') => private_key(bytes, at, done).or_else(|| with_prefix(bytes, at, done)),
        (b'-' | b'_', b'k' | b'K') => {
            secret_key(bytes, at, done).or_else(|| with_prefix(bytes, at, done))
        }
        (b'-' | b'_' | b'.', next) if within(next, WORDS) != 0 => with_prefix(bytes, at, done),
        (b':', b'A') => telegram(bytes, at, done),
        (b'A', b'c') => secret_key(bytes, at, done),
        (b'A', b'I' | b'K' | b'S' | b'B' | b'C') => aws_or_google_key(bytes, at, done),
        (b'J', _) => jwt(bytes, at, done),
        (b'z' | b'Z', b'a' | b'A') => authorization(bytes, at, done),
        _ => None,
    }
}

/// Returns whether a word can begin here: not inside another word, and not with the letter of an
/// escape, because JSON must stay JSON. A word can begin after an escape (`\n`, `\u003d`, `%3D`).
pub(super) fn begins_word(bytes: &[u8], at: usize, done: usize) -> bool {
    let before = &bytes[done.min(at)..at];
    match before {
        [.., b'\\'] => !matches!(bytes.get(at), Some(b'b' | b'f' | b'n' | b'r' | b't' | b'u')),
        [.., b'\\', b'b' | b'f' | b'n' | b'r' | b't'] => true,
        [.., b'\\', b'u', a, b, c, d] if is_hex(&[*a, *b, *c, *d]) => true,
        [.., b'%', a, b] if is_hex(&[*a, *b]) => true,
        [.., last] => !last.is_ascii_alphanumeric(),
        [] => true,
    }
}

fn is_hex(bytes: &[u8]) -> bool {
    bytes.iter().all(u8::is_ascii_hexdigit)
}

/// Returns the end of the run of bytes that begins here.
pub(super) fn run(bytes: &[u8], from: usize, sets: Bytes) -> usize {
    until(bytes, from, |byte| within(byte, sets) == 0)
}

/// Returns the position of the first byte at which `stop` holds.
pub(super) fn until(bytes: &[u8], from: usize, stop: impl Fn(u8) -> bool) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    from + rest.iter().position(|byte| stop(*byte)).unwrap_or(rest.len())
}

/// Returns the text up to `max` bytes after `from`: the limit of the look-ahead.
pub(super) fn near(bytes: &[u8], from: usize, max: usize) -> &[u8] {
    &bytes[..bytes.len().min(from + max)]
}

/// Returns which of lower-case letters, capitals and digits occur in the first `min` bytes of a
/// run; empty if the run is shorter.
fn kinds(bytes: &[u8], from: usize, min: usize, sets: Bytes) -> Bytes {
    let mut kinds = 0;
    for byte in bytes.get(from..from + min).unwrap_or_default() {
        match within(*byte, sets) {
            0 => return 0,
            some => kinds |= some & LETTERS,
        }
    }
    kinds
}

/// Returns whether a run is long enough and looks random: not a word, and not a placeholder such
/// as `xxxx`.
fn looks_random(bytes: &[u8], from: usize, min: usize, sets: Bytes) -> bool {
    let kinds = kinds(bytes, from, min, sets);
    kinds & DIGIT != 0 || kinds == LOWER | UPPER
}

fn with_prefix(bytes: &[u8], at: usize, done: usize) -> Option<Found> {
    with_prefix_at_end(&bytes[done..=at]).find_map(|shape| {
        let (start, body) = (at + 1 - shape.prefix.len(), at + 1);
        if !begins_word(bytes, start, done) || !looks_random(bytes, body, shape.min, shape.body) {
            return None;
        }
        let mut end = run(bytes, body, shape.body);
        while bytes[end - 1] == b'.' {
            // This byte ends a sentence and is not part of the secret.
            end -= 1;
        }
        Some(Found { at: start..end, what: shape.what })
    })
}

/// Returns the end of a secret that begins with a prefix configured for the vault.
pub(super) fn own(bytes: &[u8], at: usize, prefix: &[u8]) -> Option<usize> {
    const BODY_MIN: usize = 8;
    let body = at + prefix.len();
    let begins = bytes[at..].starts_with(prefix) && kinds(bytes, body, BODY_MIN, WORDS) > 0;
    begins.then(|| run(bytes, body, WORDS))
}

/// Finds `AKIA` and 16 more characters, or `AIza` and at least 35 more.
fn aws_or_google_key(bytes: &[u8], at: usize, done: usize) -> Option<Found> {
    let rest = &bytes[at..];
    if rest.starts_with(b"AIza") {
        let good = begins_word(bytes, at, done) && looks_random(bytes, at + 4, 35, WORDS);
        return good.then(|| Found { at: at..run(bytes, at, WORDS), what: GOOGLE_KEY });
    }
    let aws: [&[u8]; 4] = [b"AKIA", b"ASIA", b"ABIA", b"ACCA"];
    if !aws.iter().any(|prefix| rest.starts_with(prefix)) || !begins_word(bytes, at, done) {
        return None;
    }
    let end = at + 20;
    let good = kinds(bytes, at + 4, 16, UPPER | DIGIT) > 0
        && bytes.get(end).is_none_or(|byte| within(*byte, LETTERS) == 0);
    good.then_some(Found { at: at..end, what: AWS_ID })
}

/// Finds a JWT: three parts in base64url, the first a JSON object. `eyJ` is base64url for `{"`.
fn jwt(bytes: &[u8], at: usize, done: usize) -> Option<Found> {
    let start = at.checked_sub(2).filter(|start| *start >= done)?;
    // Only one candidate per run, because runs may be long.
    let inside = start > done && matches!(bytes[start - 1], b'-' | b'_');
    if &bytes[start..at] != b"ey" || inside || !begins_word(bytes, start, done) {
        return None;
    }
    let header = run(bytes, at, WORDS);
    if header - start < 16 || bytes.get(header) != Some(&b'.') {
        return None;
    }
    let claims = run(bytes, header + 1, WORDS);
    let long = claims - header > 4 && bytes.get(claims) == Some(&b'.');
    if !long || !looks_random(bytes, claims + 1, 20, WORDS) {
        return None;
    }
    Some(Found { at: start..run(bytes, claims + 1, WORDS), what: JWT })
}

/// Finds a Telegram token: a bot's number, a colon, and 35 characters that begin with `AA`.
fn telegram(bytes: &[u8], at: usize, done: usize) -> Option<Found> {
    const DIGITS: std::ops::RangeInclusive<usize> = 8..=12;
    if !bytes[at + 1..].starts_with(b"AA") || !looks_random(bytes, at + 1, 35, WORDS) {
        return None;
    }
    let before = bytes[done..at].iter().rev().take(DIGITS.end() + 1);
    let digits = before.take_while(|byte| byte.is_ascii_digit()).count();
    let start = at - digits;
    let begins = begins_word(bytes, start, done) || bytes[done..start].ends_with(b"bot");
    let good = DIGITS.contains(&digits) && begins;
    good.then(|| Found { at: start..run(bytes, at + 1, WORDS), what: TELEGRAM })
}

/// Finds the password in `scheme://user:password@host`, from the first colon.
pub(super) fn password(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let scheme = at > 0 && within(bytes[at - 1], LETTERS) != 0;
    if !scheme || !bytes[at..].starts_with(b"://") {
        return None;
    }
    let stops = |byte: u8| !byte.is_ascii_graphic() || b"/?#\"'`<>\\".contains(&byte);
    let from = at + 3;
    let authority = &bytes[from..until(bytes, from, stops)];
    let host = authority.iter().rposition(|byte| *byte == b'@')?;
    let user = authority[..host].iter().position(|byte| *byte == b':')?;
    let password = &authority[user + 1..host];
    // A placeholder is not a password, and the name before an image's digest is not a user.
    let stand_in = matches!(password, [] | [b'$' | b'{' | b'[', ..] | [b'%', b's' | b'v', ..])
        || password.iter().all(|byte| *byte == b'*')
        || authority[host + 1..].starts_with(b"sha256:");
    (!stand_in).then_some(from + user + 1..from + host)
}

/// Returns where a value begins after its name: quotes, signs and white space of one line may
/// separate them.
fn value(bytes: &[u8], from: usize) -> Option<usize> {
    let stops =
        |byte: u8| !byte.is_ascii() || within(byte, ENCODED) != 0 && byte != b'=' || byte == b'\n';
    let value = until(near(bytes, from, 12), from, stops);
    (value > from && begins_word(bytes, value, from)).then_some(value)
}

/// Finds the value of an Authorization header, in any notation.
fn authorization(bytes: &[u8], at: usize, done: usize) -> Option<Found> {
    let start = at.checked_sub(7).filter(|start| *start >= done)?;
    let name = at + 6;
    if !bytes.get(start..name)?.eq_ignore_ascii_case(b"authorization") {
        return None;
    }
    let scheme = value(bytes, name)?;
    let blank = run(near(bytes, scheme, 8), scheme, LETTERS);
    let what = match bytes[scheme..blank].to_ascii_lowercase().as_slice() {
        b"bearer" | b"token" => BEARER,
        b"basic" => BASIC,
        _ => return None,
    };
    let value = until(near(bytes, blank, 8), blank, |byte| !matches!(byte, b' ' | b'\t'));
    // Words of prose are short and lower case.
    let prose = bytes[value..].iter().take(8).all(u8::is_ascii_lowercase);
    let min = if prose { 20 } else { 8 };
    let secret = value > blank && kinds(bytes, value, min, HEADER) > 0;
    secret.then(|| Found { at: value..run(bytes, value, HEADER), what })
}

/// Finds the value of `aws_secret_access_key`, `SecretAccessKey` and similar names.
fn secret_key(bytes: &[u8], at: usize, done: usize) -> Option<Found> {
    let before = |name: &str| {
        let from = at.checked_sub(name.len()).filter(|from| *from >= done);
        from.is_some_and(|from| bytes[from..at].eq_ignore_ascii_case(name.as_bytes()))
    };
    let after = |name: &str| {
        let found = bytes.get(at + 1..at + 1 + name.len());
        found.is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()))
    };
    let named = match bytes[at] {
        b'A' => after("ccessKey") && before("secret"),
        _ => after("key") && ["secret", "secret_access", "secret-access"].into_iter().any(before),
    };
    if !named {
        return None;
    }
    let value = value(bytes, run(near(bytes, at, 9), at + 1, LETTERS))?;
    let secret = kinds(bytes, value, 40, ENCODED) == LETTERS;
    secret.then(|| Found { at: value..run(bytes, value, ENCODED), what: SECRET_KEY })
}
