//! The output of a verb: its answer as data, and the same as text.

use ambit::Kind;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::failure::Failure;

/// The output of a verb.
#[derive(Debug)]
pub struct Output<A> {
    pub answer: A,
    /// The answer in words, with ANSI styles.
    pub text: String,
    /// A remark for people, in addition to the answer.
    pub aside: String,
    /// Set if the answer itself reports a problem.
    pub alarm: Option<Kind>,
    /// The text is a stored text, byte for byte.
    pub verbatim: bool,
}

impl Erased {
    /// The text without styles.
    pub fn plain_text(&self) -> String {
        match self.verbatim {
            true => self.text.clone(),
            false => anstream::adapter::strip_str(&self.text).to_string(),
        }
    }
}

/// An answer of any verb, as JSON.
pub type Erased = Output<Box<RawValue>>;

impl<A: Serialize> Output<A> {
    pub fn new(text: impl Into<String>, answer: A) -> Output<A> {
        let aside = String::new();
        Output { answer, text: text.into(), aside, alarm: None, verbatim: false }
    }

    /// An answer whose text is written byte for byte.
    pub fn verbatim(self) -> Output<A> {
        Output { verbatim: true, ..self }
    }

    /// An answer that exits like an error.
    pub fn alarming(self, kind: Kind) -> Output<A> {
        Output { alarm: Some(kind), ..self }
    }

    /// The same with its answer as JSON.
    pub fn erase(self) -> Result<Erased, Failure> {
        let Output { answer, text, aside, alarm, verbatim } = self;
        let answer = serde_json::value::to_raw_value(&answer).map_err(|error| {
            let message = format!("cannot write the answer as JSON: {error}");
            Failure::new(Kind::Bug, message, "please report this")
        })?;
        Ok(Output { answer, text, aside, alarm, verbatim })
    }
}
