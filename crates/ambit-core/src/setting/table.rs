//! The table of settings: every number and switch that affects a result, with name, default, range.
//!
//! Settings belong to a vault or a scope. Events change them, so the same log gives the same result
//! anywhere. A value is an integer (switches are 0 and 1, choices count from 0) or a text: a list
//! of prefixes or types.

use std::collections::BTreeMap;
use std::sync::Arc;

use ambit_text::redact::check_prefixes;

use crate::{NameRefusal, Redaction, Refusal, ScopeNo, SettingRefusal, check_label};

/// The values that a setting accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    Number {
        min: i64,
        max: i64,
    },
    Switch,
    Choice(&'static [&'static str]),
    /// Prefixes of secrets, separated by commas.
    Prefixes,
    /// Types of objects, separated by commas.
    Types,
}

/// A value that is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Held {
    Number(i64),
    Text(Arc<str>),
}

/// One line of the table of settings.
#[derive(Debug)]
pub struct Setting {
    pub key: Key,
    pub name: &'static str,
    /// The default. Lists are empty by default.
    number: i64,
    pub value: Value,
    /// Whether the setting affects compositions, so that a change begins a new epoch.
    pub decides_reads: bool,
    /// Whether the setting can be set for one scope.
    pub per_scope: bool,
    pub help: &'static str,
}

macro_rules! settings {
    ($($key:ident $name:literal = $default:literal, $value:expr, $reads:literal, $scope:literal,
       $help:literal;)+) => {
        /// A setting, by its index in the table.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Key { $($key),+ }

        /// All settings, in the order in which they are shown.
        pub const SETTINGS: &[Setting] = &[$(Setting {
            key: Key::$key,
            name: $name,
            number: $default,
            value: $value,
            decides_reads: $reads,
            per_scope: $scope,
            help: $help,
        }),+];
    };
}

const fn number(min: i64, max: i64) -> Value {
    Value::Number { min, max }
}

settings! {
    Budget "budget" = 200_000, number(1, 10_000_000), true, true,
        "tokens a composition may have";
    Layout "layout" = 0, Value::Choice(&["stable", "layered"]), true, true,
        "stable keeps the prompt cache; layered renders the three layers at every call";
    NotesShown "notes_shown" = 5, number(1, 1_000), true, true,
        "number of latest notes shown before the messages";
    NotesTokensMax "notes_tokens_max" = 2_000, number(1, 1_000_000), true, true,
        "tokens the layer of notes may have (never over an eighth of the budget)";
    InsightsShown "insights_shown" = 10, number(1, 1_000), true, true,
        "number of latest insights shown before the notes";
    InsightsTokensMax "insights_tokens_max" = 1_000, number(1, 1_000_000), true, true,
        "tokens the layer of insights may have (never over a sixteenth of the budget)";
    PinnedTokensMax "pinned_tokens_max" = 8_000, number(0, 1_000_000), true, true,
        "tokens of leading system messages kept in sight (never over a quarter of the budget)";
    InheritedTokensMax "inherited_tokens_max" = 50_000, number(1, 10_000_000), true, true,
        "tokens a subagent is shown of inherited messages (never over a quarter of the budget)";
    ReleasePercent "release_percent" = 50, number(1, 99), true, true,
        "how full the window is after it moved, in percent (values below 50 count as 50)";
    Dangling "dangling" = 0, Value::Choice(&["withhold", "keep", "close"]), true, true,
        "a pending tool-call chain at the end: withheld, kept, or closed by a synthetic reply";
    IdleSeconds "idle_seconds" = 300, number(1, 31_536_000), true, true,
        "silence after which a provider's prompt cache counts as cold and open calls as given up";
    ClearOnNote "clear_on_note" = 0, Value::Switch, false, true,
        "hide a scope's messages when a note is written";
    ClearOnScope "clear_on_scope" = 0, Value::Switch, false, true,
        "hide the origin's messages when a new scope is opened from it";
    ClearOnGoto "clear_on_goto" = 0, Value::Switch, false, true,
        "hide the origin's messages when it is left by goto";
    FrameSize "frame_size" = 7, number(1, 1_000), false, true,
        "number of items in a frame";
    ViewIdleSeconds "view_idle_seconds" = 300, number(1, 31_536_000), false, false,
        "inactivity that ends a view";
    FrameShown "frame_shown" = 0, Value::Switch, true, true,
        "name in compositions the items in the scope's frame when the epoch began";
    TypesPrimitive "types_primitive" = 0, Value::Types, false, false,
        "types of objects, besides schema, config and metadata, that never enter a frame";
    TypesSubstantive "types_substantive" = 0, Value::Types, false, false,
        "types of objects that enter frames although they do not by default";
    RelatedVisitsMax "related_visits_max" = 1_000, number(1, 100_000), false, false,
        "visits of an item that are examined to find related items";
    ForkDepthMax "fork_depth_max" = 8, number(0, 64), false, false,
        "how deep subagents may fork";
    FossilDays "fossil_days" = 90, number(1, 36_500), false, false,
        "days after which an ended view is kept as a summary";
    FossilContextMin "fossil_context_min" = 0, number(0, 1_000), false, false,
        "views with a change whose capture has this many items stay whole (0: no view does)";
    ObjectBytesMax "object_bytes_max" = 16_777_216, number(1, 1_073_741_824), false, false,
        "bytes of one version of an object";
    ObjectCharsMax "object_chars_max" = 500, number(1, 4_096), false, false,
        "characters of an object's name";
    CacheReadPermille "cache_read_permille" = 100, number(0, 100_000), false, false,
        "what a cached input token costs, in thousandths of an input token";
    CacheWritePermille "cache_write_permille" = 1_250, number(0, 100_000), false, false,
        "what an input token costs when it is written to the cache, in thousandths";
    MessageBytesMax "message_bytes_max" = 16_777_216, number(1, 1_073_741_824), false, false,
        "bytes of one message";
    MessageBlocksMax "message_blocks_max" = 4_096, number(1, 1_000_000), false, false,
        "parts and calls of one message";
    AppendMessagesMax "append_messages_max" = 1_000_000, number(1, 100_000_000), false, false,
        "messages in one append";
    NoteBytesMax "note_bytes_max" = 65_536, number(1, 16_777_216), false, false,
        "bytes of one note";
    ReadTokensMax "read_tokens_max" = 2_000, number(1, 1_000_000), false, false,
        "tokens that one read returns";
    NameCharsMax "name_chars_max" = 100, number(1, 1_000), false, false,
        "characters of a name";
    ScopesMax "scopes_max" = 100_000, number(1, 100_000_000), false, false,
        "scopes in a vault";
    Redact "redact" = 1, Value::Switch, false, false,
        "remove secrets of known formats from texts before they are stored";
    RedactAlso "redact_also" = 0, Value::Prefixes, false, false,
        "prefixes of your own secrets, followed by eight or more letters, digits, _ or -";
}

