//! Redaction: what counts as a secret, that redacting twice changes nothing, that JSON stays JSON,
//! and that the time is linear.

use std::time::{Duration, Instant};

use ambit_text::redact::{Redaction, in_words};
use proptest::prelude::*;

/// Generates letters, capitals and digits, so that this file contains no real secret.
fn random(length: usize) -> String {
    "a1B2c3D4e5F6".chars().cycle().take(length).collect()
}

fn hex(length: usize) -> String {
    "0123456789abcdef".chars().cycle().take(length).collect()
}

fn redacted(text: &str) -> String {
    let found = Redaction::default().redact(text);
    found.map_or_else(|| text.to_string(), |found| found.text)
}

/// Secrets, each with the name of its kind.
fn secrets() -> Vec<(String, &'static str)> {
    let with = |prefix: &str, length, what| (format!("{prefix}{}", random(length)), what);
    let hexed = |prefix: &str, length, what| (format!("{prefix}{}", hex(length)), what);
    let jwt = format!("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.{}", random(43));
    vec![
        with("ghp_", 36, "GitHub token"),
        with("gho_", 36, "GitHub token"),
        with("ghu_", 36, "GitHub token"),
        with("ghs_", 36, "GitHub token"),
        with("ghr_", 76, "GitHub token"),
        (format!("github_pat_{}_{}", random(22), random(59)), "GitHub token"),
        with("glpat-", 20, "GitLab token"),
        (format!("glpat-{}.01.{}", random(30), hex(9)), "GitLab token"),
        (format!("sk-ant-api03-{}-{}AA", random(50), random(42)), "Anthropic key"),
        with("sk-", 48, "OpenAI key"),
        (format!("sk-proj-{}_T3BlbkFJ-{}", random(74), random(74)), "OpenAI key"),
        hexed("sk-or-v1-", 64, "OpenRouter key"),
        with("gsk_", 52, "Groq key"),
        with("hf_", 34, "Hugging Face token"),
        ("hf_abcdefghijklmnopqrSTUVWXYZabcdefgh".into(), "Hugging Face token"),
        with("AIza", 35, "Google key"),
        (format!("ya29.a0{}_{}-x", random(40), random(60)), "Google secret"),
        ("xoxb-123456789012-1234567890123-a1B2c3D4e5F6a1B2c3D4e5F6".into(), "Slack token"),
        (format!("xoxe.xoxp-1-{}", random(163)), "Slack token"),
        with("sk_live_", 24, "Stripe key"),
        with("rk_live_", 24, "Stripe key"),
        with("npm_", 36, "npm token"),
        with("pypi-AgEIcHlwaS5vcmc", 140, "PyPI token"),
        (format!("SG.{}.{}", random(22), random(43)), "SendGrid key"),
        hexed("dop_v1_", 64, "Digital Ocean token"),
        hexed("shpat_", 32, "Shopify token"),
        with("hvs.", 90, "Vault token"),
        ("AKIAIOSFODNN7EXAMPLE".into(), "AWS key id"),
        ("ASIAIOSFODNN7EXAMPLE".into(), "AWS key id"),
        (format!("123456789:AA{}", random(33)), "Telegram token"),
        (jwt, "JWT"),
        (pem("\n"), "private key"),
        (pem("\r\n"), "private key"),
        (pem("\\n"), "private key"),
        (pem("\\r\\n"), "private key"),
        (pem("\n    "), "private key"),
        (pem("\\\\n"), "private key"),
    ]
}

fn pem(line_end: &str) -> String {
    let lines = [
        "-----BEGIN RSA PRIVATE KEY-----",
        &random(64),
        &format!("{}+/", random(62)),
        "abc12w==",
        "-----END RSA PRIVATE KEY-----",
    ];
    lines.join(line_end)
}

