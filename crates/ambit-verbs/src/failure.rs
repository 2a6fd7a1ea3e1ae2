//! Failures: what went wrong, of which kind, and what to do about it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use ambit::Kind;

use crate::words::{self, Interface};

/// The reason why a verb did not run to its end.
#[derive(Debug)]
pub struct Failure {
    pub kind: Kind,
    pub message: String,
    hint: Hint,
}

/// What to do about a failure.
#[derive(Debug)]
enum Hint {
    /// A sentence that fits every interface.
    Said(String),
    /// An engine's error: the hint uses the terms of the interface that shows it.
    Engine(Box<ambit::Error>),
}

impl From<ambit::Error> for Failure {
    fn from(error: ambit::Error) -> Self {
        let (kind, message) = (error.kind(), error.to_string());
        Failure { kind, message, hint: Hint::Engine(Box::new(error)) }
    }
}

impl Failure {
    pub fn new(kind: Kind, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Failure { kind, message: message.into(), hint: Hint::Said(hint.into()) }
    }

    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Failure::new(Kind::Usage, message, hint)
    }

    /// Returns what to do about it, in the terms of an interface.
    pub fn hint(&self, interface: Interface) -> String {
        match &self.hint {
            Hint::Said(hint) => hint.clone(),
            Hint::Engine(error) => words::hint(error, interface),
        }
    }
}

/// Runs a verb and turns a panic, which is a bug, into a failure: callers get an exit code and an
/// envelope, as for any other failure.
pub fn guarded<T>(run: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    let said = Arc::new(Mutex::new(None));
    let keep = Arc::clone(&said);
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let payload = panic.payload();
        let words = payload.downcast_ref::<&str>().map(ToString::to_string);
        let words = words.or_else(|| payload.downcast_ref::<String>().cloned());
        let place = panic.location().map_or(String::new(), |at| format!(" ({at})"));
        let text = words.unwrap_or_else(|| "a panic without a message".into()) + &place;
        keep.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(text);
    }));
    let ran = catch_unwind(AssertUnwindSafe(run));
    std::panic::set_hook(before);
    ran.unwrap_or_else(|_| {
        let said = said.lock().unwrap_or_else(PoisonError::into_inner).take();
        let message = format!("a bug in ambit: {}", said.unwrap_or_default());
        let hint = "please report this; `verify` says whether the store is whole";
        Err(Failure::new(Kind::Bug, message, hint))
    })
}

#[cfg(test)]
mod tests {
    use ambit::Kind;

    use super::{Failure, guarded};
    use crate::Interface;

    #[test]
    fn a_panic_is_a_bug_with_its_words_and_everything_else_passes() {
        let number = 7;
        let Err(failure) = guarded(|| -> Result<(), Failure> { panic!("the number {number}") })
        else {
            panic!("it went on")
        };
        assert_eq!(failure.kind, Kind::Bug);
        assert!(failure.message.contains("the number 7"), "{failure:?}");
        assert!(failure.message.contains("failure.rs"), "{failure:?}");
        assert!(!failure.hint(Interface::CommandLine).is_empty());
        assert_eq!(guarded(|| Ok(5)).ok(), Some(5));
        let Err(failure) = guarded(|| -> Result<(), _> { Err(Failure::usage("a", "b")) }) else {
            panic!("it went on")
        };
        assert_eq!((failure.kind, failure.message.as_str()), (Kind::Usage, "a"));
    }
}
