//! Visits, their effect on frames, and the capture that is stored with a change.

use crate::decide::{Draft, Stop};
use crate::{Delta, FrameChange, ItemNo, Key, Reach, ScopeNo};

impl Draft<'_> {
    /// Returns the items in a frame that were visited after the actor's last break, most recent
    /// first. A lowered `frame_size` applies at once, although the frame itself only shrinks at the
    /// next visit.
    pub(crate) fn capture(&self, frame: ScopeNo) -> Result<Vec<ItemNo>, Stop> {
        let Some(containers) = self.state.frames.get(&frame) else {
            return Err(Stop::Need(Reach { frames: true, ..Reach::default() }));
        };
        let broke = self.state.actor.as_ref().map_or(0, |actor| actor.break_seq);
        let size = self.setting(frame, Key::FrameSize) as usize;
        let fresh = containers.iter().take(size).filter(|container| container.last_seq > broke);
        Ok(fresh.map(|container| container.item).collect())
    }

    /// Returns the changes that a visit makes to the actor's own frame, to those of its active
    /// scopes, and to `also`, in this order. The item moves to the front; a full frame evicts.
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

    /// Returns the delta of a change: the capture from one frame, then the visit of the changed
    /// item if its type is substantive.
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
    /// because visits in a closed scope are not recorded.
    pub(crate) fn pinned(&self) -> Result<Option<ScopeNo>, Stop> {
        let Some(name) = &self.context.pin else {
            return Ok(None);
        };
        let row = self.state.scope_named(name)?;
        let open = row.closed_seq.is_none();
        Ok(open.then_some(row.scope))
    }
}
