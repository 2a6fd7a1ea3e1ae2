//! What is in mind: visits and what they do to frames, and the capture that goes with a change.

use crate::decide::{Draft, Stop};
use crate::{Delta, FrameChange, ItemNo, Key, Reach, ScopeNo};

impl Draft<'_> {
    /// What stood in a frame, most recent first, but for what was visited last before the actor's
    /// last break. A size that was lowered holds at once, though the frame itself shrinks with a
    /// visit.
    pub(crate) fn capture(&self, frame: ScopeNo) -> Result<Vec<ItemNo>, Stop> {
        let Some(containers) = self.state.frames.get(&frame) else {
            return Err(Stop::Need(Reach { frames: true, ..Reach::default() }));
        };
        let broke = self.state.actor.as_ref().map_or(0, |actor| actor.break_seq);
        let size = self.setting(frame, Key::FrameSize) as usize;
        let fresh = containers.iter().take(size).filter(|container| container.last_seq > broke);
        Ok(fresh.map(|container| container.item).collect())
    }

    /// What a visit does to the frames in mind, and to one more: the item comes first, the least
    /// recent may go. The actor's own frame is the first.
    pub(crate) fn visit(
        &self,
        item: ItemNo,
        also: Option<ScopeNo>,
    ) -> Result<Vec<FrameChange>, Stop> {
        let mut frames: Vec<_> = self.state.actor.iter().map(|actor| actor.home).collect();
        for frame in self.state.active_scopes().into_iter().chain(also) {
            if !frames.contains(&frame) {
                frames.push(frame);
            }
        }
        frames.into_iter().map(|frame| self.visit_frame(item, frame)).collect()
    }

    fn visit_frame(&self, item: ItemNo, frame: ScopeNo) -> Result<FrameChange, Stop> {
        let Some(containers) = self.state.frames.get(&frame) else {
            return Err(Stop::Need(Reach { frames: true, ..Reach::default() }));
        };
        let size = self.setting(frame, Key::FrameSize) as usize;
        let others = containers.iter().map(|container| container.item).filter(|it| *it != item);
        let mut behind: Vec<_> = others.collect();
        let evicted = behind.split_off(behind.len().min(size.saturating_sub(1)));
        Ok(FrameChange { frame, evicted, behind: Some(behind) })
    }

    /// A change of something: captured from one frame, and then visited where it is substantive.
    pub(crate) fn delta(
        &self,
        item: ItemNo,
        frame: ScopeNo,
        substantive: bool,
    ) -> Result<Delta, Stop> {
        let context = self.capture(frame)?;
        let visited = if substantive { self.visit(item, self.pinned()?)? } else { Vec::new() };
        Ok(Delta { visited, context, context_frame: frame })
    }

    /// Returns the pinned scope, which counts as active for this command; `None` if it is closed,
    /// because a closed scope takes no more visits.
    pub(crate) fn pinned(&self) -> Result<Option<ScopeNo>, Stop> {
        let Some(name) = &self.context.pin else {
            return Ok(None);
        };
        let row = self.state.scope_named(name)?;
        let open = row.closed_seq.is_none();
        Ok(open.then_some(row.scope))
    }
}
