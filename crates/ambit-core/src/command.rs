//! Commands and their answers: plain data, already parsed and counted. Each command is a struct in
//! the folder of its noun, and so is its answer.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::decide::{Draft, Stop};
use crate::frame::Break;
use crate::{
    Abandon, AbandonAnswer, ActorKind, AddInsight, Append, AppendAnswer, ChangeSetting, Due, Enter,
    Focus, Forget, ForgetAnswer, Fork, ForkAnswer, Goto, Hash, InsightAnswer, Leave, Millis, Needs,
    NoteAnswer, OpenScope, Place, PlaceAnswer, Put, PutAnswer, Redaction, Rejoin, RejoinAnswer,
    RetractInsight, Revert, RevertedAnswer, Rewind, RewindAnswer, SetAnswer, StandsAnswer,
    SwitchAnswer, TidyAnswer, Via, Visit, VisitAnswer, WriteNote,
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
    Tidy(Due),
    Forget(Forget),
}

/// What the core asks of every command.
pub(crate) trait Verb {
    /// Adds what the State must hold, as far as the command alone can tell.
    fn needs(&self, context: &Context, needs: &mut Needs);

    /// Gives the parts of the command's digest. Stores keep digests: they never change.
    fn digest(&self, part: &mut dyn FnMut(&str));

    /// Decides which events follow.
    fn decide(&self, draft: &mut Draft<'_>) -> Decided;

    /// Whether it brings texts that are to be stored. Those of a revert are stored already.
    fn brings_texts(&self) -> bool {
        false
    }

    /// Whether a subagent that has ended may give it.
    fn by_ended_actor(&self) -> bool {
        false
    }
}

/// What deciding a command gives.
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

    /// Returns what an idempotency key stands for: the same command gives the same digest.
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

    /// Whether it brings texts that are to be stored.
    pub fn brings_texts(&self) -> bool {
        self.verb().brings_texts()
    }

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
