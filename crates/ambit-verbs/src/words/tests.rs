//! Every error is rendered for every interface.

use std::collections::HashSet;
use std::mem::discriminant;
use std::sync::Arc;

use ambit::{
    ActorRefusal, Error, FileRefusal, ForgetRefusal, ForkRefusal, Format, InputRefusal, Kind,
    Malformed, MessageRefusal, NameFault, NameRefusal, NoteRefusal, ObjectRefusal, PartRefusal,
    PrefixError, Problem, QuestionRefusal, Refusal, ScopeRefusal, SettingRefusal, StoreError,
};

use super::{Interface, exit_code, hint, word};

const ALL: [Interface; 4] =
    [Interface::CommandLine, Interface::Mcp, Interface::Http, Interface::Library];

/// Asserts that the samples hold every variant of an enum. A variant is counted by the sentence
/// that stands above it in the source.
fn whole<T>(samples: &[T], source: &str, name: &str) {
    let found: HashSet<_> = samples.iter().map(discriminant).collect();
    let start = source.find(&format!("pub enum {name} {{")).unwrap();
    let body = &source[start..];
    let body = &body[..body.find("\n}").unwrap()];
    assert_eq!(found.len(), body.matches("#[error(").count(), "samples of {name}");
}

macro_rules! text {
    () => {
        String::from("plan")
    };
}

fn core_refusals() -> Vec<Refusal> {
    let source = include_str!("../../../ambit-core/src/refusal/mod.rs");
    let mut all = vec![
        Refusal::KeyReused,
        Refusal::KeyUnknown,
        Refusal::RedactionChanged,
        Refusal::Overtaken,
    ];
    all.extend(names().into_iter().map(Refusal::from));
    all.extend(actors().into_iter().map(Refusal::from));
    all.extend(scopes().into_iter().map(Refusal::from));
    all.extend(settings().into_iter().map(Refusal::from));
    all.extend(notes().into_iter().map(Refusal::from));
    all.extend(messages().into_iter().map(Refusal::from));
    all.extend(objects().into_iter().map(Refusal::from));
    all.extend(forks().into_iter().map(Refusal::from));
    whole(&all, source, "Refusal");
    all
}

const SCOPES: &str = include_str!("../../../ambit-core/src/refusal/scopes.rs");
const CONVERSATION: &str = include_str!("../../../ambit-core/src/refusal/conversation.rs");
const OBJECTS: &str = include_str!("../../../ambit-core/src/refusal/objects.rs");

fn names() -> Vec<NameRefusal> {
    let faults = [
        NameFault::Empty,
        NameFault::Padded,
        NameFault::Control('\u{1b}'),
        NameFault::TooLong { chars: 101, setting: "name_chars_max", max: 100 },
        NameFault::LikeAnId,
    ];
    whole(&faults, SCOPES, "NameFault");
    let invalid = |fault| NameRefusal::Invalid { what: "scope".into(), name: text!(), fault };
    let mut all: Vec<_> = faults.into_iter().map(invalid).collect();
    all.push(NameRefusal::LikeAHandle { name: "812.0".into() });
    for (cannot, by) in [("open scope", "a scope"), ("fork", "a scope or an actor"), ("add", "one")]
    {
        all.push(NameRefusal::Taken { cannot, by, name: text!() });
    }
    whole(&all, SCOPES, "NameRefusal");
    all
}

fn actors() -> Vec<ActorRefusal> {
    let all = vec![
        ActorRefusal::Missing { name: text!() },
        ActorRefusal::Ended { name: text!(), fate: ambit::Fate::Rejoined, event: 7 },
        ActorRefusal::NotForked { name: text!() },
    ];
    whole(&all, SCOPES, "ActorRefusal");
    all
}

