//! Hints for what the core refuses.

use ambit::{
    ActorRefusal, ForkRefusal, MessageRefusal, NameRefusal, NoteRefusal, ObjectRefusal,
    PrefixError, Refusal, ScopeRefusal, SettingRefusal,
};

use super::Interface;

pub fn hint(refusal: &Refusal, to: Interface) -> String {
    match refusal {
        Refusal::Name(refusal) => name(refusal, to),
        Refusal::Actor(refusal) => actor(refusal, to),
        Refusal::Scope(refusal) => scope(refusal, to),
        Refusal::Setting(refusal) => setting(refusal, to),
        Refusal::Note(refusal) => note(refusal, to),
        Refusal::Message(refusal) => message(refusal, to),
        Refusal::Object(refusal) => object(refusal, to),
        Refusal::Fork(refusal) => fork(refusal, to),
        Refusal::KeyReused => "choose a new key for a new command".into(),
        Refusal::KeyUnknown => "repeat the call with the same key".into(),
        Refusal::RedactionChanged | Refusal::Overtaken => "repeat the call".into(),
    }
}

fn name(refusal: &NameRefusal, to: Interface) -> String {
    match refusal {
        NameRefusal::Invalid { .. } => {
            "a name is a short line of visible characters, such as step-1".into()
        }
        NameRefusal::LikeAHandle { .. } => "put a word before it, such as issue-12".into(),
        NameRefusal::Taken { cannot: "open scope", name, .. } => {
            format!("{} goes there", to.verb("goto", &format!("{name} -m NOTE")))
        }
        NameRefusal::Taken { cannot: "fork", .. } => {
            "a fork's scope and subagent share its name: choose another".into()
        }
        NameRefusal::Taken { .. } => "choose another name".into(),
    }
}

fn actor(refusal: &ActorRefusal, to: Interface) -> String {
    match refusal {
        ActorRefusal::Missing { .. } => format!("{} shows who acted", to.verb("log", "")),
        ActorRefusal::Ended { .. } => "go on as the actor that forked it".into(),
        ActorRefusal::NotForked { .. } => {
            format!("begin as an operator or an agent: {}", to.argument("--kind agent", "kind"))
        }
    }
}

fn scope(refusal: &ScopeRefusal, to: Interface) -> String {
    match refusal {
        ScopeRefusal::Missing { .. } => format!(
            "{} lists them; {} opens a new one",
            to.verb("scopes", ""),
            to.verb("scope", "NAME -m NOTE")
        ),
        ScopeRefusal::Closed { .. } => {
            format!("its texts can still be read; {} opens a scope", to.verb("scope", "NAME -m …"))
        }
        ScopeRefusal::NoPrimary { ended: true } => format!(
            "a subagent that has ended is in no scope: name one with {} to read it",
            to.argument("--scope", "scope")
        ),
        ScopeRefusal::NoPrimary { ended: false } => format!(
            "{} chooses an active one; {} makes one active",
            to.verb("focus", "SCOPE"),
            to.verb("enter", "SCOPE")
        ),
        ScopeRefusal::NameClosed { .. } => "choose another name".into(),
        ScopeRefusal::TooMany { .. } => {
            format!("work in an existing scope, or raise it: {}", to.setting("scopes_max", "N"))
        }
        ScopeRefusal::Current { .. } => {
            format!("{} writes a note without leaving", to.verb("note", "-m NOTE"))
        }
        ScopeRefusal::Pinned { .. } => to.either(
            "do not pin a scope: unset AMBIT_SCOPE, drop --scope",
            "call it without a pinned scope",
        ),
        ScopeRefusal::Active { name } => {
            format!("{} makes it the primary scope", to.verb("focus", name))
        }
        ScopeRefusal::Inactive { verb: "focus", name, .. } => {
            format!("{} makes it active", to.verb("enter", name))
        }
        ScopeRefusal::Inactive { .. } => {
            format!("{} shows the active scopes", to.verb("where", ""))
        }
        ScopeRefusal::HeadMoved { .. } => {
            "another command was written in between: read again, then repeat with the new head"
                .into()
        }
    }
}

