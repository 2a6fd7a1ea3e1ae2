//! Writes events, contents, and the rows that `changes` derives from events.

mod actor;
mod forget;
mod frame;
mod item;
mod message;
mod note;
mod object;
mod scope;
mod setting;
mod view;

use std::collections::BTreeSet;

use ambit_core::search::Bag;
use ambit_core::{Change, Content, Done, Logged, VaultState, changes};

use super::{At, bytes, map, values};
use crate::Result;

/// The value of an open place in the column for the closing event.
const OPEN: i64 = 0;

impl At<'_> {
    /// Writes everything that a command changes, except the vault's own row: that is written once,
    /// after the last command of the transaction.
    pub(in crate::tables) fn write(&mut self, done: &Done) -> Result<()> {
        for (content, bag) in done.contents.iter().zip(&done.bags) {
            self.write_content(content, bag)?;
        }
        done.events.iter().try_for_each(|logged| self.write_event(logged))
    }

    /// Writes an event and its rows.
    pub(in crate::tables) fn write_event(&mut self, logged: &Logged) -> Result<()> {
        let event = &logged.event;
        let view = event.view.map(|view| view.0);
        let (seq, time, actor) = (event.seq, event.time, event.actor.0);
        let hash = bytes(&logged.hash);
        self.exec(
            "event_insert",
            &values![self.vault, seq, time, actor, view, &logged.text, hash],
        )?;
        self.link.wrote(self.vault, seq, &logged.hash);
        let gone: BTreeSet<_> = logged.event.body.what.forgets().iter().copied().collect();
        if !gone.is_empty() {
            self.unindex(&gone)?;
        }
        changes(event).iter().try_for_each(|change| self.write_change(change))
    }

    pub(in crate::tables) fn insert_vault(&mut self, name: &str, state: &VaultState) -> Result<()> {
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

    pub(in crate::tables) fn update_vault(&mut self, state: &VaultState) -> Result<()> {
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

    /// Writes a text and its term vector.
    pub(in crate::tables) fn write_content(&mut self, content: &Content, bag: &Bag) -> Result<()> {
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
        match change {
            // The vault's own row is written once, after the last event.
            Change::Vault(_) => Ok(()),
            Change::Actor(change) => self.write_actor(change),
            Change::Scope(change) => self.write_scope(change),
            Change::Item(change) => self.write_item(change),
            Change::Message(change) => self.write_message(change),
            Change::Note(change) => self.write_note(change),
            Change::Object(change) => self.write_object(change),
            Change::Frame(change) => self.write_frame(change),
            Change::View(change) => self.write_view(change),
            Change::Setting(change) => self.write_setting(change),
            Change::Forget(change) => self.write_forget(change),
        }
    }
}