#[test]
fn known_shapes_are_found_in_any_surroundings() {
    for (secret, what) in secrets() {
        let mark = format!("[redacted: {what}]");
        for (before, after) in [
            ("", ""),
            ("the key is ", " and that is all"),
            ("(", ")"),
            ("TOKEN=", "\n"),
            ("\"", "\","),
            ("früher \u{2018}", "\u{2019} später"),
            ("{\"a\":\"\\n", "\\n\"}"),
            ("?key%3D", "&b=1"),
            ("\\u003d", "\\u0026"),
            ("x ", ". Then"),
        ] {
            if secret.starts_with(|c: char| c.is_ascii_digit()) && before.ends_with("3d") {
                continue; // The digits would continue those of the escape.
            }
            let expected = format!("{before}{mark}{after}");
            assert_eq!(redacted(&format!("{before}{secret}{after}")), expected);
        }
        let found = Redaction::default().redact(&format!("{secret} {secret}")).unwrap().found;
        assert_eq!(found, [what, what]);
    }
}

#[test]
fn secrets_are_found_by_their_name_or_position() {
    let aws = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
    let table = [
        (
            format!("aws_secret_access_key = {aws}"),
            "aws_secret_access_key = [redacted: secret key]",
        ),
        (
            format!("AWS_SECRET_ACCESS_KEY=\"{aws}\""),
            "AWS_SECRET_ACCESS_KEY=\"[redacted: secret key]\"",
        ),
        (
            format!("set aws_secret_access_key {aws}"),
            "set aws_secret_access_key [redacted: secret key]",
        ),
        (
            format!("{{\"SecretAccessKey\": \"{aws}\"}}"),
            "{\"SecretAccessKey\": \"[redacted: secret key]\"}",
        ),
        (
            format!("{{\\\"secretAccessKey\\\":\\\"{aws}\\\"}}"),
            "{\\\"secretAccessKey\\\":\\\"[redacted: secret key]\\\"}",
        ),
        (
            format!("<SecretAccessKey>{aws}</SecretAccessKey>"),
            "<SecretAccessKey>[redacted: secret key]</SecretAccessKey>",
        ),
        (
            "postgres://ada:hunter2@db:5432/x".into(),
            "postgres://ada:[redacted: URL password]@db:5432/x",
        ),
        ("redis://:hunter2@cache".into(), "redis://:[redacted: URL password]@cache"),
        ("\"https://u:p%40ss@w@host/\"".into(), "\"https://u:[redacted: URL password]@host/\""),
        (
            "mongodb://u:p@a:1,b:2/x c://d:e@f".into(),
            "mongodb://u:[redacted: URL password]@a:1,b:2/x c://d:[redacted: URL password]@f",
        ),
        (
            format!("https://ghp_{}:x-oauth@host/a", random(36)),
            "https://[redacted: GitHub token]:[redacted: URL password]@host/a",
        ),
        (
            format!("https://123456789:AA{}.x@host", random(33)),
            "https://[redacted: Telegram token]@host",
        ),
        (
            format!("https://api.example/bot123456789:AA{}/x", random(33)),
            "https://api.example/bot[redacted: Telegram token]/x",
        ),
        (
            "curl -H 'Authorization: Bearer abc.DEF-123_x~y='".into(),
            "curl -H 'Authorization: Bearer [redacted: bearer token]'",
        ),
        (
            "authorization: basic dXNlcjpwYXNz".into(),
            "authorization: basic [redacted: basic credential]",
        ),
        (
            "headers[\"Authorization\"] = \"token 0123456789abcdef\"".into(),
            "headers[\"Authorization\"] = \"token [redacted: bearer token]\"",
        ),
        (
            "{\\\"Authorization\\\": \\\"Bearer abcdefghijklmnopqrst\\\"}".into(),
            "{\\\"Authorization\\\": \\\"Bearer [redacted: bearer token]\\\"}",
        ),
    ];
    for (text, expected) in table {
        assert_eq!(redacted(&text), expected);
    }
}

