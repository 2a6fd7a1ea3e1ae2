//! `rewind`: hides what came after a turn, so that it can be said anew.

use super::{Act, Draft, Stop};
use crate::{Answer, Rejection, RewindAnswer, What};

impl Draft<'_> {
    pub(super) fn rewind(&mut self, to: i64) -> Result<Answer, Stop> {
        let scope = self.working()?;
        let Some(place) = self.state.turn.clone().filter(|place| place.turn == to) else {
            return Err(Rejection::not_found(
                format!(
                    "turn {to} is not in sight in scope {:?}",
                    self.state.scope_name(scope.scope)
                ),
                "`ambit compose --json` shows what is in sight; `ambit log` gives turns' numbers",
            )
            .into());
        };
        self.ensure_actor()?;
        let here = vec![self.here(scope.scope, Act::Other)];
        let what = What::Rewound {
            scope: scope.scope,
            turn: to,
            after: place.last_position,
            hidden_turns: place.hidden_turns,
            sum: scope.sum - place.hidden_tokens,
        };
        self.emit(what, here)?;
        let row = self.row(scope.scope)?;
        Ok(Answer::Rewound(RewindAnswer {
            scope: scope.name.unwrap_or_default(),
            to,
            messages: row.messages,
            head: row.head,
        }))
    }
}
