//! What events of attention do to the tables: visits, captures, objects, forks and merges.

use std::collections::BTreeSet;

use super::Changes;
use crate::{
    ActorKind, ActorNo, ActorRow, Change, Child, Container, DeltaRow, Event, Fate, Form, FrameRow,
    ItemKind, ItemNo, ItemRow, NewPlace, ObjectRow, PlaceRow, Role, ScopeNo, Shows, StandRow,
    Stands, StreamRow, VersionRow, ViewEnded, ViewRow, VisitRow, What,
};

impl Changes<'_> {
    pub(super) fn attention(&mut self) {
        let Event { seq, actor, .. } = *self.event;
        match &self.event.body.what {
            What::Registered { main, .. } => {
                let stands = Stands { primary: Some(*main), active: vec![*main] };
                self.push(Change::Stand(StandRow { actor, seq, stands }));
            }
            What::Entered { stands: Some(stands), .. }
            | What::Left { stands: Some(stands), .. }
            | What::Focused { stands: Some(stands), .. } => {
                self.push(Change::Stand(StandRow { actor, seq, stands: stands.clone() }));
            }
            What::Put { .. } => self.put(),
            What::Placed { object, place, .. } => self.placed(*object, place),
            What::Displaced { scope, position, .. } => {
                let (scope, position) = (*scope, *position);
                self.push(Change::ClosePlace { scope, position, seq });
                self.push(Change::Head { scope, seq });
            }
            What::Forked { child, scope, scope_id, name, from, inherit, last_note } => {
                let mut row = self.new_scope(*scope, scope_id, Some(name), Some(*from));
                (row.last_note, row.inherit) = (*last_note, *inherit);
                self.push(Change::Scope(row));
                self.forked(child, name, *from, *scope);
            }
            What::Rejoined { child, scope, ended, elsewhere, .. } => {
                self.leaves_all(*child, elsewhere);
                self.ends(*child, *scope, Fate::Rejoined, ended);
            }
            What::Abandoned { child, scope, ended, elsewhere } => {
                self.leaves_all(*child, elsewhere);
                self.ends(*child, *scope, Fate::Abandoned, ended);
            }
            What::Tidied { ended, frames, fossils } => {
                self.views_ended(ended);
                self.out.extend(frames.iter().map(|frame| Change::DropFrame { frame: *frame }));
                for it in fossils {
                    let (view, ended_seq) = (it.view, it.ended_seq);
                    self.push(Change::Fossil { view, ended_seq, seq });
                }
            }
            _ => {}
        }
        self.captured();
        self.visited();
    }

    fn put(&mut self) {
        let Event { seq, actor: author, time, .. } = *self.event;
        let What::Put { object, item, version, text, named, place, .. } = &self.event.body.what
        else {
            return;
        };
        let (object, item, version) = (*object, *item, *version);
        self.push(Change::Item(ItemRow {
            item,
            kind: ItemKind::Object,
            form: Form::Text,
            role: Role::System,
            author,
            turn: seq,
            block: 0,
            time,
            content: text.content,
            call: None,
            object: Some(object),
        }));
        if let Some(named) = named {
            self.push(Change::Object(ObjectRow {
                item: object,
                id: named.id.clone(),
                name: named.name.clone(),
                kind: named.kind.clone(),
                created_seq: seq,
                versions: 1,
                latest: item,
                latest_seq: seq,
            }));
        }
        self.push(Change::Version(VersionRow { object, version, seq, item }));
        if let Some(place) = place {
            self.placed(object, place);
        }
    }

    fn placed(&mut self, object: ItemNo, place: &NewPlace) {
        let seq = self.event.seq;
        let NewPlace { scope, position, sum } = *place;
        self.push(Change::Place(PlaceRow {
            scope,
            position,
            item: object,
            kind: ItemKind::Object,
            anchor: position,
            first: true,
            tokens: 0,
            sum,
            from_seq: seq,
            to_seq: None,
        }));
        self.push(Change::Shows(Shows { places: 1, ..Shows::of(scope, seq, sum) }));
    }

    /// A change, for the frame that it was captured from and for all in whose streams it stands.
    fn captured(&mut self) {
        let (seq, what) = (self.event.seq, &self.event.body.what);
        let Some((_, frame)) = what.capture() else {
            return;
        };
        let item = match what {
            What::Noted { item, .. } => *item,
            What::Put { object, .. }
            | What::Placed { object, .. }
            | What::Displaced { object, .. } => *object,
            _ => return,
        };
        let visited = what.visit().map_or(&[][..], |(_, frames)| frames);
        let told_in = self.event.body.told_in.iter().copied().chain([frame]);
        let told: BTreeSet<ScopeNo> = visited.iter().map(|it| it.frame).chain(told_in).collect();
        for frame in told {
            self.push(Change::Delta(DeltaRow { frame, seq, item }));
        }
    }

    fn visited(&mut self) {
        let Event { seq, actor, .. } = *self.event;
        let Some((item, frames)) = self.event.body.what.visit() else {
            return;
        };
        for (index, change) in frames.iter().enumerate() {
            let (frame, own) = (change.frame, index == 0);
            self.push(Change::Visit(VisitRow { frame, seq, item, actor, own }));
            for evicted in &change.evicted {
                self.push(Change::Evict { frame, item: *evicted });
            }
            self.push(Change::Remember { frame, item, seq });
        }
    }

    fn forked(&mut self, child: &Child, name: &str, from: ScopeNo, scope: ScopeNo) {
        let Event { seq, actor: parent, .. } = *self.event;
        let actor = child.actor;
        let mut home = self.new_scope(child.home, &child.home_id, None, None);
        home.owner = Some(actor);
        self.push(Change::Scope(home));
        self.push(Change::Actor(ActorRow {
            actor,
            id: child.id.clone(),
            name: name.to_string(),
            kind: ActorKind::Subagent,
            home: child.home,
            primary: Some(scope),
            view: None,
            view_open: false,
            view_pin: None,
            view_capture: None,
            view_time: 0,
            break_seq: child.break_seq,
            parent: Some(parent),
            forked_from: Some(from),
            forked_into: Some(scope),
            depth: child.depth,
            fate: None,
        }));
        self.push(Change::Enter { actor, scope, seq });
        let stands = Stands { primary: Some(scope), active: vec![scope] };
        self.push(Change::Stand(StandRow { actor, seq, stands }));
        for (frame, containers) in [(child.home, &child.mind), (scope, &child.scope_mind)] {
            for Container { item, last_seq, visits } in containers.iter().cloned() {
                self.push(Change::Frame(FrameRow { scope: frame, item, last_seq, visits }));
            }
        }
    }

    fn views_ended(&mut self, ended: &[ViewEnded]) {
        let seq = self.event.seq;
        for it in ended {
            self.push(Change::EndView { view: it.view, seq });
            self.push(Change::LastView { actor: it.actor, view: it.view });
        }
    }

    /// Who has come to its end waits for nothing, wherever it was.
    fn leaves_all(&mut self, actor: ActorNo, elsewhere: &[ScopeNo]) {
        let seq = self.event.seq;
        for scope in elsewhere.iter().copied() {
            self.push(Change::GiveUp { scope, actor });
            self.push(Change::Leave { actor, scope });
        }
        if !elsewhere.is_empty() {
            let stands = Stands { primary: None, active: Vec::new() };
            self.push(Change::Stand(StandRow { actor, seq, stands }));
        }
    }

    /// A subagent's end, but for the merge.
    fn ends(&mut self, child: ActorNo, scope: ScopeNo, fate: Fate, ended: &[ViewEnded]) {
        let seq = self.event.seq;
        self.views_ended(ended);
        self.push(Change::GiveUp { scope, actor: child });
        self.push(Change::CloseScope { scope, seq });
        self.push(Change::Fate { actor: child, fate, seq });
    }

    /// The merge stands in both streams, and is the last view of both actors: after whatever view
    /// the event itself belongs to.
    pub(super) fn merged(&mut self) {
        let Event { seq, time, actor, .. } = *self.event;
        if self.event.body.what == What::Broke {
            self.push(Change::Break { actor, seq });
        }
        let What::Rejoined { child, home, merge, .. } = &self.event.body.what else {
            return;
        };
        let view = merge.view;
        self.push(Change::View(ViewRow {
            view,
            id: merge.id.clone(),
            actor: merge.parent,
            started_seq: seq,
            started_at: time,
            previous: merge.previous,
            ended_seq: Some(seq),
            merges: Some(*home),
            fossil_seq: None,
        }));
        for entry in &merge.streams {
            let (frame, prev) = (entry.frame, entry.prev);
            self.push(Change::Stream(StreamRow { frame, position: seq, view, prev }));
        }
        for actor in [merge.parent, *child] {
            self.push(Change::LastView { actor, view });
        }
        self.push(Change::DropFrame { frame: *home });
    }
}
