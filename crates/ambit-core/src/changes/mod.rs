//! `changes`: what an event does to the tables. Stores apply it when an event is written, and so
//! does replay, so that rebuilding from the log gives the same rows.

mod attention;

use crate::{
    ActorKind, ActorRow, Change, Event, Form, InView, Inherit, ItemKind, ItemRow, Mark, Move,
    NoteRow, OpenCallRow, PlaceRow, Remains, Role, ScopeNo, ScopeRow, SettingRow, Shows, StreamRow,
    TurnRow, ViewRow, What,
};

/// The id of the vault's own scope: it comes with the first insight.
const VAULT_ID: &str = "scp_vault";

/// What an event does to the tables, in order.
pub fn changes(event: &Event) -> Vec<Change> {
    let mut out = Changes { event, out: Vec::new() };
    out.here();
    out.what();
    out.attention();
    out.view();
    out.merged();
    out.out
}

struct Changes<'a> {
    event: &'a Event,
    out: Vec<Change>,
}

impl Changes<'_> {
    fn push(&mut self, change: Change) {
        self.out.push(change);
    }

    fn here(&mut self) {
        let Event { actor, seq, time, .. } = *self.event;
        for here in &self.event.body.here {
            if here.gives_up {
                self.push(Change::GiveUp { scope: here.scope, actor });
            }
            self.push(Change::Here { actor, seq, time, here: here.clone() });
        }
    }

    fn view(&mut self) {
        let Event { actor, seq, time, view, .. } = *self.event;
        let Some(view) = view else {
            return;
        };
        if let Some(opens) = &self.event.body.opens {
            self.push(Change::View(ViewRow {
                view,
                id: opens.id.clone(),
                actor,
                started_seq: seq,
                started_at: time,
                previous: opens.previous,
                ended_seq: None,
                merges: None,
                fossil_seq: None,
            }));
            for entry in &opens.streams {
                let (frame, prev) = (entry.frame, entry.prev);
                self.push(Change::Stream(StreamRow { frame, position: seq, view, prev }));
            }
            if let Some(scope) = opens.pin {
                self.push(Change::Known { actor, scope });
            }
        }
        let ends = self.event.body.ends_view;
        if ends {
            self.push(Change::EndView { view, seq });
        }
        let capture = self.event.body.what.capture().map(|(_, frame)| frame);
        let opened = self.event.body.opens.as_ref().map(|opens| opens.pin);
        self.push(Change::InView(InView { actor, view, opened, open: !ends, capture, time }));
    }

    fn what(&mut self) {
        let Event { seq, actor, .. } = *self.event;
        match &self.event.body.what {
            What::VaultCreated { main, main_id, .. } => {
                let main = self.new_scope(*main, main_id, Some("main"), None);
                self.push(Change::Scope(main));
            }
            What::Registered { id, name, kind, home, home_id, main, .. } => {
                self.registered(id, name, *kind, *home, home_id, *main);
            }
            What::ScopeCreated { scope, id, name, parent, last_note } => {
                let mut row = self.new_scope(*scope, id, Some(name), Some(*parent));
                row.last_note = *last_note;
                self.push(Change::Scope(row));
            }
            What::Entered { scope, .. } => self.push(Change::Enter { actor, scope: *scope, seq }),
            What::Left { scope, .. } => self.push(Change::Leave { actor, scope: *scope }),
            What::Focused { scope, .. } => self.push(Change::Focus { actor, scope: *scope }),
            What::Appended { .. } => self.appended(),
            What::Noted { .. } => self.noted(),
            What::Carried { .. } => self.carried(),
            What::Rewound { scope, after, hidden_turns, sum, .. } => {
                self.close(*scope, after + 1, i64::MAX);
                self.push(Change::Resum { scope: *scope, after: *after });
                self.hidden(*scope, *hidden_turns, *sum);
                self.push(Change::ScopeBoundary { scope: *scope, seq });
            }
            What::Cleared { scope, kept, hidden_turns, sum } => {
                let mut from = 0;
                for anchor in kept.iter().copied().chain([i64::MAX]) {
                    self.close(*scope, from, anchor - 1);
                    from = anchor.saturating_add(1);
                }
                self.push(Change::Resum { scope: *scope, after: -1 });
                self.hidden(*scope, *hidden_turns, *sum);
                self.push(Change::ScopeBoundary { scope: *scope, seq });
            }
            What::Set { scope, name, value, boundary } => {
                self.set(*scope, name, value.as_deref(), *boundary);
            }
            What::Retracted { position, shown, sum, .. } => {
                let (scope, position) = (ScopeNo::VAULT, *position);
                self.push(Change::ClosePlace { scope, position, seq });
                self.push(Change::Resum { scope, after: position });
                let gone = Shows { notes: -1, note_tokens: -shown, ..Shows::of(scope, seq, *sum) };
                self.push(Change::Shows(gone));
                self.push(Change::VaultBoundary { seq });
            }
            What::Forgotten { .. } => self.forgotten(),
            // Seen to by `attention`.
            What::Broke
            | What::Put { .. }
            | What::Visited { .. }
            | What::Placed { .. }
            | What::Displaced { .. }
            | What::Forked { .. }
            | What::Rejoined { .. }
            | What::Abandoned { .. }
            | What::Tidied { .. } => {}
        }
    }

    fn forgotten(&mut self) {
        let seq = self.event.seq;
        let What::Forgotten { items, shapes, contents, marks, scopes, everywhere } =
            &self.event.body.what
        else {
            return;
        };
        self.out.extend(items.iter().map(|item| Change::ForgetItem { item: *item, seq }));
        self.out.extend(shapes.iter().map(|turn| Change::ForgetShape { turn: *turn, seq }));
        self.out.extend(contents.iter().map(|it| Change::ForgetContent { content: *it }));
        for mark in marks {
            let Mark { scope, position, shown } = *mark;
            self.push(Change::Mark { scope, position, tokens: shown });
        }
        for remains in scopes {
            let Remains { scope, after, sum, note_tokens } = *remains;
            self.push(Change::Resum { scope, after });
            let shows = Shows { note_tokens, ..Shows::of(scope, seq, sum) };
            self.push(Change::Shows(shows));
            self.push(Change::ScopeBoundary { scope, seq });
        }
        if *everywhere {
            self.push(Change::VaultBoundary { seq });
        }
    }

    fn new_scope(
        &self,
        scope: ScopeNo,
        id: &str,
        name: Option<&str>,
        parent: Option<ScopeNo>,
    ) -> ScopeRow {
        ScopeRow {
            scope,
            id: id.to_string(),
            name: name.map(str::to_string),
            parent,
            owner: None,
            created_seq: self.event.seq,
            created_at: self.event.time,
            head: self.event.seq,
            next_position: 0,
            sum: 0,
            messages: 0,
            notes: 0,
            note_tokens: 0,
            boundary: 0,
            last_note: None,
            inherit: Inherit::Notes,
            closed_seq: None,
        }
    }

    fn registered(
        &mut self,
        id: &str,
        name: &str,
        kind: ActorKind,
        home: ScopeNo,
        home_id: &str,
        main: ScopeNo,
    ) {
        let Event { seq, actor, .. } = *self.event;
        let mut frame = self.new_scope(home, home_id, None, None);
        frame.owner = Some(actor);
        self.push(Change::Scope(frame));
        self.push(Change::Actor(ActorRow {
            actor,
            id: id.to_string(),
            name: name.to_string(),
            kind,
            home,
            primary: Some(main),
            view: None,
            view_open: false,
            view_pin: None,
            view_capture: None,
            view_time: 0,
            break_seq: 0,
            parent: None,
            forked_from: None,
            forked_into: None,
            depth: 0,
            fate: None,
        }));
        self.push(Change::Enter { actor, scope: main, seq });
    }

    fn appended(&mut self) {
        let Event { seq, actor: author, time, .. } = *self.event;
        let What::Appended { scope, role, position, anchor, blocks, shape, sum } =
            &self.event.body.what
        else {
            return;
        };
        if let Some(shape) = shape {
            self.push(Change::Turn(TurnRow { turn: seq, shape: shape.content }));
        }
        let mut shown = sum - blocks.iter().map(|block| block.shown).sum::<i64>();
        for (number, block) in (0..).zip(blocks) {
            self.push(Change::Item(ItemRow {
                item: block.item,
                kind: ItemKind::Message,
                form: block.form,
                role: *role,
                author,
                turn: seq,
                block: number,
                time,
                content: block.text.content,
                call: block.call,
                object: None,
            }));
            shown += block.shown;
            self.push(Change::Place(PlaceRow {
                scope: *scope,
                position: position + number,
                item: block.item,
                kind: ItemKind::Message,
                anchor: *anchor,
                first: number == 0,
                tokens: block.shown,
                sum: shown,
                from_seq: seq,
                to_seq: None,
            }));
            if let Some(call_id) = block.call_id {
                let (scope, anchor, item) = (*scope, *anchor, block.item);
                let row = OpenCallRow { scope, actor: author, anchor, item, call_id };
                self.push(Change::OpenCall(row));
            }
        }
        let mut answered: Vec<_> = blocks.iter().filter_map(|block| block.call).collect();
        answered.dedup();
        for item in answered {
            self.push(Change::Answered { scope: *scope, item });
        }
        self.push(Change::Shows(Shows {
            scope: *scope,
            head: seq,
            places: blocks.len() as i64,
            sum: *sum,
            turns: 1,
            notes: 0,
            note_tokens: 0,
        }));
    }

    fn noted(&mut self) {
        let Event { seq, actor: author, time, .. } = *self.event;
        let What::Noted { scope, item, position, sum, text, shown, hash, parent, .. } =
            &self.event.body.what
        else {
            return;
        };
        let What::Noted { snapshot, way, context_frame, .. } = &self.event.body.what else {
            return;
        };
        let (scope, item, position) = (*scope, *item, *position);
        let insight = scope == ScopeNo::VAULT;
        let kind = if insight { ItemKind::Insight } else { ItemKind::Note };
        if insight && position == 0 {
            let row = self.new_scope(scope, VAULT_ID, None, None);
            self.push(Change::Scope(row));
        }
        self.push(Change::Item(ItemRow {
            item,
            kind,
            form: Form::Text,
            role: Role::System,
            author,
            turn: seq,
            block: 0,
            time,
            content: text.content,
            call: None,
            object: None,
        }));
        self.push(Change::Place(PlaceRow {
            scope,
            position,
            item,
            kind,
            anchor: position,
            first: true,
            tokens: *shown,
            sum: *sum,
            from_seq: seq,
            to_seq: None,
        }));
        self.push(Change::Note(NoteRow {
            scope,
            position,
            item,
            seq,
            hash: *hash,
            parent: *parent,
            snapshot: *snapshot,
            way: *way,
            context_frame: *context_frame,
        }));
        self.push(Change::Shows(Shows {
            scope,
            head: seq,
            places: 1,
            sum: *sum,
            turns: 0,
            notes: 1,
            note_tokens: *shown,
        }));
        // Whoever reads anywhere is shown it in front.
        if insight {
            self.push(Change::VaultBoundary { seq });
        }
    }

    fn carried(&mut self) {
        let Event { seq, actor, .. } = *self.event;
        let What::Carried { from, to, from_anchor, to_anchor, moves, from_sum, to_sum } =
            &self.event.body.what
        else {
            return;
        };
        let turns = moves.iter().filter(|it| it.first).count() as i64;
        self.close(*from, *from_anchor, *from_anchor);
        self.push(Change::Resum { scope: *from, after: *from_anchor });
        self.hidden(*from, turns, *from_sum);
        for moved in moves {
            self.carried_item(*to, *to_anchor, moved);
        }
        self.push(Change::Shows(Shows {
            scope: *to,
            head: seq,
            places: moves.len() as i64,
            sum: *to_sum,
            turns,
            notes: 0,
            note_tokens: 0,
        }));
        self.push(Change::OthersBoundary { scope: *from, actor, seq });
    }

    fn carried_item(&mut self, scope: ScopeNo, anchor: i64, moved: &Move) {
        let Event { seq, actor, .. } = *self.event;
        let item = moved.item;
        self.push(Change::Place(PlaceRow {
            scope,
            position: moved.position,
            item,
            kind: ItemKind::Message,
            anchor,
            first: moved.first,
            tokens: moved.shown,
            sum: moved.sum,
            from_seq: seq,
            to_seq: None,
        }));
        if let Some(call_id) = moved.open {
            self.push(Change::OpenCall(OpenCallRow { scope, actor, anchor, item, call_id }));
        }
    }

    fn close(&mut self, scope: ScopeNo, from: i64, to: i64) {
        if from <= to {
            self.push(Change::ClosePlaces { scope, from, to, seq: self.event.seq });
        }
    }

    fn hidden(&mut self, scope: ScopeNo, turns: i64, sum: i64) {
        let shows = Shows { turns: -turns, ..Shows::of(scope, self.event.seq, sum) };
        self.push(Change::Shows(shows));
    }

    fn set(&mut self, scope: Option<ScopeNo>, name: &str, value: Option<&str>, boundary: bool) {
        let seq = self.event.seq;
        let owner = scope.unwrap_or(ScopeNo::VAULT);
        let name = name.to_string();
        self.push(match value {
            Some(value) => Change::Set(SettingRow { scope: owner, name, value: value.to_string() }),
            None => Change::Unset { scope: owner, name },
        });
        if let Some(scope) = scope {
            self.push(Change::Head { scope, seq });
        }
        match (boundary, scope) {
            (true, Some(scope)) => self.push(Change::ScopeBoundary { scope, seq }),
            (true, None) => self.push(Change::VaultBoundary { seq }),
            (false, _) => {}
        }
    }
}
