//! Refused messages, compositions, notes and insights.

use super::Code;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MessageRefusal {
    #[error("cannot append: there is no message")]
    Nothing,
    #[error("cannot append {messages} messages at once: append_messages_max is {max}")]
    TooMany { messages: usize, max: i64 },
    #[error("cannot append message {message}: it has {blocks} blocks; message_blocks_max is {max}")]
    TooManyBlocks { message: usize, blocks: usize, max: i64 },
    #[error("cannot append message {message}: it has {bytes} bytes; message_bytes_max is {max}")]
    TooLarge { message: usize, bytes: i64, max: i64 },
    #[error("cannot rewind to turn {turn}: it is not in sight in scope {scope:?}")]
    NotInSight { turn: i64, scope: String },
    #[error("cannot forget {texts} items and turns at once: the limit is {max}")]
    TooManyForgotten { texts: usize, max: usize },
    #[error("a budget of {budget} tokens is too small: the system prompt takes most of it")]
    SystemOverBudget { budget: i64 },
    #[error("a budget of {budget} tokens is too small: the last turn does not fit, even as a stub")]
    TurnOverBudget { budget: i64 },
}

impl MessageRefusal {
    pub fn code(&self) -> Code {
        use MessageRefusal::*;
        match self {
            Nothing => Code::Usage,
            NotInSight { .. } => Code::NotFound,
            TooMany { .. }
            | TooManyBlocks { .. }
            | TooLarge { .. }
            | TooManyForgotten { .. }
            | SystemOverBudget { .. }
            | TurnOverBudget { .. } => Code::Refused,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoteRefusal {
    #[error("the note is empty")]
    Empty,
    #[error("cannot write the note: it has {bytes} bytes; note_bytes_max is {max}")]
    TooLarge { bytes: usize, max: i64 },
    #[error("there is no insight {hash:?}")]
    NoInsight { hash: String },
    #[error("cannot retract insight {hash}: it was retracted before")]
    Retracted { hash: String },
}

impl NoteRefusal {
    pub fn code(&self) -> Code {
        match self {
            NoteRefusal::Empty => Code::Usage,
            NoteRefusal::TooLarge { .. } => Code::Refused,
            NoteRefusal::NoInsight { .. } => Code::NotFound,
            NoteRefusal::Retracted { .. } => Code::Conflict,
        }
    }
}