#[test]
fn ordinary_text_is_not_redacted() {
    let sha = hex(40);
    let texts = [
        format!("commit {sha}"),
        format!("integrity sha512-{}==", random(86)),
        format!("id 3f2b8c1e-9d4a-4f6b-8e2c-1a5d7b9c0e3f, task-{sha}, desk-{sha}"),
        format!("xghp_{}", random(36)),
        format!("ghp_{}", random(35)),
        format!("ghp_{}", "x".repeat(36)),
        format!("sk-{}", "x".repeat(48)),
        "sk-learn, sk-proj-your-project-key-goes-here, glpat-xxxxxxxxxxxxxxxxxxxx".into(),
        "npm_config_user_agent, npm_package_json, hf_hub_download(repo_id)".into(),
        format!("AKIA{}", "A".repeat(17)),
        "AIza, AKIA, eyJ, xoxb-, ya29., SG. and Bearer are how they begin".into(),
        "eyJhbGciOiJIUzI1NiJ9 is a header, eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0 no token".into(),
        "Authorization: Bearer <token>, Authorization: Bearer ${TOKEN}, Bearer authentication"
            .into(),
        "the Authorization: Bearer scheme; f\"Bearer {token}\" in Authorization".into(),
        "https://host:8080/@scope/x, ssh://git@host:22/x, git@host:a/b.git, a://b:c".into(),
        "postgres://${USER}:${PASSWORD}@host, x://{u}:{p}@h, y://%s:%s@h, z://a:***@h".into(),
        "docker://alpine:3.18@sha256:0123456789abcdef".into(),
        "mail a:b@c.example, 12:34:56, std::io::Result, http://[::1]:80/".into(),
        "aws_secret_access_key = YOUR_KEY, secret_key: short, secret_key = os.environ[\"KEY\"]"
            .into(),
        "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----"
            .into(),
        "if text.startswith(\"-----BEGIN PRIVATE KEY-----\"): return text.endswith(\"-----END\")"
            .into(),
        "-----BEGIN RSA PRIVATE KEY-----\n...\n-----END RSA PRIVATE KEY-----".into(),
        "| a | b |\n|-----|-----|\n-----\n--- a/x\n+++ b/x".into(),
        "1234567:AAbc, 12:AA, {\"a\":1}, […], [redacted: GitHub token]".into(),
        String::new(),
    ];
    for text in texts {
        assert_eq!(Redaction::default().redact(&text), None, "{text}");
    }
}

#[test]
fn truncated_keys_and_keys_as_lists_of_lines_are_found() {
    let (line, begin, end) =
        (random(64), "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----");
    let cut = format!("{begin}\n{line}\n{line}\n... and then I read on");
    assert_eq!(redacted(&cut), "[redacted: private key]\n... and then I read on");
    let listed = format!("{{\"lines\":[\"{begin}\",\"{line}\",\n \"{end}\"],\"n\":1}}");
    assert_eq!(redacted(&listed), "{\"lines\":[\"[redacted: private key]\"],\"n\":1}");
    // Removing this part of an object would leave a name without its value.
    for object in [
        format!("{{\"a\":\"{begin}\",\"{line}{end}\":1}}"),
        format!("{{\"a\":\"{begin}\",\"b\":\"{line}{end}\"}}"),
        format!("[\"{begin}\",12345678901234567890]"),
        format!("{{\"a\":\"{begin}\\\\\",\"{line}{end}\":1}}"),
        format!("{{\"a\":\"{begin}\",\"{line}{end}\\\"\":1}}"),
    ] {
        serde_json::from_str::<serde_json::Value>(&redacted(&object)).unwrap();
    }
    let head =
        format!("{begin}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A\n\n{line}\n{end}");
    assert_eq!(redacted(&head), "[redacted: private key]");
    let pgp = format!(
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2.0 (Linux)\n\n{line}\n=aB3d\n\
         -----END PGP PRIVATE KEY BLOCK-----"
    );
    assert_eq!(redacted(&pgp), "[redacted: private key]");
}