/// The known types of objects, and whether each is substantive: whether a visit enters the frame.
pub const TYPES: &[(&str, bool)] = &[
    ("artifact", true),
    ("note", true),
    ("contact", true),
    ("document", true),
    ("file", true),
    ("schema", false),
    ("config", false),
    ("metadata", false),
];

fn check_types(text: &str) -> Result<(), NameRefusal> {
    text.split(',').try_for_each(|kind| check_label("type", kind, 100))
}

/// The word for an empty list.
const NONE: &str = "none";

impl Setting {
    pub fn find(name: &str) -> Result<&'static Setting, Refusal> {
        let missing = || SettingRefusal::Missing { name: name.into() };
        Ok(SETTINGS.iter().find(|setting| setting.name == name).ok_or_else(missing)?)
    }

    pub fn default(&self) -> Held {
        match self.value {
            Value::Prefixes | Value::Types => Held::Text("".into()),
            _ => Held::Number(self.number),
        }
    }

    /// Parses a value.
    pub fn parse(&self, text: &str) -> Result<Held, Refusal> {
        let number = match self.value {
            Value::Number { min, max } => {
                text.replace('_', "").parse().ok().filter(|n| (min..=max).contains(n))
            }
            Value::Switch => match text {
                "on" | "true" | "1" => Some(1),
                "off" | "false" | "0" => Some(0),
                _ => None,
            },
            Value::Choice(words) => {
                words.iter().position(|word| *word == text).map(|index| index as i64)
            }
            Value::Prefixes | Value::Types if text == NONE => return Ok(self.default()),
            Value::Types => {
                check_types(text)?;
                return Ok(Held::Text(text.into()));
            }
            Value::Prefixes => {
                check_prefixes(text).map_err(SettingRefusal::from)?;
                return Ok(Held::Text(text.into()));
            }
        };
        number.map(Held::Number).ok_or_else(|| {
            let (name, value, expected) = (self.name, text.into(), self.takes());
            SettingRefusal::Value { name, value, expected }.into()
        })
    }

    /// Formats a value, such that `parse` accepts it.
    pub fn show(&self, held: &Held) -> String {
        let value = match held {
            Held::Number(value) => *value,
            Held::Text(text) if text.is_empty() => return NONE.to_string(),
            Held::Text(text) => return text.to_string(),
        };
        match self.value {
            Value::Number { .. } | Value::Prefixes | Value::Types => value.to_string(),
            Value::Switch => if value == 0 { "off" } else { "on" }.to_string(),
            Value::Choice(words) => {
                words.get(value as usize).copied().unwrap_or_default().to_string()
            }
        }
    }

    /// Describes the accepted values.
    pub fn takes(&self) -> String {
        match self.value {
            Value::Number { min, max } => format!("a whole number from {min} to {max}"),
            Value::Switch => "on or off".to_string(),
            Value::Choice(words) => format!("one of {}", words.join(", ")),
            Value::Prefixes => "prefixes such as ACME-,corp_, or none".to_string(),
            Value::Types => "types such as dashboard,metric, or none".to_string(),
        }
    }
}

