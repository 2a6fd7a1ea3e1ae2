//! `append`: decides new messages, one event each, all or none.

use ambit_wire::MESSAGE_TOKENS;

use crate::decide::{Act, Draft, Stop};
use crate::{
    Answer, AppendAnswer, Appended, Block, CountedTurn, ItemNo, Key, MessageRefusal, Role, ScopeNo,
    What,
};

impl Draft<'_> {
    pub(crate) fn append(&mut self, messages: &[CountedTurn]) -> Result<Answer, Stop> {
        let scope = self.working()?;
        self.check_sizes(messages)?;
        self.ensure_actor()?;
        let before = scope.sum;
        for turn in messages {
            self.append_turn(scope.scope, turn)?;
        }
        let row = self.row(scope.scope)?;
        Ok(Answer::Appended(AppendAnswer {
            scope: scope.name.unwrap_or_default(),
            appended: messages.len() as i64,
            tokens: row.sum - before,
            head: row.head,
            warnings: Vec::new(),
        }))
    }

    fn check_sizes(&self, messages: &[CountedTurn]) -> Result<(), Stop> {
        if messages.is_empty() {
            return Err(MessageRefusal::Nothing.into());
        }
        let max = self.setting(ScopeNo::VAULT, Key::AppendMessagesMax);
        if messages.len() as i64 > max {
            return Err(MessageRefusal::TooMany { messages: messages.len(), max }.into());
        }
        let max = self.setting(ScopeNo::VAULT, Key::MessageBlocksMax);
        if let Some(index) = messages.iter().position(|turn| turn.blocks.len() as i64 > max) {
            let blocks = messages[index].blocks.len();
            return Err(MessageRefusal::TooManyBlocks { message: index + 1, blocks, max }.into());
        }
        let max = self.setting(ScopeNo::VAULT, Key::MessageBytesMax);
        match messages.iter().position(|turn| turn.bytes > max) {
            Some(index) => {
                let bytes = messages[index].bytes;
                Err(MessageRefusal::TooLarge { message: index + 1, bytes, max }.into())
            }
            None => Ok(()),
        }
    }

    fn append_turn(&mut self, scope: ScopeNo, turn: &CountedTurn) -> Result<(), Stop> {
        let row = self.row(scope)?;
        let (position, mut sum) = (row.next_position, row.sum);
        let answered = self.answered(scope, turn);
        let anchor = answered.iter().flatten().map(|(_, anchor)| *anchor).next();
        let anchor = anchor.unwrap_or(position);
        let shape = turn.shape.as_ref().map(|shape| self.content(shape));
        // The first block includes what the message itself costs.
        let mut own = MESSAGE_TOKENS + shape.as_ref().map_or(0, |shape| shape.tokens);
        let mut blocks = Vec::with_capacity(turn.blocks.len());
        for (block, answered) in turn.blocks.iter().zip(&answered) {
            let text = self.content(&block.text);
            let shown = text.tokens + std::mem::take(&mut own);
            sum += shown;
            let item = ItemNo(self.allot());
            blocks.push(Block {
                item,
                form: block.form,
                text,
                shown,
                call_id: block.call_id,
                call: answered.map(|(call, _)| call),
            });
        }
        let act = match turn.role {
            Role::Tool if answered.iter().any(Option::is_some) => Act::Reply,
            // A reply that answers no open call does not give open calls up, but it is an event
            // like any other after a silence.
            Role::Tool => Act::Other,
            role => Act::Turn { assistant: role == Role::Assistant },
        };
        let here = vec![self.presence_change(scope, act)];
        let role = turn.role;
        self.emit(
            What::Appended(Appended { scope, role, position, anchor, blocks, shape, sum }),
            here,
        )
    }

    /// Returns the call that each block answers, with the anchor of the call's batch. A reply
    /// answers an open call of its author in this scope with the same id; equal ids in order.
    fn answered(&self, scope: ScopeNo, turn: &CountedTurn) -> Vec<Option<(ItemNo, i64)>> {
        let actor = self.actor();
        let open = self.state.calls.iter().filter(|c| c.scope == scope && c.actor == actor);
        let mut left: Vec<_> = open.map(|c| (c.call_id, c.item, c.anchor)).collect();
        let mut last = None;
        let mut answered = Vec::with_capacity(turn.blocks.len());
        for block in &turn.blocks {
            // The blocks of one reply are adjacent.
            let call = match (block.reply_to, last) {
                (None, _) => None,
                (Some(id), Some((same, call))) if id == same => call,
                (Some(id), _) => {
                    let mut equal = (0..left.len()).filter(|at| left[*at].0 == id);
                    let found = equal.next();
                    found.map(|at| left.remove(at)).map(|(_, item, anchor)| (item, anchor))
                }
            };
            last = block.reply_to.map(|id| (id, call));
            answered.push(call);
        }
        answered
    }
}
