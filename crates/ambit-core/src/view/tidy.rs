//! Housekeeping: work that is due without a command from anyone. It is found by reading the rows.
//! If the vault's head has moved since then, the caller looks again, so the work is done only once.

use crate::decide::{Draft, Stop};
use crate::{Answer, Refusal, Tidied, Tidy, TidyAnswer, What};

impl Draft<'_> {
    pub(crate) fn tidy(&mut self, due: &Tidy) -> Result<Answer, Stop> {
        if due.head != self.state.vault.head_seq {
            return Err(Refusal::Overtaken.into());
        }
        let Tidy { ended, frames, fossils, .. } = due.clone();
        let answer = TidyAnswer {
            ended: ended.len() as i64,
            frames: frames.len() as i64,
            fossils: fossils.len() as i64,
        };
        self.ensure_actor()?;
        self.emit(What::Tidied(Tidied { ended, frames, fossils }), Vec::new())?;
        Ok(Answer::Tidied(answer))
    }
}