fn scopes() -> Vec<ScopeRefusal> {
    let all = vec![
        ScopeRefusal::Missing { name: text!() },
        ScopeRefusal::Closed { name: text!() },
        ScopeRefusal::NoPrimary { ended: false },
        ScopeRefusal::NoPrimary { ended: true },
        ScopeRefusal::NameClosed { name: text!(), event: 9 },
        ScopeRefusal::TooMany { name: text!(), scopes: 10, max: 10 },
        ScopeRefusal::Current { name: text!() },
        ScopeRefusal::Pinned { verb: "goto", pin: text!() },
        ScopeRefusal::Active { name: text!() },
        ScopeRefusal::Inactive { verb: "leave", name: text!(), active: vec![] },
        ScopeRefusal::Inactive { verb: "focus", name: text!(), active: vec!["main".into()] },
        ScopeRefusal::HeadMoved { scope: text!(), head: 5, expected: 4 },
    ];
    whole(&all, SCOPES, "ScopeRefusal");
    all
}

fn settings() -> Vec<SettingRefusal> {
    let all = vec![
        SettingRefusal::Missing { name: text!() },
        SettingRefusal::Value { name: "budget", value: text!(), expected: "a number".into() },
        SettingRefusal::Prefixes(PrefixError::TooMany(99)),
        SettingRefusal::VaultWide { name: "scopes_max" },
    ];
    whole(&all, SCOPES, "SettingRefusal");
    all
}

fn notes() -> Vec<NoteRefusal> {
    let all = vec![
        NoteRefusal::Empty,
        NoteRefusal::TooLarge { bytes: 9, max: 8 },
        NoteRefusal::NoInsight { hash: text!() },
        NoteRefusal::Retracted { hash: text!() },
    ];
    whole(&all, CONVERSATION, "NoteRefusal");
    all
}

fn messages() -> Vec<MessageRefusal> {
    let all = vec![
        MessageRefusal::Nothing,
        MessageRefusal::TooMany { messages: 9, max: 8 },
        MessageRefusal::TooManyBlocks { message: 1, blocks: 9, max: 8 },
        MessageRefusal::TooLarge { message: 1, bytes: 9, max: 8 },
        MessageRefusal::NotInSight { turn: 7, scope: text!() },
        MessageRefusal::TooManyForgotten { texts: 9, max: 8 },
        MessageRefusal::SystemOverBudget { budget: 5 },
        MessageRefusal::TurnOverBudget { budget: 5 },
    ];
    whole(&all, CONVERSATION, "MessageRefusal");
    all
}

fn objects() -> Vec<ObjectRefusal> {
    let all = vec![
        ObjectRefusal::Missing { named: text!() },
        ObjectRefusal::Missing { named: "obj_1".into() },
        ObjectRefusal::OtherType { name: text!(), of_type: text!(), asked: text!() },
        ObjectRefusal::ScopeGiven { name: text!() },
        ObjectRefusal::Unchanged { name: text!(), version: 2 },
        ObjectRefusal::TooLarge { bytes: 9, max: 8 },
        ObjectRefusal::Unnamed,
        ObjectRefusal::Placed { name: text!(), scope: text!() },
        ObjectRefusal::NotPlaced { name: text!(), scope: text!() },
    ];
    whole(&all, OBJECTS, "ObjectRefusal");
    all
}

fn forks() -> Vec<ForkRefusal> {
    let all = vec![
        ForkRefusal::TooDeep { name: text!(), depth: 9, max: 8 },
        ForkRefusal::Missing { name: text!() },
        ForkRefusal::Ended { name: text!(), fate: ambit::Fate::Abandoned },
        ForkRefusal::Itself { name: text!() },
        ForkRefusal::StillAtWork { name: text!(), below: vec![text!()] },
    ];
    whole(&all, OBJECTS, "ForkRefusal");
    all
}

fn store_errors() -> Vec<StoreError> {
    let mut all = vec![
        StoreError::Address { why: text!() },
        StoreError::CopyOntoItself { path: text!() },
        StoreError::CopyInUse { path: text!() },
        StoreError::MemoryBackup,
        StoreError::ServerBackup,
        StoreError::NoVault(text!()),
        StoreError::VaultThere(text!()),
        StoreError::Busy { waited_ms: 5 },
        StoreError::Unusable { path: text!(), why: text!() },
        StoreError::Full { path: text!() },
        StoreError::Newer { found: 9, known: 8 },
        StoreError::Damaged(text!()),
        StoreError::Importing(text!()),
        StoreError::Moved,
        StoreError::Again(text!()),
        StoreError::SnapshotOver { limit_ms: 5 },
        StoreError::Interrupted(text!()),
        StoreError::Unreachable(text!()),
        StoreError::Server(text!()),
        StoreError::Lost,
        StoreError::Database(Arc::new(std::io::Error::other("disk"))),
    ];
    all.extend(core_refusals().into_iter().map(StoreError::from));
    whole(&all, include_str!("../../../ambit-store/src/error.rs"), "Error");
    all
}

