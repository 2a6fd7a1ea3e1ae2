//! Writes events, contents, and the rows that `changes` derives from events.

use std::collections::BTreeSet;

use ambit_core::search::Bag;
use ambit_core::{Content, Done, Logged, VaultState, changes};

use super::{At, bytes, values};
use crate::Result;

/// The value of an open place in the column for the closing event.
pub(crate) const OPEN: i64 = 0;

impl At<'_> {
    /// Writes everything that a command changes, except the vault's own row: that is written once,
    /// after the last command of the transaction.
    pub(super) fn write(&mut self, done: &Done) -> Result<()> {
        for (content, bag) in done.contents.iter().zip(&done.bags) {
            self.write_content(content, bag)?;
        }
        done.events.iter().try_for_each(|logged| self.write_event(logged))
    }

    /// Writes an event and its rows.
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
        let gone: BTreeSet<_> = logged.event.body.what.forgets().iter().copied().collect();
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

    /// Writes a text and its term vector.
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
}
