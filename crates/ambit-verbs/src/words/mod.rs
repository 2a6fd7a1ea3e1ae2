//! What an interface says about an error: the exit code, the word for programs, and a hint in the
//! terms of the interface that shows it.

mod engine;
mod refusals;
mod store;

#[cfg(test)]
mod tests;

use ambit::{Error, Kind, Via};

/// Where an error or an answer is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interface {
    CommandLine,
    Mcp,
    Http,
    Library,
}

impl From<Via> for Interface {
    fn from(via: Via) -> Self {
        match via {
            Via::Cli => Interface::CommandLine,
            Via::Mcp => Interface::Mcp,
            Via::Library => Interface::Library,
        }
    }
}

impl Interface {
    /// A verb as it is called here. `arguments` are those of the command line; the other interfaces
    /// describe their arguments in a schema or a signature.
    pub(crate) fn verb(self, name: &str, arguments: &str) -> String {
        match self {
            Interface::CommandLine if arguments.is_empty() => format!("`ambit {name}`"),
            Interface::CommandLine => format!("`ambit {name} {arguments}`"),
            Interface::Mcp | Interface::Http => format!("`{name}`"),
            Interface::Library => format!("`Engine::{}`", method(name)),
        }
    }

    /// An argument as it is named here: a flag, or a field.
    pub(crate) fn argument(self, flag: &str, field: &str) -> String {
        match self {
            Interface::CommandLine => flag.to_string(),
            Interface::Mcp | Interface::Http | Interface::Library => format!("`{field}`"),
        }
    }

    /// A text for the command line, and one for where there is no terminal.
    pub(crate) fn either(self, command_line: &str, elsewhere: &str) -> String {
        match self {
            Interface::CommandLine => command_line.to_string(),
            Interface::Mcp | Interface::Http | Interface::Library => elsewhere.to_string(),
        }
    }

    /// How a setting is changed.
    fn setting(self, name: &str, value: &str) -> String {
        let set = self.verb("settings", &format!("{name} {value}"));
        match self {
            Interface::CommandLine => set,
            Interface::Mcp | Interface::Http | Interface::Library => format!("{set} for {name}"),
        }
    }
}

/// The engine's method for a verb, where it has another name.
fn method(verb: &str) -> &str {
    match verb {
        "where" => "where_am_i",
        "settings" => "set",
        "read" => "read_handle",
        verb => verb,
    }
}

/// What to do about an error.
pub fn hint(error: &Error, interface: Interface) -> String {
    match error {
        Error::Store(error) => store::hint(error, interface),
        Error::Question(refusal) => engine::question(refusal, interface),
        Error::Part(refusal) => engine::part(refusal, interface),
        Error::Forget(refusal) => engine::forget(refusal, interface),
        Error::Input(refusal) => engine::input(refusal, interface),
        Error::File(refusal) => engine::file(refusal, interface),
        Error::Io { .. } => "check the path, its permissions and the disk".into(),
        Error::NoStore => interface.either(
            "`ambit init` creates one here; --store or AMBIT_STORE names another",
            "an operator creates one with the command line's init",
        ),
        Error::NoStoreAt(location) => interface.either(
            &format!("`ambit init --store '{location}'` creates it"),
            "an operator creates it with the command line's init",
        ),
    }
}

/// The word that names a kind of error for programs.
pub fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Bug => "bug",
        Kind::Usage => "usage",
        Kind::NotFound => "not_found",
        Kind::Conflict => "conflict",
        Kind::Refused => "refused",
        Kind::Store => "store",
        Kind::Busy => "busy",
    }
}

/// The exit code of a kind of error. 0 is success.
pub fn exit_code(kind: Kind) -> u8 {
    match kind {
        Kind::Bug => 1,
        Kind::Usage => 2,
        Kind::NotFound => 3,
        Kind::Conflict => 4,
        Kind::Refused => 5,
        Kind::Store => 6,
        Kind::Busy => 7,
    }
}
