//! Commands and their answers: plain data, already parsed and counted.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{
    ActorKind, Bearers, Counted, CountedTurn, Fossil, Hash, Inherit, ItemNo, Millis, Needs,
    Redaction, ScopeNo, Via, ViewEnded,
};

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
    Enter {
        scope: String,
    },
    Leave {
        scope: String,
    },
    Focus {
        scope: String,
    },
    Break,
    Put(Put),
    /// Takes changes back, each object's by a new version.
    Revert {
        backs: Vec<Back>,
        /// What was found that cannot be taken back.
        conflicts: Vec<RevertConflict>,
        /// How they were selected, in words.
        selection: String,
    },
    /// A look at an object, or at a note.
    Visit {
        object: Option<String>,
        note: Option<ItemNo>,
    },
    /// An object joins a scope, or belongs to it no more.
    Place {
        object: String,
        scope: String,
        out: bool,
    },
    Fork {
        name: String,
        task: Counted,
        inherit: Inherit,
    },
    Rejoin {
        /// None: the caller itself.
        child: Option<String>,
        note: Option<Counted>,
        deep: bool,
    },
    Abandon {
        child: String,
        deep: bool,
    },
    /// What is due, as it was found.
    Tidy(Due),
    /// One batch of a selection.
    Forget {
        what: Bearers,
        /// What the batches before it forgot.
        so_far: ForgetAnswer,
        /// How it was selected, in words.
        selection: String,
    },
}

/// An object, or its next version.
#[derive(Clone, Debug)]
pub struct Put {
    /// Its id, or a name: then it may be new.
    pub object: String,
    /// Its type; none for that which it has.
    pub kind: Option<String>,
    pub text: Counted,
    /// Where a new object is put, instead of the primary scope.
    pub scope: Option<String>,
}

/// An object that goes back to an earlier version.
#[derive(Clone, Debug)]
pub struct Back {
    /// Its id.
    pub object: String,
    /// The changes that are taken back, the latest first.
    pub events: Vec<i64>,
    /// How many versions it had when that was found.
    pub versions: i64,
    /// The version that is there again, and what it says.
    pub to: i64,
    pub text: Counted,
}

/// What is due to be tidied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Due {
    /// The vault's head when it was found: later it may have been done.
    pub head: i64,
    pub ended: Vec<ViewEnded>,
    pub frames: Vec<ScopeNo>,
    pub fossils: Vec<Fossil>,
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
            Command::Enter { scope } => ["enter", scope, ""].map(&mut part),
            Command::Leave { scope } => ["leave", scope, ""].map(&mut part),
            Command::Focus { scope } => ["focus", scope, ""].map(&mut part),
            Command::Break => ["break", "", ""].map(&mut part),
            Command::Put(put) => {
                part(put.kind.as_deref().unwrap_or_default());
                part(put.scope.as_deref().unwrap_or_default());
                ["put", &put.object, &put.text.text].map(&mut part)
            }
            Command::Visit { object, note } => {
                let note = note.map(|item| item.to_string()).unwrap_or_default();
                ["get", object.as_deref().unwrap_or_default(), &note].map(&mut part)
            }
            Command::Place { object, scope, out } => {
                part(&out.to_string());
                ["place", object, scope].map(&mut part)
            }
            Command::Fork { name, task, inherit } => {
                part(inherit.as_str());
                ["fork", name, &task.text].map(&mut part)
            }
            Command::Rejoin { child, note, deep } => {
                part(&deep.to_string());
                let note = note.as_ref().map_or("", |note| &note.text);
                ["rejoin", child.as_deref().unwrap_or_default(), note].map(&mut part)
            }
            Command::Abandon { child, deep } => {
                ["abandon", child, &deep.to_string()].map(&mut part)
            }
            Command::Tidy(due) => ["tidy", &format!("{due:?}"), ""].map(&mut part),
            // What is selected may have been done in part before: how it was selected counts.
            Command::Revert { selection, .. } => ["revert", selection, ""].map(&mut part),
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
    Stands(StandsAnswer),
    Put(PutAnswer),
    Reverted(RevertedAnswer),
    Visited(VisitAnswer),
    Placed(PlaceAnswer),
    Forked(ForkAnswer),
    Rejoined(RejoinAnswer),
    Abandoned(AbandonAnswer),
    Tidied(TidyAnswer),
}

