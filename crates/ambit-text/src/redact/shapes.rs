//! Shapes of secrets: a prefix, and what must follow it.

/// A kind of secret with a prefix of its own.
pub(super) struct Shape {
    /// Ends with `-`, `_` or `.`: these bytes are rare in most texts, so the scan looks for them.
    pub prefix: &'static str,
    pub body: Bytes,
    /// The minimum number of characters that follow.
    pub min: usize,
    pub what: &'static str,
}

/// The bytes that continue a secret: sets of bytes, combined with `|`.
pub(super) type Bytes = u8;

pub(super) const LOWER: Bytes = 1;
pub(super) const UPPER: Bytes = 2;
pub(super) const DIGIT: Bytes = 4;
/// `_` and `-`.
const JOINS: Bytes = 8;
const DOT: Bytes = 16;
/// `/`, `+` and `=`.
const BASE64: Bytes = 32;
const TILDE: Bytes = 64;
/// Every secret contains one of these bytes, and few bytes of other texts are among them.
const TRIGGER: Bytes = 128;

pub(super) const LETTERS: Bytes = LOWER | UPPER | DIGIT;
pub(super) const WORDS: Bytes = LETTERS | JOINS;
pub(super) const DOTTED: Bytes = WORDS | DOT;
pub(super) const ENCODED: Bytes = LETTERS | BASE64;
pub(super) const HEADER: Bytes = DOTTED | BASE64 | TILDE;

/// The sets that each byte belongs to.
const SETS: [Bytes; 256] = {
    let mut sets = [0; 256];
    let mut at = 0;
    while at < 128 {
        let byte = at as u8;
        sets[at] = match byte {
            b'a'..=b'z' => LOWER,
            b'A'..=b'Z' => UPPER,
            b'0'..=b'9' => DIGIT,
            b'_' | b'-' => JOINS,
            b'.' => DOT,
            b'/' | b'+' | b'=' => BASE64,
            b'~' => TILDE,
            _ => 0,
        };
        if matches!(byte, b'-' | b'_' | b'.' | b':' | b'A' | b'J' | b'z' | b'Z') {
            sets[at] |= TRIGGER;
        }
        at += 1;
    }
    sets
};

/// Returns which of some sets a byte belongs to.
pub(super) fn within(byte: u8, sets: Bytes) -> Bytes {
    SETS[byte as usize] & sets
}

/// Returns whether a byte is one of those that every secret contains.
pub(super) fn is_trigger(byte: u8) -> bool {
    within(byte, TRIGGER) != 0
}

macro_rules! shapes {
    ($($what:literal: $($prefix:literal $body:ident $min:literal),+;)+) => {
        /// All shapes; if one prefix is a suffix of another, the longer comes first. No word in a
        /// name has more than ten letters: a configured prefix has at least three and requires
        /// eight more, so it never matches a mark.
        const SHAPES: &[Shape] = &[$($(Shape {
            prefix: $prefix,
            body: $body,
            min: $min,
            what: $what,
        }),+),+];
    };
}

