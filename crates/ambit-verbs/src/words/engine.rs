//! Hints for what the engine refuses.

use ambit::{FileRefusal, ForgetRefusal, Format, InputRefusal, PartRefusal, QuestionRefusal};

use super::Interface;

pub fn question(refusal: &QuestionRefusal, to: Interface) -> String {
    use QuestionRefusal::*;
    match refusal {
        NothingNamed { .. }
        | NoThing { .. }
        | NoEvent { .. }
        | NoView { .. }
        | Forgotten { .. }
        | NotAVersion { .. }
        | NotAChange { .. } => missing(refusal, to),
        NoVersion { .. }
        | VersionForgotten { .. }
        | ObjectNotYet { .. }
        | ScopeNotYet { .. }
        | NoteVersions { .. } => version(refusal, to),
        Moment { .. }
        | EventNumber { .. }
        | FutureEvent { .. }
        | FutureTime { .. }
        | SinceAfterUntil { .. } => moment(refusal, to),
        ShortHash { .. } | AmbiguousHash { .. } | InsightSnapshot { .. } => hash(refusal, to),
        Limit { .. } => "the answer says where the next page begins".into(),
        Both { one, other } => format!("leave out {one} or {other}"),
        UnknownType { known, .. } => {
            format!("known types: {}, and those of existing objects", known.join(", "))
        }
        NoWords => {
            format!("say in a few words what to find: {}", to.verb("search", "\"session timeout\""))
        }
        Sought { .. } => format!("{} lists what was found", to.verb("search", "WORDS")),
        BelowNothing => format!("name the scope: {}", to.argument("--in SCOPE --below", "in")),
        PastLayout => "leave out the layout and the head, or the moment".into(),
        NothingToRevert => format!(
            "name an event, or an actor and since when: {}",
            to.argument("--by bot --since 1h", "by")
        ),
        TooManyReverted { .. } => {
            format!("revert them in parts: a later {} first", to.argument("--since", "since"))
        }
    }
}

fn missing(refusal: &QuestionRefusal, to: Interface) -> String {
    match refusal {
        QuestionRefusal::NoThing { .. } => format!(
            "{} lists objects, {} notes; {} finds both",
            to.verb("objects", ""),
            to.verb("notes", ""),
            to.verb("search", "WORDS")
        ),
        QuestionRefusal::NoEvent { .. } => format!("{} lists events", to.verb("log", "")),
        QuestionRefusal::NoView { .. } => format!("{} lists yours", to.verb("views", "")),
        QuestionRefusal::Forgotten { .. } => {
            "it cannot be read back; its place in the log remains".into()
        }
        QuestionRefusal::NotAVersion { .. } => format!(
            "only versions of objects are reverted: {} lists them",
            to.verb("history", "NAME")
        ),
        QuestionRefusal::NotAChange { .. } => {
            format!("{} lists changes with their events", to.verb("history", ""))
        }
        _ => "a handle looks like 812.0-3fa2, a turn like 812, a note like 1a2b3c4".into(),
    }
}

fn version(refusal: &QuestionRefusal, to: Interface) -> String {
    match refusal {
        QuestionRefusal::NoVersion { versions, .. } => format!("it has versions 1 to {versions}"),
        QuestionRefusal::ObjectNotYet { created, .. } => {
            format!("its first version came with event {created}")
        }
        QuestionRefusal::ScopeNotYet { created, .. } => {
            format!("event {created} opened it; {} names another", to.argument("--scope", "scope"))
        }
        QuestionRefusal::NoteVersions { .. } => format!("{} reads it", to.verb("get", "")),
        _ => format!("{} lists the other versions", to.verb("meta", "")),
    }
}

fn moment(refusal: &QuestionRefusal, to: Interface) -> String {
    match refusal {
        QuestionRefusal::EventNumber { .. } => format!("{} lists events", to.verb("log", "")),
        QuestionRefusal::FutureEvent { .. } | QuestionRefusal::FutureTime { .. } => {
            "ask for a past moment: 3d, or an event".into()
        }
        QuestionRefusal::SinceAfterUntil { .. } => format!(
            "since is the earlier one: {}",
            to.either("--since 2h --until 1h", "since 2h, until 1h")
        ),
        _ => "expected 2026-11-15, 2026-11-15T10:00Z, how long ago (30m, 12h, 3d, 2w), or, for a \
              past moment, an event's number"
            .into(),
    }
}

