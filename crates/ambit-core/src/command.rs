//! Commands and their answers: plain data, already parsed and counted.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::wire::CountedTurn;
use crate::{ActorKind, Bearers, Counted, Hash, ItemNo, Millis, Needs, Redaction, Via};

/// Who acts, when, and under which conditions.
#[derive(Clone, Debug)]
pub struct Context {
    /// The actor's name or id.
    pub actor: String,
    /// What it becomes when it is registered by this command.
    pub kind: ActorKind,
    pub via: Via,
    /// The scope that counts as active and primary for this command alone.
    pub pin: Option<String>,
    /// The scope's head that the caller has seen, where it must not be overtaken.
    pub expect_head: Option<i64>,
    /// What was taken out of the command's texts. Where the vault has it otherwise by now, they are
    /// not taken in.
    pub redaction: Redaction,
    pub now: Millis,
}

/// What a store needs in order to have a command decided.
#[derive(Clone, Debug)]
pub struct Ask {
    pub vault: String,
    pub context: Context,
    pub needs: Needs,
    /// The caller's idempotency key, with the digest of the command it stands for.
    pub key: Option<(String, Hash)>,
    pub seed: [u8; 32],
}

/// Everything that changes a vault.
#[derive(Clone, Debug)]
pub enum Command {
    Scope {
        name: String,
        note: Counted,
    },
    Goto {
        name: String,
        note: Counted,
    },
    Note {
        message: Counted,
    },
    /// A note of the whole vault.
    Insight {
        message: Counted,
    },
    /// An insight is to be shown no more.
    Retract {
        item: ItemNo,
        hash: Hash,
    },
    Append {
        messages: Vec<CountedTurn>,
    },
    Rewind {
        to: i64,
    },
    Set {
        name: String,
        value: Option<String>,
    },
    /// One batch of a selection.
    Forget {
        what: Bearers,
        /// What the batches before it forgot.
        so_far: ForgetAnswer,
        /// How it was selected, in words.
        selection: String,
    },
}

impl Command {
    /// What an idempotency key stands for: the same command gives the same digest.
    pub fn digest(&self, context: &Context) -> Hash {
        let mut hash = Sha256::new();
        let mut part = |text: &str| {
            hash.update((text.len() as u64).to_be_bytes());
            hash.update(text.as_bytes());
        };
        part(context.pin.as_deref().unwrap_or_default());
        match self {
            Command::Scope { name, note } => ["scope", name, &note.text].map(&mut part),
            Command::Goto { name, note } => ["goto", name, &note.text].map(&mut part),
            Command::Note { message } => ["note", &message.text, ""].map(&mut part),
            Command::Insight { message } => ["insight", &message.text, ""].map(&mut part),
            Command::Retract { hash, .. } => ["retract", &hash.to_hex(), ""].map(&mut part),
            Command::Rewind { to } => ["rewind", &to.to_string(), ""].map(&mut part),
            Command::Set { name, value } => {
                ["settings", name, value.as_deref().unwrap_or_default()].map(&mut part)
            }
            Command::Append { messages } => {
                for turn in messages {
                    part(turn.role.as_str());
                    turn.shape.iter().for_each(|shape| part(&shape.text));
                    turn.blocks.iter().for_each(|block| part(&block.text.text));
                }
                ["append", &messages.len().to_string(), ""].map(&mut part)
            }
            // What is selected may have been forgotten in part before: how it was selected counts.
            Command::Forget { selection, .. } => ["forget", selection, ""].map(&mut part),
        };
        Hash(hash.finalize().into())
    }
}

impl Command {
    /// How a caller's key and what it stands for are kept: as hashes that tell nothing to who does
    /// not know the key, for either may hold a text that is to be forgotten.
    pub fn keyed(&self, context: &Context, key: &str) -> (String, Hash) {
        let hash = |of: &[u8]| Sha256::new().chain_update(key).chain_update(of).finalize();
        let digest = Hash(hash(&self.digest(context).0).into());
        (Hash(hash(b"").into()).to_hex(), digest)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer {
    Switched(SwitchAnswer),
    Noted(NoteAnswer),
    Insight(InsightAnswer),
    Appended(AppendAnswer),
    Rewound(RewindAnswer),
    Set(SetAnswer),
    Forgot(ForgetAnswer),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoteRef {
    pub hash: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SwitchAnswer {
    pub scope: String,
    pub origin: String,
    pub note: NoteRef,
    pub head: i64,
    /// How many turns of a pending chain moved along.
    pub carried: i64,
    #[serde(default)]
    pub warnings: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoteAnswer {
    pub hash: String,
    pub scope: String,
    pub head: i64,
    #[serde(default)]
    pub warnings: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InsightAnswer {
    pub hash: String,
    pub retracted: bool,
    /// How many insights the vault has now.
    pub insights: i64,
    /// The event that kept or retracted it. It is no head of the scope at hand.
    pub event: i64,
    #[serde(default)]
    pub warnings: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AppendAnswer {
    pub scope: String,
    pub appended: i64,
    pub tokens: i64,
    pub head: i64,
    pub warnings: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RewindAnswer {
    pub scope: String,
    pub to: i64,
    /// Turns still in sight.
    pub messages: i64,
    pub head: i64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetAnswer {
    pub name: String,
    pub value: String,
    /// The scope it was set for; null for the vault.
    pub scope: Option<String>,
}

/// How much was forgotten: numbers alone, for an answer may be kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForgetAnswer {
    /// Blocks of messages, and notes, that show a mark now.
    pub blocks: i64,
    pub notes: i64,
    /// Turns whose other fields are gone.
    pub shapes: i64,
    /// Texts that are gone.
    pub texts: i64,
    /// The last event that forgot something.
    pub head: i64,
}