/// The values that were set for the vault (scope 0) and for the scopes that were read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings(pub BTreeMap<(ScopeNo, Key), Held>);

impl Settings {
    /// Returns the value in force in a scope.
    pub fn held(&self, scope: ScopeNo, key: Key) -> Held {
        let own = self.0.get(&(scope, key)).or_else(|| self.0.get(&(ScopeNo::VAULT, key)));
        own.cloned().unwrap_or_else(|| SETTINGS[key as usize].default())
    }

    /// Returns the number in force in a scope.
    pub fn get(&self, scope: ScopeNo, key: Key) -> i64 {
        match self.held(scope, key) {
            Held::Number(number) => number,
            Held::Text(_) => 0,
        }
    }

    pub fn is_on(&self, scope: ScopeNo, key: Key) -> bool {
        self.get(scope, key) != 0
    }

    /// Whether objects of a type enter the frame when they are visited. Unlisted types do.
    pub fn is_substantive(&self, kind: &str) -> bool {
        let lists = |key: Key| match self.held(ScopeNo::VAULT, key) {
            Held::Text(text) => text.split(',').any(|listed| listed == kind),
            Held::Number(_) => false,
        };
        let listed = TYPES.iter().find(|(name, _)| *name == kind);
        lists(Key::TypesSubstantive)
            || (!lists(Key::TypesPrimitive) && listed.is_none_or(|(_, substantive)| *substantive))
    }

    /// Returns the types that are named in the table or by a setting.
    pub fn types(&self) -> Vec<String> {
        let mut types: Vec<String> = TYPES.iter().map(|(name, _)| name.to_string()).collect();
        for key in [Key::TypesSubstantive, Key::TypesPrimitive] {
            if let Held::Text(text) = self.held(ScopeNo::VAULT, key) {
                types.extend(text.split(',').filter(|it| !it.is_empty()).map(str::to_string));
            }
        }
        types
    }

    /// Returns the vault's redaction settings.
    pub fn redaction(&self) -> Redaction {
        let also = match self.held(ScopeNo::VAULT, Key::RedactAlso) {
            Held::Text(text) => text,
            Held::Number(_) => "".into(),
        };
        Redaction { on: self.is_on(ScopeNo::VAULT, Key::Redact), also }
    }
}

#[cfg(test)]
mod tests {
    use super::{Held, Key, SETTINGS, Setting, Settings};
    use crate::ScopeNo;

    #[test]
    fn the_table_is_indexed_by_its_keys() {
        for (index, setting) in SETTINGS.iter().enumerate() {
            assert_eq!(setting.key as usize, index);
            assert_eq!(setting.parse(&setting.show(&setting.default())), Ok(setting.default()));
        }
    }

    #[test]
    fn a_scope_overrides_its_vault() {
        let mut settings = Settings::default();
        assert_eq!(settings.get(ScopeNo(3), Key::NotesShown), 5);
        settings.0.insert((ScopeNo::VAULT, Key::NotesShown), Held::Number(7));
        settings.0.insert((ScopeNo(3), Key::NotesShown), Held::Number(2));
        assert_eq!(settings.get(ScopeNo(3), Key::NotesShown), 2);
        assert_eq!(settings.get(ScopeNo(4), Key::NotesShown), 7);
    }

    #[test]
    fn an_invalid_value_is_refused_with_the_accepted_values() {
        let error = Setting::find("layout").unwrap().parse("wide").unwrap_err();
        assert_eq!(
            error.to_string(),
            "invalid value \"wide\" for layout: expected one of stable, layered"
        );
        assert!(Setting::find("budget").unwrap().parse("0").is_err());
        assert!(Setting::find("nonsense").is_err());
    }

    #[test]
    fn prefixes_are_short_and_plain() {
        let setting = Setting::find("redact_also").unwrap();
        for good in ["ACME-", "ACME-,corp_", "a.b", "none", "x-1"] {
            assert_eq!(setting.parse(good).map(|held| setting.show(&held)).as_deref(), Ok(good));
        }
        let (long, many) = ("x".repeat(65), vec!["abc"; 33].join(","));
        for bad in ["", "ab", "-ab", "a b", "abc,", "a[b", "abc,,def", "äbc", &long, &many] {
            assert!(setting.parse(bad).is_err(), "{bad:?}");
        }
    }
}