impl Answer {
    /// The last event that it tells of, and how many came with it at the least.
    pub fn events(&self) -> (i64, i64) {
        match self {
            Answer::Appended(it) => (it.head, it.appended.max(1)),
            Answer::Switched(it) => (it.head, 1),
            Answer::Noted(it) => (it.head, 1),
            Answer::Insight(it) => (it.event, 1),
            Answer::Rewound(it) => (it.head, 1),
            Answer::Forgot(it) => (it.head, 1),
            Answer::Stands(it) => (it.event, 1),
            Answer::Put(it) => (it.event, 1),
            Answer::Reverted(it) => (it.event, it.reverted.len() as i64),
            Answer::Visited(it) => (it.event, 1),
            Answer::Placed(it) => (it.event, 1),
            Answer::Forked(it) => (it.event, 1),
            Answer::Rejoined(it) => (it.event, 1),
            Answer::Abandoned(it) => (it.event, 1),
            Answer::Set(_) | Answer::Tidied(_) => (0, 0),
        }
    }
}

/// Where an actor stands after enter, leave, focus or a break.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StandsAnswer {
    /// The scope that the command named.
    pub scope: Option<String>,
    pub primary_scope: Option<String>,
    /// Most recently entered first.
    pub active_scopes: Vec<String>,
    /// The event that moved it.
    pub event: i64,
}

/// What a change had in mind. Names of things are looked up by who shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Captured {
    pub context: Vec<ItemNo>,
    pub context_frame: ScopeNo,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PutAnswer {
    pub id: String,
    pub name: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub version: i64,
    pub event: i64,
    pub delta: Captured,
    /// The event of the version before.
    pub parent: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VisitAnswer {
    /// False for what is primitive: to look at it is no visit.
    pub visited: bool,
    pub event: i64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RevertedAnswer {
    pub reverted: Vec<RevertLine>,
    pub conflicts: Vec<RevertConflict>,
    pub event: i64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RevertLine {
    pub id: String,
    pub name: String,
    /// The changes taken back, the latest first.
    pub events: Vec<i64>,
    /// The version that is there again.
    pub back_to: i64,
    /// The version that says so; null for a preview.
    pub version: Option<i64>,
}

/// A change that is left alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RevertConflict {
    pub id: String,
    pub name: String,
    pub event: i64,
    pub why: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaceAnswer {
    pub id: String,
    pub name: String,
    pub scope: String,
    pub out: bool,
    pub event: i64,
    pub delta: Captured,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForkAnswer {
    pub actor: String,
    pub actor_id: String,
    pub scope: String,
    pub scope_id: String,
    /// The id of the subagent's own frame.
    pub frame: String,
    pub origin: String,
    pub inherit: Inherit,
    /// How many things it has in mind from the start.
    pub in_mind: i64,
    pub note: NoteRef,
    pub event: i64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RejoinAnswer {
    pub merged_at: Millis,
    pub child: String,
    pub child_scope: String,
    pub parent_scope: String,
    /// The view that both streams share.
    pub view: Option<String>,
    pub event: i64,
    /// Subagents below it that rejoined with it.
    pub also: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AbandonAnswer {
    pub child: String,
    pub child_scope: String,
    pub also: Vec<String>,
    pub event: i64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TidyAnswer {
    pub ended: i64,
    pub frames: i64,
    pub fossils: i64,
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
    /// Versions of objects.
    #[serde(default)]
    pub versions: i64,
    /// Turns whose other fields are gone.
    pub shapes: i64,
    /// Texts that are gone.
    pub texts: i64,
    /// The last event that forgot something.
    pub head: i64,
}