const ENGINE: &str = include_str!("../../../ambit/src/refusal.rs");

fn questions() -> Vec<QuestionRefusal> {
    use QuestionRefusal::*;
    let all = vec![
        NothingNamed { name: text!() },
        NoThing { name: text!() },
        NoEvent { event: 9 },
        NoView { id: text!() },
        Forgotten { name: text!(), by: text!(), time: text!() },
        NotAVersion { event: 9, word: "noted" },
        NotAChange { event: 9, word: "entered" },
        NoVersion { name: text!(), version: 3, versions: 2 },
        VersionForgotten { name: text!(), version: 3, event: 9 },
        ObjectNotYet { name: text!(), event: 3, created: 9 },
        ScopeNotYet { name: text!(), event: 3, created: 9 },
        ShortHash { hash: text!() },
        AmbiguousHash { prefix: text!() },
        InsightSnapshot { hash: text!() },
        NoteVersions { name: text!() },
        Moment { text: text!() },
        EventNumber { event: 0 },
        FutureEvent { event: 9, head: 8 },
        FutureTime { text: text!() },
        SinceAfterUntil { since: "1h".into(), until: "2h".into() },
        Limit { limit: 0, max: 100 },
        Both { one: "a version", other: "a moment" },
        UnknownType { of_type: text!(), known: vec!["file".into()] },
        NoWords,
        Sought { word: text!(), kinds: vec!["note"] },
        BelowNothing,
        PastLayout,
        NothingToRevert,
        TooManyReverted { max: 9 },
    ];
    whole(&all, ENGINE, "QuestionRefusal");
    all
}

fn parts() -> Vec<PartRefusal> {
    let source = regex::Error::Syntax("unclosed group".into());
    let all = vec![
        PartRefusal::Bytes { text: text!() },
        PartRefusal::Lines { text: text!() },
        PartRefusal::PastBytes { byte: 9, bytes: 8 },
        PartRefusal::InsideCharacter { byte: 9, begin: 8 },
        PartRefusal::PastLines { line: 9, lines: 8 },
        PartRefusal::Pattern { pattern: text!(), source },
    ];
    whole(&all, ENGINE, "PartRefusal");
    all
}

fn inputs() -> Vec<InputRefusal> {
    let json = || serde_json::from_str::<serde_json::Value>("{").unwrap_err();
    let all = vec![
        InputRefusal::NotUtf8 { source: String::from_utf8(vec![0xff]).unwrap_err().utf8_error() },
        InputRefusal::NotAnArray { source: json() },
        InputRefusal::NotARequest { source: json() },
        InputRefusal::TooLarge { max: 9 },
        InputRefusal::Runs { runs: 9 },
        InputRefusal::EmptyRun { run: 1 },
        InputRefusal::Malformed {
            at: "line 1".into(),
            source: Malformed { index: 0, format: Format::Openai, problem: Problem::NotAnObject },
        },
        InputRefusal::NotJson { at: "line 1".into(), source: json() },
        InputRefusal::Key { max: 9 },
        InputRefusal::Location { text: text!() },
    ];
    whole(&all, ENGINE, "InputRefusal");
    all
}

