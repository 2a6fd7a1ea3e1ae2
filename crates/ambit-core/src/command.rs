//! Commands and their answers: plain data, already parsed and counted. Each command is a struct in
//! the folder of its noun, and so is its answer.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::decide::{Draft, Stop};
use crate::frame::Break;
use crate::redact::{Cleared, Redactor};
use crate::{
    Abandon, ActorKind, AddInsight, Append, ChangeSetting, Enter, Focus, Forget, ForgetAnswer,
    Fork, ForkAnswer, Goto, Hash, Leave, Millis, Needs, OpenScope, Place, PlaceAnswer, Put,
    PutAnswer, Redaction, Rejoin, RejoinAnswer, RetractInsight, Revert, RevertedAnswer, Rewind,
    Tidy, Via, Visit, VisitAnswer, WriteNote,
};

use answers::*;

/// The answers that interfaces show as they are.
pub mod answers {
    pub use crate::{
        AbandonAnswer, AppendAnswer, InsightAnswer, NoteAnswer, RewindAnswer, SetAnswer,
        StandsAnswer, SwitchAnswer, TidyAnswer,
    };
}

/// Who acts, when, and under which conditions.
#[derive(Clone, Debug)]
pub struct Context {
    /// The actor's name or id.
    pub actor: String,
    /// The actor's kind if this command registers it.
    pub kind: ActorKind,
    pub via: Via,
    /// The scope that counts as active and primary for this command only.
    pub pin: Option<String>,
    /// The head that the caller expects the scope to have. Any other head refuses the command.
    pub expect_head: Option<i64>,
    /// The redaction that was applied to the command's texts. If the vault's redaction settings
    /// differ by now, the command is refused.
    pub redaction: Redaction,
    pub now: Millis,
}

/// The input that a store needs to have a command decided.
#[derive(Clone, Debug)]
pub struct Ask {
    pub vault: String,
    pub context: Context,
    pub needs: Needs,
    /// The caller's idempotency key, with the digest of its command.
    pub key: Option<(String, Hash)>,
    pub seed: [u8; 32],
}

/// A command: everything that can change a vault.
#[derive(Clone, Debug)]
pub enum Command {
    Scope(OpenScope),
    Goto(Goto),
    Note(WriteNote),
    Insight(AddInsight),
    Retract(RetractInsight),
    Append(Append),
    Rewind(Rewind),
    Set(ChangeSetting),
    Enter(Enter),
    Leave(Leave),
    Focus(Focus),
    Break,
    Put(Put),
    Revert(Revert),
    Visit(Visit),
    Place(Place),
    Fork(Fork),
    Rejoin(Rejoin),
    Abandon(Abandon),
    Tidy(Tidy),
    Forget(Forget),
}

/// The interface of a command to the core.
pub(crate) trait Verb {
    /// Adds what the State must hold, as far as the command alone determines it.
    fn needs(&self, context: &Context, needs: &mut Needs);

    /// Passes the parts of the command's digest to `part`. Stores keep digests, so the parts must
    /// never change.
    fn digest(&self, part: &mut dyn FnMut(&str));

    /// Returns the command with its texts redacted, or `None` if they contain no secret.
    fn redacted(&self, by: &Redactor<'_>) -> Option<Cleared>;

    /// Decides which events follow from the command.
    fn decide(&self, draft: &mut Draft<'_>) -> Decided;

    /// Whether the command has texts to store. Those of a revert are stored already.
    fn brings_texts(&self) -> bool {
        false
    }

    /// Whether a subagent that has ended may run the command.
    fn by_ended_actor(&self) -> bool {
        false
    }
}

/// The result of deciding a command.
pub(crate) type Decided = Result<Answer, Stop>;

impl Command {
    pub(crate) fn verb(&self) -> &dyn Verb {
        match self {
            Command::Scope(it) => it,
            Command::Goto(it) => it,
            Command::Note(it) => it,
            Command::Insight(it) => it,
            Command::Retract(it) => it,
            Command::Append(it) => it,
            Command::Rewind(it) => it,
            Command::Set(it) => it,
            Command::Enter(it) => it,
            Command::Leave(it) => it,
            Command::Focus(it) => it,
            Command::Break => &Break,
            Command::Put(it) => it,
            Command::Revert(it) => it,
            Command::Visit(it) => it,
            Command::Place(it) => it,
            Command::Fork(it) => it,
            Command::Rejoin(it) => it,
            Command::Abandon(it) => it,
            Command::Tidy(it) => it,
            Command::Forget(it) => it,
        }
    }

    /// Returns the digest that an idempotency key is bound to. Equal commands have equal digests.
    pub fn digest(&self, context: &Context) -> Hash {
        let mut hash = Sha256::new();
        let mut part = |text: &str| {
            hash.update((text.len() as u64).to_be_bytes());
            hash.update(text.as_bytes());
        };
        part(context.pin.as_deref().unwrap_or_default());
        self.verb().digest(&mut part);
        Hash(hash.finalize().into())
    }

    /// Returns the redacted command with warnings. Returns `None`, and copies nothing, if there is
    /// no secret in it. `count` counts the tokens of the redacted texts.
    pub fn redacted(&self, redaction: &Redaction, count: &dyn Fn(&str) -> i64) -> Option<Cleared> {
        self.verb().redacted(&Redactor { redaction, count })
    }

    /// Whether the command has texts to store.
    pub fn brings_texts(&self) -> bool {
        self.verb().brings_texts()
    }

    /// Returns the stored form of a caller's key and of the command's digest. Both are hashes that
    /// reveal nothing without the key, because either may contain a text that is forgotten later.
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
    /// Returns the last event that the answer names, and the least number of its events.
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
