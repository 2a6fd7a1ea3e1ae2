//! `rewind`: hides what came after a turn, so that the turn can be regenerated.

use crate::decide::{Act, Draft, Stop};
use crate::{Answer, MessageRefusal, RewindAnswer, Rewound, ScopeRow, TurnPlace, What};

impl Draft<'_> {
    pub(crate) fn rewind(&mut self, to: i64) -> Result<Answer, Stop> {
        let scope = self.working()?;
        let Some(place) = self.state.turn.clone().filter(|place| place.turn == to) else {
            let scope = self.state.scope_name(scope.scope);
            return Err(MessageRefusal::NotInSight { turn: to, scope }.into());
        };
        self.ensure_actor()?;
        // A rewind that hides nothing writes no event, because an event would end every epoch.
        if place.hidden_turns > 0 {
            self.hide_after(&scope, &place)?;
        }
        let row = self.row(scope.scope)?;
        Ok(Answer::Rewound(RewindAnswer {
            scope: scope.name.clone().unwrap_or_default(),
            to,
            messages: row.messages,
            head: row.head,
        }))
    }

    fn hide_after(&mut self, scope: &ScopeRow, place: &TurnPlace) -> Result<(), Stop> {
        let here = vec![self.presence_change(scope.scope, Act::Other)];
        let what = What::Rewound(Rewound {
            scope: scope.scope,
            turn: place.turn,
            after: place.last_position,
            hidden_turns: place.hidden_turns,
            sum: scope.sum - place.hidden_tokens,
        });
        self.emit(what, here)
    }
}