#[test]
fn the_letter_of_an_escape_does_not_begin_a_secret() {
    let text = format!("{{\"a\":\"\\npm_{}\"}}", random(36));
    assert_eq!(redacted(&text), text);
    let text = format!("{{\"a\":\"\\\\ghp_{}\"}}", random(36));
    assert_eq!(redacted(&text), "{\"a\":\"\\\\[redacted: GitHub token]\"}");
}

#[test]
fn configured_prefixes_are_found_beside_the_known_shapes() {
    let own = Redaction { on: true, also: "ACME-,corp_".into() };
    let text =
        format!("ACME-12345678 corp_abc-def-gh, xACME-12345678, ACME-1234567, ghp_{}", random(36));
    let found = own.redact(&text).unwrap();
    assert_eq!(
        found.text,
        "[redacted: configured token] [redacted: configured token], xACME-12345678, ACME-1234567, \
         [redacted: GitHub token]"
    );
    assert_eq!(found.found, ["GitHub token", "configured token", "configured token"]);
    assert_eq!(own.redact(&found.text), None);
    assert_eq!(own.redact("nothing here"), None);
    // A configured prefix never matches a mark.
    let marks: Vec<_> = secrets().iter().map(|(secret, _)| redacted(secret)).collect();
    for prefix in ["Git", "Dig", "red", "con", "cre", "pri", "Ant", "Rep", "Per"] {
        let own = Redaction { on: true, also: prefix.into() };
        assert_eq!(own.redact(&marks.join(" ")), None, "{prefix}");
    }
    let off = Redaction { on: false, ..own };
    assert_eq!(off.redact(&text), None);
}

#[test]
fn redactions_are_described_in_words() {
    let found = ["JWT", "AWS key id", "JWT", "npm token", "URL password"];
    assert_eq!(
        in_words(&found),
        [
            "2 JWTs were redacted",
            "an AWS key id was redacted",
            "an npm token was redacted",
            "a URL password was redacted",
        ]
    );
}

#[test]
fn every_text_takes_linear_time() {
    let key = "-----BEGIN PRIVATE KEY-----";
    let pieces = [
        "sk-",
        "sk-proj-",
        "ghp_",
        "xoxb-",
        "xoxb-a1",
        "glpat-",
        "SG.",
        "eyJ",
        "eyJa-",
        "eyJ.",
        "J",
        "a://a:",
        "a://a:a",
        "://",
        "a:b@",
        ":",
        "1:AA",
        "12345678:AA",
        "1",
        "AKIA",
        "AIza",
        "A",
        "-",
        "_",
        ".",
        "-----",
        "-----BEGIN ",
        key,
        "-----END",
        "authorization",
        "authorization ",
        "authorization: bearer ",
        "z",
        "secret_key",
        "secret_key=",
        "SecretAccessKey ",
        "\\",
        "\\u",
        "\\n",
        " ",
        "a",
        "é",
        "\"",
        "%3D",
        "[redacted: ",
        "pypi-",
        "hvs.",
    ];
    let mut texts: Vec<String> = pieces.iter().map(|piece| fill(piece)).collect();
    texts.push(format!("{key}{}", fill(" ")));
    texts.push(format!("{key}\n{}", fill(&(random(64) + "\n"))));
    texts.push(fill("eyJa-")[..2_000_000].to_string() + "." + &fill("a")[..2_000_000]);
    texts.push(fill(&format!("{key}\nabc ")));
    let own = Redaction { on: true, also: "sk-,aaa,ACME-,eyJ".into() };
    for text in texts {
        // Measured again if slow, because other processes may have been busy.
        let fast = (0..3).any(|_| {
            let begun = Instant::now();
            own.redact(&text);
            begun.elapsed() < Duration::from_secs(1)
        });
        assert!(fast, "slow for {:?}", text.chars().take(40).collect::<String>());
    }
}

/// Four megabytes of one piece.
fn fill(piece: &str) -> String {
    piece.repeat((4 << 20) / piece.len())
}