fn setting(refusal: &SettingRefusal, to: Interface) -> String {
    match refusal {
        SettingRefusal::Missing { .. } => {
            format!("{} lists them all", to.verb("settings", ""))
        }
        SettingRefusal::Value { name, .. } => {
            format!("{} shows its value and its default", to.verb("settings", name))
        }
        SettingRefusal::Prefixes(PrefixError::Malformed(_)) => {
            "a prefix has 3 to 64 letters, digits, _, - or . and begins with a letter or digit; \
             separate prefixes by commas: ACME-,corp_"
                .into()
        }
        SettingRefusal::Prefixes(PrefixError::TooMany(_)) => {
            "use shorter prefixes: corp_ covers corp_a and corp_b".into()
        }
        SettingRefusal::VaultWide { name } => {
            format!("leave out {}: {}", to.argument("--scope", "scope"), to.setting(name, "VALUE"))
        }
    }
}

fn note(refusal: &NoteRefusal, to: Interface) -> String {
    match refusal {
        NoteRefusal::Empty => format!(
            "say in a line what was learned, what is next, or why you leave: {}",
            to.argument("-m \"…\"", "note")
        ),
        NoteRefusal::TooLarge { .. } => format!(
            "a note is a line or two: {} the text as a message, and note what it says",
            to.verb("append", "")
        ),
        NoteRefusal::NoInsight { .. } => format!("{} lists them", to.verb("insights", "")),
        NoteRefusal::Retracted { .. } => {
            format!("{} lists the insights that hold", to.verb("insights", ""))
        }
    }
}

fn message(refusal: &MessageRefusal, to: Interface) -> String {
    let raise = |name: &str, value: &str| format!("raise it: {}", to.setting(name, value));
    match refusal {
        MessageRefusal::Nothing => to.either(
            "give one with --role user \"text\", or JSON lines on standard input: append -",
            "give at least one message with a role and content",
        ),
        MessageRefusal::TooMany { .. } => {
            format!("append them in several calls, or {}", raise("append_messages_max", "N"))
        }
        MessageRefusal::TooManyBlocks { .. } => {
            format!("split it, or {}", raise("message_blocks_max", "N"))
        }
        MessageRefusal::TooLarge { .. } => {
            format!("split it, or {}", raise("message_bytes_max", "BYTES"))
        }
        MessageRefusal::NotInSight { .. } => {
            format!("{} shows the turns in sight with their numbers", to.verb("compose", ""))
        }
        MessageRefusal::TooManyForgotten { .. } => "forget them in several calls".into(),
        MessageRefusal::SystemOverBudget { .. } | MessageRefusal::TurnOverBudget { .. } => {
            format!("raise {}, or the setting budget", to.argument("--budget", "budget"))
        }
    }
}

fn object(refusal: &ObjectRefusal, to: Interface) -> String {
    match refusal {
        ObjectRefusal::Missing { named } if named.starts_with("obj_") => {
            format!("{} lists them; only ids begin with obj_", to.verb("objects", ""))
        }
        ObjectRefusal::Missing { .. } => format!(
            "{} lists them; {} creates one",
            to.verb("objects", ""),
            to.verb("put", "--name NAME")
        ),
        ObjectRefusal::OtherType { .. } => {
            format!("leave out {}, or choose another name", to.argument("--type", "type"))
        }
        ObjectRefusal::ScopeGiven { .. } => {
            format!("{} puts an object into a scope", to.verb("place", ""))
        }
        ObjectRefusal::Unchanged { .. } | ObjectRefusal::Placed { .. } => {
            "nothing has to be done".into()
        }
        ObjectRefusal::TooLarge { .. } => {
            format!("split it, or raise it: {}", to.setting("object_bytes_max", "BYTES"))
        }
        ObjectRefusal::Unnamed => "give an id or a name".into(),
        ObjectRefusal::NotPlaced { .. } => format!("{} lists where it is", to.verb("meta", "")),
    }
}

fn fork(refusal: &ForkRefusal, to: Interface) -> String {
    match refusal {
        ForkRefusal::TooDeep { .. } => format!(
            "hand the work back first ({}), or raise it: {}",
            to.verb("rejoin", ""),
            to.setting("fork_depth_max", "N")
        ),
        ForkRefusal::Missing { .. } => format!(
            "a subagent, its ancestors and operators can end it; {} makes one",
            to.verb("fork", "")
        ),
        ForkRefusal::Ended { name, .. } => {
            format!("its views stay readable: {}", to.verb("views", &format!("--by {name}")))
        }
        ForkRefusal::Itself { .. } => format!("{} hands its work back", to.verb("rejoin", "")),
        ForkRefusal::StillAtWork { .. } => {
            format!("let them rejoin first, or end them with it: {}", to.argument("--deep", "deep"))
        }
    }
}
