//! Derives frames, presences, places and views from the log alone, event by event. It trusts the
//! facts in an event, and computes their consequences itself.

use std::collections::{BTreeMap, BTreeSet};

use ambit_core::{
    Abandoned, ActorNo, Displaced, Entered, Event, Focused, Forked, ItemNo, Left, Millis,
    ObjectPut, Placed, Registered, Rejoined, ScopeNo, SettingSet, Tidied, VaultCreated, ViewNo,
    What,
};

/// One item in a frame, and the event of its last visit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    pub item: ItemNo,
    pub seq: i64,
}

/// A view, derived from its opening and its actions.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    pub view: ViewNo,
    pub actor: ActorNo,
    pub pin: Option<ScopeNo>,
    pub frames: BTreeSet<ScopeNo>,
    /// The last action's time, and the frame that the last change was captured from.
    pub time: Millis,
    pub capture: Option<ScopeNo>,
    /// Whether the view has ended: nothing may be added.
    pub over: bool,
    /// The visited items, in the order of the first visits.
    pub visited: Vec<ItemNo>,
    pub actions: i64,
}

#[derive(Clone, Debug, Default)]
pub struct Who {
    pub home: ScopeNo,
    /// Most recently entered first.
    pub active: Vec<ScopeNo>,
    pub primary: Option<ScopeNo>,
    pub broke: i64,
    /// The last view in the actor's own stream; `None` after a break.
    pub last: Option<ViewNo>,
    /// The view that the actor opened last.
    pub current: Option<ViewNo>,
    pub parent: Option<ActorNo>,
    pub rejoined: Option<i64>,
    pub abandoned: Option<i64>,
}

#[derive(Clone, Debug, Default)]
pub struct Walk {
    pub actors: BTreeMap<ActorNo, Who>,
    /// Most recent first.
    pub frames: BTreeMap<ScopeNo, Vec<Held>>,
    pub sizes: BTreeMap<ScopeNo, usize>,
    /// The type of each object, and where it is, in the order in which it joined.
    pub kinds: BTreeMap<ItemNo, String>,
    pub places: BTreeMap<ItemNo, Vec<ScopeNo>>,
    pub closed: BTreeSet<ScopeNo>,
    pub views: BTreeMap<ViewNo, Seen>,
    /// The last view in each stream.
    pub ends: BTreeMap<ScopeNo, ViewNo>,
    /// The capture of each change, and its frame.
    pub captured: BTreeMap<i64, (Vec<ItemNo>, ScopeNo)>,
    pub main: ScopeNo,
}

const FRAME_SIZE: usize = 7;

impl Walk {
    pub fn size(&self, frame: ScopeNo) -> usize {
        let own = self.sizes.get(&frame).or_else(|| self.sizes.get(&ScopeNo(0)));
        own.copied().unwrap_or(FRAME_SIZE)
    }

    pub fn mind(&self, frame: ScopeNo) -> &[Held] {
        self.frames.get(&frame).map_or(&[], Vec::as_slice)
    }

    pub fn who(&self, actor: ActorNo) -> Who {
        self.actors.get(&actor).cloned().unwrap_or_default()
    }

    pub fn event(&mut self, event: &Event) {
        self.view(event);
        self.standing(event);
        self.objects(event);
        if let Some((item, changes)) = event.body.what.visit() {
            for change in changes {
                self.visit(change.frame, item, event.seq);
            }
        }
        if let Some((context, frame)) = event.body.what.capture() {
            self.captured.insert(event.seq, (context.to_vec(), frame));
        }
        self.ends(event);
    }

    fn visit(&mut self, frame: ScopeNo, item: ItemNo, seq: i64) {
        let size = self.size(frame);
        let mind = self.frames.entry(frame).or_default();
        mind.retain(|held| held.item != item);
        mind.insert(0, Held { item, seq });
        mind.truncate(size);
    }

    fn view(&mut self, event: &Event) {
        let Some(view) = event.view else { return };
        if let Some(opens) = &event.body.opens {
            let frames = opens.streams.iter().map(|entry| entry.frame).collect();
            let (actor, pin) = (event.actor, opens.pin);
            self.views.insert(view, Seen { view, actor, pin, frames, ..Seen::default() });
            for entry in &opens.streams {
                self.ends.insert(entry.frame, view);
            }
            let who = self.actors.entry(event.actor).or_default();
            (who.last, who.current) = (Some(view), Some(view));
        }
        let seen = self.views.entry(view).or_default();
        seen.time = event.time;
        seen.actions += 1;
        seen.capture = event.body.what.capture().map(|(_, frame)| frame).or(seen.capture);
        if let Some((item, _)) = event.body.what.visit()
            && !seen.visited.contains(&item)
        {
            seen.visited.push(item);
        }
        let moves = matches!(event.body.what, What::Left(_) | What::Broke);
        seen.over |= event.body.ends_view || moves;
    }

