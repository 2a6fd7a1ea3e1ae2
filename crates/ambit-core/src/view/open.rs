//! Assigns each event to a view, and opens a new view when one is needed.

use crate::decide::{Draft, Stop};
use crate::{Entered, Key, Reach, ScopeNo, StreamEntry, ViewNo, ViewOpened, What};

impl Draft<'_> {
    /// Returns the event's view, and the opening of the view if the event opens it.
    pub(crate) fn view_for(
        &mut self,
        what: &What,
    ) -> Result<(Option<ViewNo>, Option<ViewOpened>), Stop> {
        if matches!(what, What::VaultCreated(_) | What::Registered(_)) {
            return Ok((None, None));
        }
        let pin = self.pinned()?;
        if let Some(view) = self.open_view(what, pin) {
            return Ok((Some(view), None));
        }
        let opened = self.open(what, pin)?;
        Ok((Some(opened.view), Some(opened)))
    }

    /// Returns the open view, unless it ends before this event.
    fn open_view(&self, what: &What, pin: Option<ScopeNo>) -> Option<ViewNo> {
        let actor = self.state.actor.as_ref().filter(|actor| actor.view_open)?;
        let idle_ms = self.setting(ScopeNo::VAULT, Key::ViewIdleSeconds) * 1000;
        let timely = self.now - actor.view_time <= idle_ms;
        let same_capture = match (what.capture(), actor.view_capture) {
            (Some((_, frame)), Some(captured)) => frame == captured,
            _ => true,
        };
        (timely && same_capture && actor.view_pin == pin).then_some(actor.view).flatten()
    }

    /// Opens a view in the actor's stream and in those of its active scopes.
    fn open(&mut self, what: &What, pin: Option<ScopeNo>) -> Result<ViewOpened, Stop> {
        let frames = self.frames_in_mind(what, pin);
        let home = self.state.actor.as_ref().map(|actor| actor.home);
        // None after a break, which restarts only the actor's own stream.
        let previous = self.state.actor.as_ref().and_then(|actor| actor.view);
        let mut streams = Vec::with_capacity(frames.len());
        for frame in frames {
            let Some(prev) = self.state.streams.get(&frame) else {
                return Err(Stop::Need(Reach { streams: true, ..Reach::default() }));
            };
            let prev = match Some(frame) == home {
                true => previous,
                false => *prev,
            };
            streams.push(StreamEntry { frame, prev });
        }
        let id = self.fresh.id("viw");
        Ok(ViewOpened { view: ViewNo(self.allot()), id, previous, pin, streams })
    }

    /// Returns the actor's own frame, those of its active scopes, and the pinned one.
    pub(crate) fn frames_in_mind(&self, what: &What, pin: Option<ScopeNo>) -> Vec<ScopeNo> {
        let mut frames: Vec<_> = self.state.actor.iter().map(|actor| actor.home).collect();
        let entering = match what {
            What::Entered(Entered { scope, .. }) => Some(*scope),
            _ => None,
        };
        for scope in entering.into_iter().chain(self.state.active_scopes()).chain(pin) {
            if !frames.contains(&scope) {
                frames.push(scope);
            }
        }
        frames
    }
}