shapes! {
    "GitHub token": "ghp_" LETTERS 36, "gho_" LETTERS 36, "ghu_" LETTERS 36, "ghs_" LETTERS 36,
        "ghr_" LETTERS 36, "github_pat_" WORDS 40;
    "GitLab token": "glpat-" DOTTED 20, "gldt-" WORDS 20, "glrt-" DOTTED 20, "glptt-" WORDS 20,
        "glcbt-" WORDS 20, "glagent-" WORDS 40, "gloas-" WORDS 40;
    "Anthropic key": "sk-ant-" WORDS 24;
    "OpenAI key": "sk-proj-" WORDS 24, "sk-svcacct-" WORDS 24, "sk-admin-" WORDS 24,
        "sk-" LETTERS 20;
    "OpenRouter key": "sk-or-v1-" LETTERS 32;
    "Groq key": "gsk_" LETTERS 40;
    "xAI key": "xai-" LETTERS 60;
    "Perplexity key": "pplx-" LETTERS 40;
    "NVIDIA key": "nvapi-" WORDS 40;
    "Replicate key": "r8_" LETTERS 36;
    "Hugging Face token": "hf_" LETTERS 30;
    "Google secret": "ya29." WORDS 20, "GOCSPX-" WORDS 24;
    "Slack token": "xoxe.xoxb-" WORDS 20, "xoxe.xoxp-" WORDS 20, "xoxa-" WORDS 20, "xoxb-" WORDS 20,
        "xoxe-" WORDS 20, "xoxo-" WORDS 20, "xoxp-" WORDS 20, "xoxr-" WORDS 20, "xoxs-" WORDS 20,
        "xapp-" WORDS 20;
    "Stripe key": "sk_live_" LETTERS 16, "rk_live_" LETTERS 16, "sk_test_" LETTERS 16,
        "rk_test_" LETTERS 16, "whsec_" LETTERS 32;
    "npm token": "npm_" LETTERS 36;
    "PyPI token": "pypi-" WORDS 60;
    "RubyGems key": "rubygems_" LETTERS 48;
    "Docker token": "dckr_pat_" WORDS 24, "dckr_oat_" WORDS 24;
    "SendGrid key": "SG." DOTTED 60;
    "Digital Ocean token": "dop_v1_" LETTERS 64, "doo_v1_" LETTERS 64, "dor_v1_" LETTERS 64;
    "Shopify token": "shpat_" LETTERS 32, "shpca_" LETTERS 32, "shppa_" LETTERS 32,
        "shpss_" LETTERS 32;
    "Vault token": "hvs." WORDS 24, "hvb." WORDS 60;
    "Tailscale key": "tskey-auth-" WORDS 20, "tskey-api-" WORDS 20, "tskey-client-" WORDS 20;
    "Linear key": "lin_api_" LETTERS 40;
    "Notion token": "ntn_" LETTERS 40;
    "Sentry token": "sntryu_" LETTERS 64, "sntrys_" WORDS 60;
    "Grafana token": "glsa_" WORDS 40, "glc_" LETTERS 40;
    "Postman key": "PMAK-" WORDS 40;
    "Pulumi token": "pul-" LETTERS 40;
    "Supabase key": "sbp_" LETTERS 40;
    "age secret key": "AGE-SECRET-KEY-" LETTERS 50;
}

/// The shapes by the last three bytes of their prefix, so that most hyphens cost one lookup: a
/// table of first shapes, each linked to the next with the same slot.
const INDEX: ([u8; 1024], [u8; SHAPES.len()]) = {
    assert!(SHAPES.len() < 256);
    let (mut first, mut next) = ([0; 1024], [0; SHAPES.len()]);
    let mut number = SHAPES.len();
    while number > 0 {
        let prefix = SHAPES[number - 1].prefix.as_bytes();
        let slot = slot(prefix);
        next[number - 1] = first[slot];
        first[slot] = number as u8;
        number -= 1;
    }
    (first, next)
};

const fn slot(end: &[u8]) -> usize {
    let [.., a, b, c] = end else { return 0 };
    (*a as usize * 37 + *b as usize * 5 + *c as usize) % 1024
}

/// Returns the shapes whose prefix ends where this text ends.
pub(super) fn with_prefix_at_end(text: &[u8]) -> impl Iterator<Item = &'static Shape> {
    let number = |number: u8| usize::from(number).checked_sub(1);
    let first = number(INDEX.0[slot(text)]);
    let alike = std::iter::successors(first, move |at| number(INDEX.1[*at]));
    alike.map(|at| &SHAPES[at]).filter(|shape| text.ends_with(shape.prefix.as_bytes()))
}

/// Names of the kinds without such a prefix.
pub(super) const AWS_ID: &str = "AWS key id";
pub(super) const GOOGLE_KEY: &str = "Google key";
pub(super) const JWT: &str = "JWT";
pub(super) const TELEGRAM: &str = "Telegram token";
pub(super) const PRIVATE_KEY: &str = "private key";
pub(super) const SECRET_KEY: &str = "secret key";
pub(super) const PASSWORD: &str = "URL password";
pub(super) const BEARER: &str = "bearer token";
pub(super) const BASIC: &str = "basic credential";
pub(super) const CONFIGURED: &str = "configured token";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_mark_matches_a_secret() {
        let others = [
            AWS_ID,
            GOOGLE_KEY,
            JWT,
            TELEGRAM,
            PRIVATE_KEY,
            SECRET_KEY,
            PASSWORD,
            BEARER,
            BASIC,
            CONFIGURED,
            "redacted",
        ];
        let names = SHAPES.iter().map(|shape| shape.what).chain(others);
        for word in names.flat_map(|name| name.split(' ')) {
            assert!(word.len() <= 10 && word.bytes().all(|b| b.is_ascii_alphanumeric()), "{word}");
        }
        for Shape { prefix, .. } in SHAPES {
            assert!(prefix.ends_with(['-', '_', '.']), "{prefix} is never looked for");
        }
    }
}