    fn standing(&mut self, event: &Event) {
        match &event.body.what {
            What::VaultCreated(VaultCreated { main, .. }) => self.main = *main,
            What::Registered(Registered { actor, home, main, .. }) => {
                let (active, primary) = (vec![*main], Some(*main));
                let who = Who { home: *home, active, primary, ..Who::default() };
                self.actors.insert(*actor, who);
            }
            What::Entered(Entered { scope, .. }) => {
                self.actors.entry(event.actor).or_default().active.insert(0, *scope);
            }
            What::Left(Left { scope, .. }) => {
                let who = self.actors.entry(event.actor).or_default();
                who.active.retain(|it| it != scope);
                who.primary = who.primary.filter(|it| it != scope);
            }
            What::Focused(Focused { scope, .. }) => {
                self.actors.entry(event.actor).or_default().primary = Some(*scope);
            }
            What::Broke => {
                let who = self.actors.entry(event.actor).or_default();
                (who.broke, who.last) = (event.seq, None);
            }
            What::Forked(Forked { child, scope, .. }) => {
                let parent = self.who(event.actor);
                let who = Who {
                    home: child.home,
                    active: vec![*scope],
                    primary: Some(*scope),
                    broke: parent.broke,
                    parent: Some(event.actor),
                    ..Who::default()
                };
                self.actors.insert(child.actor, who);
                for (frame, mind) in [(child.home, &child.mind), (*scope, &child.scope_mind)] {
                    let held = mind.iter().map(|it| Held { item: it.item, seq: it.last_seq });
                    self.frames.insert(frame, held.collect());
                }
            }
            What::Set(SettingSet { scope, name, value, .. }) if name == "frame_size" => {
                let (scope, size) = (scope.unwrap_or(ScopeNo(0)), value.as_ref());
                match size.and_then(|size| size.parse().ok()) {
                    Some(size) => self.sizes.insert(scope, size),
                    None => self.sizes.remove(&scope),
                };
            }
            _ => {}
        }
    }

    fn objects(&mut self, event: &Event) {
        match &event.body.what {
            What::Put(ObjectPut { object, named: Some(named), place, .. }) => {
                self.kinds.insert(*object, named.kind.clone());
                self.places.insert(*object, place.iter().map(|place| place.scope).collect());
            }
            What::Placed(Placed { object, place, .. }) => {
                self.places.entry(*object).or_default().push(place.scope);
            }
            What::Displaced(Displaced { object, scope, .. }) => {
                self.places.entry(*object).or_default().retain(|it| it != scope);
            }
            _ => {}
        }
    }

    /// Applies the end of subagents, and of the views and frames that other actors end.
    fn ends(&mut self, event: &Event) {
        let mut over = |views: &[ambit_core::ViewEnded]| {
            for it in views {
                self.views.entry(it.view).or_default().over = true;
            }
        };
        match &event.body.what {
            What::Rejoined(Rejoined { child, home, scope, merge, ended, elsewhere, .. }) => {
                over(ended);
                for entry in &merge.streams {
                    self.ends.insert(entry.frame, merge.view);
                }
                for actor in [*child, merge.parent] {
                    self.actors.entry(actor).or_default().last = Some(merge.view);
                }
                self.actors.entry(*child).or_default().rejoined = Some(event.seq);
                self.frames.remove(home);
                self.leaves_all(*child, elsewhere);
                self.close(*scope);
            }
            What::Abandoned(Abandoned { child, scope, ended, elsewhere }) => {
                over(ended);
                self.actors.entry(*child).or_default().abandoned = Some(event.seq);
                self.leaves_all(*child, elsewhere);
                self.close(*scope);
            }
            What::Tidied(Tidied { ended, frames, .. }) => {
                over(ended);
                for frame in frames {
                    self.frames.remove(frame);
                }
            }
            _ => {}
        }
    }

    fn leaves_all(&mut self, child: ActorNo, elsewhere: &[ScopeNo]) {
        let who = self.actors.entry(child).or_default();
        who.active.retain(|scope| !elsewhere.contains(scope));
        who.primary = who.primary.filter(|scope| !elsewhere.contains(scope));
    }

    fn close(&mut self, scope: ScopeNo) {
        self.closed.insert(scope);
        for who in self.actors.values_mut() {
            // Its streams are fixed, and one of them has ended.
            if who.active.contains(&scope)
                && let Some(view) = who.current
            {
                self.views.entry(view).or_default().over = true;
            }
            who.active.retain(|it| *it != scope);
            who.primary = who.primary.filter(|it| *it != scope);
        }
    }

    /// Returns the frame that a change of an object belongs to (D0-7) at this point.
    pub fn capture_frame(&self, actor: ActorNo, object: ItemNo, pin: Option<ScopeNo>) -> ScopeNo {
        let who = self.who(actor);
        let places = self.places.get(&object).cloned().unwrap_or_default();
        let open: Vec<_> = places.into_iter().filter(|it| !self.closed.contains(it)).collect();
        let chosen = pin.or(who.primary).into_iter().chain(who.active);
        chosen
            .into_iter()
            .find(|it| open.contains(it))
            .or(open.first().copied())
            .unwrap_or(who.home)
    }

    /// Returns an actor's frames: its own, those of its active scopes, and the pinned one.
    pub fn in_mind(&self, actor: ActorNo, pin: Option<ScopeNo>) -> BTreeSet<ScopeNo> {
        let who = self.who(actor);
        who.active.iter().copied().chain([who.home]).chain(pin).collect()
    }
}
