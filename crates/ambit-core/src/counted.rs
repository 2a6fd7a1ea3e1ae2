//! Messages with their token counts, as commands hold them.

use ambit_wire::{Form, MEDIA_TOKENS, Role, Turn, TurnBlock};

use crate::{Counted, digest};

/// A turn with its token counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedTurn {
    pub role: Role,
    pub blocks: Vec<CountedBlock>,
    pub shape: Option<Counted>,
    pub bytes: i64,
}

/// A block with its token count. Ids are short hashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedBlock {
    pub form: Form,
    pub text: Counted,
    pub call_id: Option<i64>,
    pub reply_to: Option<i64>,
}

impl CountedTurn {
    /// Counts a turn's tokens. Media is counted by a formula, because its bytes are not text.
    pub fn of(turn: Turn, count: &dyn Fn(&str) -> i64) -> CountedTurn {
        let shape_bytes = turn.shape.as_ref().map_or(0, String::len);
        let bytes = shape_bytes + turn.blocks.iter().map(|block| block.text.len()).sum::<usize>();
        let counted = |block: TurnBlock| {
            let tokens = match block.form {
                Form::Media => MEDIA_TOKENS,
                _ => count(&block.text),
            };
            CountedBlock {
                form: block.form,
                text: Counted::new(block.text, tokens),
                call_id: block.call_id.map(|id| digest(id.as_bytes())),
                reply_to: block.reply_to.map(|id| digest(id.as_bytes())),
            }
        };
        CountedTurn {
            role: turn.role,
            blocks: turn.blocks.into_iter().map(counted).collect(),
            shape: turn.shape.map(|shape| {
                let tokens = count(&shape);
                Counted::new(shape, tokens)
            }),
            bytes: bytes as i64,
        }
    }
}
