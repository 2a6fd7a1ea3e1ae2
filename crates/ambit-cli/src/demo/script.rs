//! The demo's story: a bug hunt over three scopes, as an agent's harness would record it.

/// One thing that happens.
pub enum Step {
    /// The person's message.
    User(&'static str),
    /// The model answers in words: a call to the provider.
    Says(&'static str),
    /// The model calls a tool that answers with a text: a call to the provider.
    Uses { tool: &'static str, arguments: &'static str, reply: fn() -> String },
    /// The model calls `scope` as a tool: the switch happens inside its call.
    Scope { name: &'static str, note: &'static str },
    /// The same for `goto`.
    Goto { name: &'static str, note: &'static str },
    /// The model leaves a note.
    Notes(&'static str),
}

use Step::{Goto, Notes, Says, Scope, User, Uses};

pub const STORY: &[Step] = &[
    User("Users are logged out a second after they log in. Find out why, and fix it."),
    Scope { name: "reproduce", note: "Reproducing the logout first" },
    Uses { tool: "run_tests", arguments: r#"{"filter":"login"}"#, reply: test_run_failing },
    Uses { tool: "read_log", arguments: r#"{"service":"auth"}"#, reply: server_log },
    Notes("Reproduced: sessions expire 1 s after login; auth reads SESSION_TTL=1"),
    Goto { name: "main", note: "It is SESSION_TTL: 1 where 3600 was meant" },
    Says("The session's lifetime is read as 1 second. I will look where it is set."),
    User("Good. Fix it, and make sure that it cannot happen again."),
    Scope { name: "fix", note: "Fixing SESSION_TTL and adding a check" },
    Uses { tool: "read_file", arguments: r#"{"path":"auth/config.toml"}"#, reply: config },
    Uses { tool: "edit_file", arguments: r#"{"path":"auth/config.toml"}"#, reply: edited },
    Uses { tool: "run_tests", arguments: r#"{}"#, reply: test_run_passing },
    Notes("SESSION_TTL is 3600 again, and below 60 it is refused at start"),
    Goto { name: "main", note: "Fixed: sessions last an hour, values below 60 s are refused" },
    Says("Done: sessions last an hour again, and a lifetime below a minute is refused."),
];

fn test_run_failing() -> String {
    let mut out = String::from("running 212 tests\n");
    for test in 0..208 {
        out += &format!("test auth::login::case_{test:03} ... ok ({} ms)\n", 3 + test * 7 % 40);
    }
    for test in ["stays_logged_in", "refreshes", "remembers_device", "survives_restart"] {
        out += &format!("test auth::login::{test} ... FAILED\n");
    }
    out + "assertion failed: session.is_alive() after 2 s\n208 passed; 4 failed"
}

fn test_run_passing() -> String {
    let mut out = String::from("running 214 tests\n");
    for test in 0..214 {
        out += &format!("test auth::login::case_{test:03} ... ok ({} ms)\n", 3 + test * 5 % 40);
    }
    out + "test result: ok. 214 passed; 0 failed"
}

fn server_log() -> String {
    let mut out = String::new();
    for line in 0..160 {
        let (minute, second) = (line / 60, line % 60);
        out += &format!(
            "10:{minute:02}:{second:02} INFO auth session={:06x} user={} issued ttl=1s\n",
            0x4f1a00 + line * 37,
            100 + line % 23,
        );
        if line % 3 == 0 {
            out += &format!("10:{minute:02}:{second:02} WARN auth session expired, logging out\n");
        }
    }
    out
}

fn config() -> String {
    let mut out = String::from("[session]\nSESSION_TTL = 1   # seconds\n\n[limits]\n");
    for limit in 0..90 {
        out += &format!("rate_{limit} = {}\n", 10 + limit * 3);
    }
    out
}

fn edited() -> String {
    "1 line changed: SESSION_TTL = 3600; 1 check added".to_string()
}