/// Texts made of beginnings, ends and middles of secrets.
fn text() -> impl Strategy<Value = String> {
    let whole: Vec<String> = secrets().into_iter().map(|(secret, _)| secret).collect();
    let parts = [
        "sk-",
        "sk-proj-",
        "ghp_",
        "glpat-",
        "xoxb-",
        "SG.",
        "ya29.",
        "eyJ",
        "AKIA",
        "AIza",
        "npm_",
        "://",
        "a://u:",
        "@",
        ":",
        ".",
        "-",
        "_",
        "/",
        "\\",
        "\\n",
        "\\u003d",
        "\"",
        "'",
        " ",
        "\n",
        ",",
        "%3D",
        "=",
        "+",
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----",
        "-----",
        "Authorization: Bearer ",
        "aws_secret_access_key=",
        "\"SecretAccessKey\":\"",
        "12345678",
        ":AA",
        "bot",
        "[redacted: ",
        "]",
        "[",
        "ACME-",
        "é",
        "\u{1F511}",
        "$",
        "{",
        "sha256:",
        "*",
    ];
    let piece = prop_oneof![
        4 => prop::sample::select(parts.to_vec()).prop_map(str::to_string),
        2 => prop::sample::select(whole),
        2 => (1usize..70).prop_map(random),
        1 => (1usize..40).prop_map(|n| "a".repeat(n)),
        1 => any::<String>(),
    ];
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

/// A secret with its kind, or an ordinary word.
fn piece() -> impl Strategy<Value = (String, Option<&'static str>)> {
    let secrets: Vec<_> = secrets().into_iter().map(|(text, what)| (text, Some(what))).collect();
    let words =
        prop_oneof!["[a-z]{1,12}", "[A-Za-z0-9_-]{1,12}", "[ -~]{0,6}", "[äöü\u{1F511}]{1,4}"];
    prop_oneof![prop::sample::select(secrets), words.prop_map(|word| (word, None))]
}

fn rules() -> [Redaction; 2] {
    [Redaction::default(), Redaction { on: true, also: "ACME-,a1B,red".into() }]
}

fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, cases: 2_000, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn redacting_twice_changes_nothing(text in text()) {
        for rules in rules() {
            if let Some(once) = rules.redact(&text) {
                prop_assert_eq!(rules.redact(&once.text), None, "{:?}", once.text);
                prop_assert!(!once.found.is_empty());
            }
        }
    }

    #[test]
    fn arbitrary_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let text = String::from_utf8_lossy(&bytes);
        for rules in rules() {
            rules.redact(&text);
        }
    }

    #[test]
    fn only_secrets_are_changed(pieces in prop::collection::vec(piece(), 0..12)) {
        let given: Vec<_> = pieces.iter().map(|(text, _)| text.as_str()).collect();
        let expected: Vec<_> = pieces.iter().map(|(text, what)| match what {
            Some(what) => format!("[redacted: {what}]"),
            None => text.clone(),
        }).collect();
        prop_assert_eq!(redacted(&given.join(" ")), expected.join(" "));
    }

    #[test]
    fn json_stays_json(texts in prop::collection::vec(text(), 1..5), as_object in any::<bool>()) {
        let json = if as_object {
            let pair = |pair: &[String]| (pair[0].clone(), pair[pair.len() - 1].clone().into());
            serde_json::Value::Object(texts.chunks(2).map(pair).collect())
        } else {
            serde_json::json!({"command": texts[0], "lines": texts, "n": 12345678901234567890u64})
        };
        for json in [json.to_string(), serde_json::to_string_pretty(&json).unwrap()] {
            for rules in rules() {
                let redacted = rules.redact(&json).map_or(json.clone(), |redacted| redacted.text);
                let parsed = serde_json::from_str::<serde_json::Value>(&redacted);
                prop_assert!(parsed.is_ok(), "{} became {}", json, redacted);
            }
        }
    }
}