fn hash(refusal: &QuestionRefusal, to: Interface) -> String {
    match refusal {
        QuestionRefusal::AmbiguousHash { .. } => format!(
            "give more of its digits: {} and {} show them",
            to.verb("notes", "--json"),
            to.verb("insights", "--json")
        ),
        QuestionRefusal::InsightSnapshot { .. } => format!(
            "{} without {} gives its text",
            to.verb("read", ""),
            to.argument("--snapshot", "snapshot")
        ),
        _ => "a note is named by at least seven digits of its hash, such as 1a2b3c4".into(),
    }
}

pub fn part(refusal: &PartRefusal, to: Interface) -> String {
    match refusal {
        PartRefusal::Bytes { .. } => {
            format!("expected a range such as {}", to.either("--range 0..2000", "0..2000"))
        }
        PartRefusal::Lines { .. } => {
            format!("expected a range such as {}", to.either("--lines 1..40", "1..40"))
        }
        PartRefusal::PastBytes { bytes, .. } => format!("ask for a range within 0..{bytes}"),
        PartRefusal::InsideCharacter { begin, .. } => {
            format!("the character begins at byte {begin}")
        }
        PartRefusal::PastLines { lines, .. } => format!("ask for lines within 1..{lines}"),
        PartRefusal::Pattern { .. } => {
            "patterns are regular expressions; put \\ before a character that has a meaning in one"
                .into()
        }
    }
}

pub fn forget(refusal: &ForgetRefusal, to: Interface) -> String {
    match refusal {
        ForgetRefusal::Nothing => to.either(
            "name handles, turns or notes; or use --in SCOPE, --by ACTOR, --containing TEXT, \
             --search WORDS",
            "name handles, turns or notes; or use `in`, `by`, `containing`, `search`",
        ),
        ForgetRefusal::EmptyText => "give a text to find".into(),
        ForgetRefusal::Ambiguous { id, .. } => format!("name the object by its id: {id}"),
        ForgetRefusal::ScopeName { name } => format!(
            "{} forgets its texts; keep secrets out of names",
            to.verb("forget", &format!("--in {name}"))
        ),
        ForgetRefusal::ActorName { name } => format!(
            "{} forgets its texts; keep secrets out of names",
            to.verb("forget", &format!("--by {name}"))
        ),
    }
}

/// Describes the format that messages were expected in.
fn malformed(format: Format, to: Interface) -> String {
    let expected = match format {
        Format::Openai => "expected OpenAI Chat messages",
        Format::Responses => "expected OpenAI Responses items",
        Format::Anthropic => "expected Anthropic messages",
    };
    let other = to.argument("--format", "format");
    format!(r#"{expected}, such as {{"role":"user","content":"hello"}}; {other} selects another"#)
}

pub fn input(refusal: &InputRefusal, to: Interface) -> String {
    match refusal {
        InputRefusal::NotUtf8 { .. } => "convert it to UTF-8 first".into(),
        InputRefusal::NotAnArray { .. } => {
            "give one array of messages, or one JSON object per line".into()
        }
        InputRefusal::NotARequest { .. } => format!(
            "give one request, its list of messages, or the answer of {}",
            to.verb("compose", "--json")
        ),
        InputRefusal::TooLarge { .. } => {
            "no provider takes a request of that size: leave out old messages".into()
        }
        InputRefusal::Runs { .. } => {
            format!("choose one, from 1 on: {}", to.argument("--run NUMBER", "run"))
        }
        InputRefusal::EmptyRun { .. } => "a run of tau-bench is an object with a list traj".into(),
        InputRefusal::Malformed { source, .. } => malformed(source.format, to),
        InputRefusal::NotJson { .. } => {
            r#"a message is one JSON object, such as {"role":"user","content":"hello"}"#.into()
        }
        InputRefusal::Key { .. } => "a UUID or a hash of the call makes a good key".into(),
        InputRefusal::Location { .. } => {
            "expected sqlite:PATH or postgres://USER@HOST/DATABASE".into()
        }
    }
}

pub fn file(refusal: &FileRefusal, to: Interface) -> String {
    match refusal {
        FileRefusal::Line { .. } => {
            "nothing was imported: the file is not a complete export, so export it again".into()
        }
        FileRefusal::SameExport { .. } => "nothing has to be done".into(),
        FileRefusal::Changed { .. } => {
            "nothing was imported: repeat it with a file that no one writes to".into()
        }
        FileRefusal::Exists { .. } => {
            format!("name another file, or replace it with {}", to.argument("--force", "force"))
        }
    }
}
