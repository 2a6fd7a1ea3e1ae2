//! Writing: events, contents, and the rows that `changes` says.

use std::collections::BTreeSet;

use ambit_core::search::Bag;
use ambit_core::{
    Change, Content, ContentNo, Done, Here, InView, ItemRow, Logged, NoteRow, OpenCallRow,
    PlaceRow, ScopeNo, ScopeRow, StreamRow, TurnRow, VaultState, ViewRow, VisitRow, Way, changes,
};

use super::{At, bytes, values};
use crate::Result;

/// What stands for a place that is open.
const OPEN: i64 = 0;

impl At<'_> {
    /// Everything that a command brings about, but for the vault's own row: that is written once,
    /// after the last command of the transaction.
    pub(super) fn write(&mut self, done: &Done) -> Result<()> {
        for (content, bag) in done.contents.iter().zip(&done.bags) {
            self.write_content(content, bag)?;
        }
        done.events.iter().try_for_each(|logged| self.write_event(logged))
    }

    /// An event and its rows.
    pub(super) fn write_event(&mut self, logged: &Logged) -> Result<()> {
        let event = &logged.event;
        let view = event.view.map(|view| view.0);
        let (seq, time, actor) = (event.seq, event.time, event.actor.0);
        let hash = bytes(&logged.hash);
        self.exec(
            "event_insert",
            &values![self.vault, seq, time, actor, view, &logged.text, hash],
        )?;
        self.link.wrote(self.vault, seq, &logged.hash);
        let gone: BTreeSet<_> = logged.forgets().iter().copied().collect();
        if !gone.is_empty() {
            self.unindex(&gone)?;
        }
        changes(event).iter().try_for_each(|change| self.write_change(change))
    }

    pub(super) fn insert_vault(&mut self, name: &str, state: &VaultState) -> Result<()> {
        self.exec(
            "vault_insert",
            &values![
                self.vault,
                name,
                state.head_seq,
                bytes(&state.head_hash),
                state.time,
                state.next,
                state.main.0,
                state.scopes,
                state.boundary,
            ],
        )
    }

    pub(super) fn update_vault(&mut self, state: &VaultState) -> Result<()> {
        self.exec(
            "vault_update",
            &values![
                self.vault,
                state.head_seq,
                bytes(&state.head_hash),
                state.time,
                state.next,
                state.main.0,
                state.scopes,
                state.boundary,
            ],
        )
    }

    /// A text, and beside it what it is found by.
    pub(super) fn write_content(&mut self, content: &Content, bag: &Bag) -> Result<()> {
        self.exec(
            "content_insert",
            &values![
                self.vault,
                content.content.0,
                bytes(&content.key),
                content.salt.as_slice(),
                content.digest,
                content.tokens,
                &content.text,
            ],
        )?;
        self.write_bag(content.content, bag)
    }

    fn write_change(&mut self, change: &Change) -> Result<()> {
        let vault = self.vault;
        match change {
            Change::Scope(row) => self.insert_scope(row),
            Change::Enter { actor, scope, seq } => {
                self.exec("presence_enter", &values![vault, actor.0, scope.0, seq])
            }
            Change::Known { actor, scope } => {
                self.exec("presence_known", &values![vault, actor.0, scope.0])
            }
            Change::Leave { actor, scope } => {
                self.exec("presence_leave", &values![vault, actor.0, scope.0])?;
                self.exec("actor_unfocus", &values![vault, actor.0, scope.0])
            }
            Change::Focus { actor, scope } => {
                self.exec("actor_focus", &values![vault, actor.0, scope.0])
            }
            Change::Here { actor, seq, time, here } => self.write_here(actor.0, *seq, *time, here),
            Change::OthersBoundary { scope, actor, seq } => {
                self.exec("presence_others_boundary", &values![vault, scope.0, actor.0, seq])
            }
            Change::InView(in_view) => self.write_in_view(in_view),
            Change::Item(row) => self.insert_item(row),
            Change::Place(row) => self.insert_place(row),
            Change::Note(row) => {
                self.insert_note(row)?;
                self.exec("scope_last_note", &values![vault, row.scope.0, bytes(&row.hash)])
            }
            Change::ClosePlaces { scope, from, to, seq } => {
                self.exec("places_close", &values![vault, scope.0, from, to, seq])?;
                self.exec("calls_close", &values![vault, scope.0, from, to])
            }
            Change::Resum { scope, after } => self.resum(*scope, *after),
            Change::Shows(it) => self.exec(
                "scope_shows",
                &values![
                    vault,
                    it.scope.0,
                    it.head,
                    it.places,
                    it.sum,
                    it.turns,
                    it.notes,
                    it.note_tokens
                ],
            ),
            other => self.write_small(other),
        }
    }

    /// The changes that are one short statement.
    fn write_small(&mut self, change: &Change) -> Result<()> {
        let vault = self.vault;
        match change {
            Change::Actor(row) => self.insert_actor(row),
            Change::View(row) => self.insert_view(row),
            Change::Stream(row) => self.insert_stream(row),
            Change::EndView { view, seq } => self.exec("view_end", &values![vault, view.0, seq]),
            Change::Turn(row) => self.insert_turn(row),
            Change::Visit(row) => self.insert_visit(row),
            Change::Remember { frame, item, seq } => {
                self.exec("frame_remember", &values![vault, frame.0, item.0, seq])
            }
            Change::Evict { frame, item } => {
                self.exec("frame_evict", &values![vault, frame.0, item.0])
            }
            Change::OpenCall(row) => self.insert_call(row),
            Change::Answered { scope, item } => {
                self.exec("call_answered", &values![vault, scope.0, item.0])
            }
            Change::GiveUp { scope, actor } => {
                self.exec("calls_give_up", &values![vault, scope.0, actor.0])
            }
            Change::ClosePlace { scope, position, seq } => {
                self.exec("place_close", &values![vault, scope.0, position, seq])
            }
            Change::Head { scope, seq } => self.exec("scope_head", &values![vault, scope.0, seq]),
            Change::ScopeBoundary { scope, seq } => {
                self.exec("scope_boundary", &values![vault, scope.0, seq])
            }
            Change::Set(row) => self.set(row.scope, &row.name, &row.value),
            Change::Unset { scope, name } => {
                self.exec("setting_unset", &values![vault, scope.0, name])
            }
            // The vault's own row is written once, after the last event.
            Change::VaultBoundary { .. } => Ok(()),
            other => self.write_attention(other),
        }
    }

    pub(super) fn write_forgotten(&mut self, change: &Change) -> Result<()> {
        let vault = self.vault;
        match change {
            Change::ForgetItem { item, seq } => {
                let gone = ContentNo::forgotten(*seq);
                self.exec("item_forget", &values![vault, item.0, gone.0])
            }
            Change::ForgetShape { turn, seq } => {
                let gone = ContentNo::forgotten(*seq);
                self.exec("turn_forget", &values![vault, turn, gone.0])
            }
            Change::ForgetContent { content } => {
                self.exec("content_forget", &values![vault, content.0])
            }
            Change::Mark { scope, position, tokens } => {
                self.exec("place_mark", &values![vault, scope.0, position, tokens])
            }
            // Seen to before.
            Change::Scope(_)
            | Change::Stand(_)
            | Change::Delta(_)
            | Change::Object(_)
            | Change::Version(_)
            | Change::Frame(_)
            | Change::DropFrame { .. }
            | Change::Break { .. }
            | Change::Fate { .. }
            | Change::LastView { .. }
            | Change::Fossil { .. }
            | Change::CloseScope { .. }
            | Change::Enter { .. }
            | Change::Leave { .. }
            | Change::Known { .. }
            | Change::Focus { .. }
            | Change::Here { .. }
            | Change::OthersBoundary { .. }
            | Change::InView(_)
            | Change::Item(_)
            | Change::Place(_)
            | Change::Note(_)
            | Change::ClosePlaces { .. }
            | Change::ClosePlace { .. }
            | Change::Resum { .. }
            | Change::Shows(_)
            | Change::Actor(_)
            | Change::View(_)
            | Change::Stream(_)
            | Change::EndView { .. }
            | Change::Turn(_)
            | Change::Visit(_)
            | Change::Remember { .. }
            | Change::Evict { .. }
            | Change::OpenCall(_)
            | Change::Answered { .. }
            | Change::GiveUp { .. }
            | Change::Head { .. }
            | Change::ScopeBoundary { .. }
            | Change::VaultBoundary { .. }
            | Change::Set(_)
            | Change::Unset { .. } => Ok(()),
        }
    }

    pub(super) fn insert_scope(&mut self, row: &ScopeRow) -> Result<()> {
        self.exec(
            "scope_insert",
            &values![
                self.vault,
                row.scope.0,
                &row.id,
                row.name.as_ref(),
                row.parent.map(|scope| scope.0),
                row.owner.map(|actor| actor.0),
                row.created_seq,
                row.created_at,
                row.head,
                row.next_position,
                row.sum,
                row.messages,
                row.notes,
                row.note_tokens,
                row.boundary,
                row.last_note.as_ref().map(bytes),
                row.inherit.as_str(),
                row.closed_seq,
            ],
        )
    }

    pub(super) fn insert_actor(&mut self, row: &ambit_core::ActorRow) -> Result<()> {
        self.exec(
            "actor_insert",
            &values![
                self.vault,
                row.actor.0,
                &row.id,
                &row.name,
                row.kind.as_str(),
                row.home.0,
                row.primary.map(|scope| scope.0),
                row.view.map(|view| view.0),
                row.view_open,
                row.view_pin.map(|scope| scope.0),
                row.view_capture.map(|scope| scope.0),
                row.view_time,
                row.break_seq,
                row.parent.map(|actor| actor.0),
                row.forked_from.map(|scope| scope.0),
                row.forked_into.map(|scope| scope.0),
                row.depth,
                row.fate.map(|(fate, _)| fate.as_str()),
                row.fate.map(|(_, seq)| seq),
            ],
        )
    }

    fn write_here(&mut self, actor: i64, seq: i64, time: i64, here: &Here) -> Result<()> {
        let boundary = if here.boundary { seq } else { 0 };
        let (answered, answered_seq) = here.answered.map_or((0, 0), |end| (end, seq));
        let (fold, fold_seq) = if here.folds { (answered, answered_seq) } else { (0, 0) };
        self.exec(
            "presence_here",
            &values![
                self.vault,
                actor,
                here.scope.0,
                time,
                boundary,
                fold,
                fold_seq,
                answered,
                answered_seq,
            ],
        )
    }

    fn write_in_view(&mut self, it: &InView) -> Result<()> {
        let capture = it.capture.map(|scope| scope.0);
        let (actor, view) = (it.actor.0, it.view.0);
        match it.opened {
            Some(pin) => {
                let pin = pin.map(|scope| scope.0);
                let row = values![self.vault, actor, view, it.open, capture, it.time, pin];
                self.exec("actor_view_opened", &row)
            }
            None => self
                .exec("actor_view", &values![self.vault, actor, view, it.open, capture, it.time]),
        }
    }

    pub(super) fn insert_item(&mut self, row: &ItemRow) -> Result<()> {
        self.exec(
            "item_insert",
            &values![
                self.vault,
                row.item.0,
                row.kind.as_str(),
                row.form.as_str(),
                row.role.as_str(),
                row.author.0,
                row.turn,
                row.block,
                row.time,
                row.content.0,
                row.call.map(|item| item.0),
                row.object.map(|item| item.0),
            ],
        )
    }

    pub(super) fn insert_place(&mut self, row: &PlaceRow) -> Result<()> {
        self.exec(
            "place_insert",
            &values![
                self.vault,
                row.scope.0,
                row.position,
                row.item.0,
                row.kind.as_str(),
                row.anchor,
                row.first,
                row.tokens,
                row.sum,
                row.from_seq,
                row.to_seq.unwrap_or(OPEN),
                row.kind.in_window(),
                row.kind.of_object(),
            ],
        )
    }

    pub(super) fn insert_note(&mut self, row: &NoteRow) -> Result<()> {
        let (way, other) = match row.way {
            Some(Way::To(scope)) => (Some("to"), Some(scope.0)),
            Some(Way::From(scope)) => (Some("from"), Some(scope.0)),
            None => (None, None),
        };
        self.exec(
            "note_insert",
            &values![
                self.vault,
                row.scope.0,
                row.position,
                row.item.0,
                row.seq,
                bytes(&row.hash),
                row.parent.as_ref().map(bytes),
                row.snapshot,
                way,
                other,
                row.context_frame.0,
            ],
        )
    }

    pub(super) fn insert_view(&mut self, row: &ViewRow) -> Result<()> {
        let previous = row.previous.map(|view| view.0);
        let (started, at, ended) = (row.started_seq, row.started_at, row.ended_seq);
        let (view, actor) = (row.view.0, row.actor.0);
        let (merges, fossil) = (row.merges.map(|frame| frame.0), row.fossil_seq);
        let row =
            values![self.vault, view, &row.id, actor, started, at, previous, ended, merges, fossil];
        self.exec("view_insert", &row)
    }

    pub(super) fn insert_stream(&mut self, row: &StreamRow) -> Result<()> {
        let prev = row.prev.map(|view| view.0);
        let row = values![self.vault, row.frame.0, row.position, row.view.0, prev];
        self.exec("stream_insert", &row)
    }

    pub(super) fn insert_turn(&mut self, row: &TurnRow) -> Result<()> {
        self.exec("turn_insert", &values![self.vault, row.turn, row.shape.0])
    }

    pub(super) fn insert_visit(&mut self, row: &VisitRow) -> Result<()> {
        let (frame, item, actor) = (row.frame.0, row.item.0, row.actor.0);
        self.exec("visit_insert", &values![self.vault, frame, row.seq, item, actor, row.own])
    }

    pub(super) fn insert_call(&mut self, row: &OpenCallRow) -> Result<()> {
        let (scope, item, actor) = (row.scope.0, row.item.0, row.actor.0);
        let row = values![self.vault, scope, item, actor, row.anchor, row.call_id];
        self.exec("call_insert", &row)
    }

    pub(super) fn set(&mut self, scope: ScopeNo, name: &str, value: &str) -> Result<()> {
        self.exec("setting_set", &values![self.vault, scope.0, name, value])
    }

    fn resum(&mut self, scope: ScopeNo, after: i64) -> Result<()> {
        let before = self.sum_before(scope, after + 1)?;
        self.exec("places_resum", &values![self.vault, scope.0, after, before])
    }
}