fn errors() -> Vec<Error> {
    let forget = vec![
        ForgetRefusal::Nothing,
        ForgetRefusal::EmptyText,
        ForgetRefusal::Ambiguous { name: text!(), id: "obj_1".into() },
        ForgetRefusal::ScopeName { name: text!() },
        ForgetRefusal::ActorName { name: text!() },
    ];
    whole(&forget, ENGINE, "ForgetRefusal");
    let files = vec![
        FileRefusal::Line { number: 1, why: text!() },
        FileRefusal::SameExport { vault: text!() },
        FileRefusal::Changed { how: "it is shorter now" },
        FileRefusal::Exists { path: text!() },
    ];
    whole(&files, ENGINE, "FileRefusal");
    let location = ambit::Location::Sqlite("a.db".into());
    let io = std::io::Error::other("disk");
    let mut all =
        vec![Error::NoStore, Error::NoStoreAt(location), Error::Io { what: text!(), source: io }];
    all.extend(store_errors().into_iter().map(Error::from));
    all.extend(questions().into_iter().map(Error::from));
    all.extend(parts().into_iter().map(Error::from));
    all.extend(forget.into_iter().map(Error::from));
    all.extend(inputs().into_iter().map(Error::from));
    all.extend(files.into_iter().map(Error::from));
    whole(&all, include_str!("../../../ambit/src/error.rs"), "Error");
    all
}

/// Whether a text is written for the command line.
fn of_the_command_line(text: &str) -> bool {
    ["--", "`ambit ", "AMBIT_", "-m "].iter().any(|it| text.contains(it))
}

#[test]
fn every_error_has_a_sentence_and_a_hint_on_every_interface() {
    for error in errors() {
        let sentence = error.to_string();
        assert!(!sentence.is_empty() && !of_the_command_line(&sentence), "{sentence}");
        for interface in ALL {
            let hint = hint(&error, interface);
            assert!(!hint.trim().is_empty(), "{sentence}");
            let fits = interface == Interface::CommandLine || !of_the_command_line(&hint);
            assert!(fits, "{interface:?}: {sentence}: {hint}");
        }
    }
}

#[test]
fn hints_name_what_the_interface_has() {
    let error = Error::from(Refusal::from(ScopeRefusal::Missing { name: "plan".into() }));
    let expected = [
        "`ambit scopes` lists them; `ambit scope NAME -m NOTE` opens a new one",
        "`scopes` lists them; `scope` opens a new one",
        "`scopes` lists them; `scope` opens a new one",
        "`Engine::scopes` lists them; `Engine::scope` opens a new one",
    ];
    assert_eq!(ALL.map(|interface| hint(&error, interface)), expected);
    let on_the_command_line = |error: Error| hint(&error, Interface::CommandLine);
    let importing = on_the_command_line(StoreError::Importing("copy".into()).into());
    assert!(importing.contains("`ambit import --abandon --vault copy`"), "{importing}");
    let there = on_the_command_line(StoreError::VaultThere("copy".into()).into());
    assert!(there.contains("--vault"), "{there}");
    assert!(on_the_command_line(Error::NoStore).contains("`ambit init`"));
    let name = |it: ForgetRefusal| on_the_command_line(it.into());
    assert!(name(ForgetRefusal::ScopeName { name: "x".into() }).contains("--in x"));
    assert!(name(ForgetRefusal::ActorName { name: "ada".into() }).contains("--by ada"));
}

#[test]
fn every_kind_has_a_word_and_an_exit_code() {
    let all = [
        (Kind::Bug, "bug", 1),
        (Kind::Usage, "usage", 2),
        (Kind::NotFound, "not_found", 3),
        (Kind::Conflict, "conflict", 4),
        (Kind::Refused, "refused", 5),
        (Kind::Store, "store", 6),
        (Kind::Busy, "busy", 7),
    ];
    for (kind, expected, code) in all {
        assert_eq!((word(kind), exit_code(kind)), (expected, code));
        assert_eq!(serde_json::to_string(&kind).unwrap(), format!("{expected:?}"));
    }
}

/// What an error wraps is kept as its source.
#[test]
fn sources_are_kept() {
    use std::error::Error as _;
    for error in errors() {
        let wraps = match &error {
            Error::Io { .. } | Error::Store(StoreError::Database(_)) => true,
            Error::Part(PartRefusal::Pattern { .. }) => true,
            Error::Input(refusal) => matches!(
                refusal,
                InputRefusal::NotUtf8 { .. }
                    | InputRefusal::NotAnArray { .. }
                    | InputRefusal::NotARequest { .. }
                    | InputRefusal::Malformed { .. }
                    | InputRefusal::NotJson { .. }
            ),
            _ => false,
        };
        assert_eq!(error.source().is_some(), wraps, "{error}");
    }
}
