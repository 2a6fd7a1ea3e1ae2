//! Checks that an imported log could have been written by Ambit: every event references existing
//! rows, uses free numbers and names, and has the right sums. The hash chain cannot show that: it
//! only shows that the log was not changed after it was written, by whatever program.

use std::collections::{BTreeSet, HashMap, HashSet};

use ambit_core::{
    Class, ContentNo, Event, Hash, ItemNo, Logged, Millis, ScopeNo, What, changes, check_label,
};

use crate::Rows;
use crate::rows::Table;

/// The last time with a four-digit year.
const TIME_MAX: Millis = 253_402_300_799_999;

/// The longest name under any setting.
const NAME_CHARS_MAX: i64 = 1_000;

pub(crate) type Checked = Result<(), String>;

/// Checks a log event by event, up to the first that is invalid.
#[derive(Default)]
pub struct Sound {
    pub rows: Rows,
    pub(crate) ids: HashSet<String>,
    /// The names of rows, each with its table.
    names: HashSet<(&'static str, String)>,
    pub(crate) notes: BTreeSet<Hash>,
    /// The notes and insights that have a place.
    pub(crate) placed: HashSet<ItemNo>,
    /// How many items and turns use each text.
    pub(crate) text_uses: HashMap<ContentNo, i64>,
    /// How many texts are no longer used and not forgotten yet.
    pub(crate) unused: i64,
    /// The token sums of the current event's scopes, with the places that it has opened so far.
    pub(crate) sums: HashMap<ScopeNo, i64>,
}

pub(crate) fn ensure(holds: bool, why: &str) -> Checked {
    if holds { Ok(()) } else { Err(why.to_string()) }
}

impl Sound {
    /// Checks one event and applies it. Returns the reason if the event is invalid; no event can be
    /// checked after that.
    pub fn follow(&mut self, logged: &Logged) -> Checked {
        let event = &logged.event;
        self.event(event)?;
        self.sums.clear();
        self.frames(event)?;
        self.check_statements(event)?;
        let changes = changes(event);
        for change in changes {
            self.check(&change)?;
            self.rows.change(change);
        }
        self.rows.vault.follow(logged);
        self.adds_up(event)
    }

    /// Checks the actor, the time and the view of an event.
    fn event(&self, event: &Event) -> Checked {
        let first = self.rows.vault.head_seq == 0;
        ensure(event.seq == self.rows.vault.head_seq + 1, "it is out of order")?;
        let now = self.rows.vault.time..=TIME_MAX;
        ensure(now.contains(&event.time) && event.time >= 0, "its time is out of order")?;
        let opens = event.body.opens.as_ref();
        let creates = matches!(event.body.what, What::VaultCreated(_));
        if creates {
            ensure(first && event.actor.0 == 0, "a vault is created once, and first")?;
            return ensure(event.view.is_none() && opens.is_none(), "it has no view");
        }
        ensure(!first, "a log begins with the vault's creation")?;
        if let What::Registered(it) = &event.body.what {
            ensure(event.actor == it.actor, "an actor registers itself")?;
            return ensure(event.view.is_none() && opens.is_none(), "it has no view");
        }
        ensure(self.rows.actors.contains_key(&event.actor), "its actor is not registered")?;
        let Some(view) = event.view else {
            return Err("it has no view".into());
        };
        match opens {
            Some(opens) => ensure(opens.view == view, "it opens another view than its own"),
            None => {
                let own = self.rows.views.get(&view).map(|row| row.actor);
                ensure(own == Some(event.actor), "its view is not its actor's")
            }
        }
    }

    /// Checks what an event states about the rows before it. For most events, checking their
    /// changes is enough.
    fn check_statements(&self, event: &Event) -> Checked {
        match &event.body.what {
            What::Entered(it) => self.entered(event.actor, it),
            What::Left(it) => self.left(event.actor, it),
            What::Focused(it) => self.focused(event.actor, it),
            What::Forked(it) => self.forked(event, it),
            What::Rejoined(it) => self.rejoined(event, it),
            What::Abandoned(it) => self.abandoned(it),
            What::Tidied(it) => self.tidied(it),
            // Other events state nothing that their changes do not show.
            _ => Ok(()),
        }
    }

    pub(crate) fn id(&mut self, id: &str, prefix: &str) -> Checked {
        let digits = id.strip_prefix(prefix).unwrap_or_default();
        let fits = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f' | b'-');
        ensure(digits.len() == 36 && digits.bytes().all(fits), "its id is invalid")?;
        ensure(self.ids.insert(id.to_string()), "its id is taken")
    }

    /// Checks that no other row of the table has the row's name.
    pub(crate) fn name<T: Table>(&mut self, row: &T) -> Checked {
        let free = row.name().is_none_or(|name| self.names.insert((T::NAME, name.to_string())));
        ensure(free, &format!("its {}'s name is taken", T::NAME))
    }

    /// Checks that the totals in the event match the places of its scopes.
    fn adds_up(&self, event: &Event) -> Checked {
        ensure(self.unused == 0, "it leaves a text that nothing uses")?;
        match &event.body.what {
            What::Appended(it) => {
                ensure(!it.blocks.is_empty(), "a message has at least one block")?;
                self.places_follow(it.scope)
            }
            What::Noted(it) => self.places_follow(it.scope),
            What::Rewound(it) => self.recount(it.scope),
            What::Cleared(it) => self.recount(it.scope),
            What::Carried(it) => {
                self.recount(it.from)?;
                self.recount(it.to)
            }
            What::Retracted(it) => {
                let place = self.rows.places.get(&(ScopeNo::VAULT, it.position));
                ensure(place.is_some_and(|place| place.item == it.item), "it retracts another")?;
                self.recount(ScopeNo::VAULT)
            }
            What::Forgotten(it) => {
                let marked = it.marks.iter().map(|mark| mark.scope);
                let scopes: BTreeSet<_> =
                    it.scopes.iter().map(|it| it.scope).chain(marked).collect();
                scopes.into_iter().try_for_each(|scope| self.recount(scope))
            }
            // Other events do not change a scope's totals.
            _ => Ok(()),
        }
    }

    fn places_follow(&self, scope: ScopeNo) -> Checked {
        let row = self.rows.scopes.get(&scope);
        let next = self.next_place(scope);
        ensure(row.is_some_and(|row| row.next_position == next), "a place is missing")
    }

    fn recount(&self, scope: ScopeNo) -> Checked {
        let (mut sum, mut turns, mut notes, mut note_tokens) = (0, 0, 0, 0);
        for place in self.rows.open_places(scope) {
            sum += place.tokens;
            match place.kind.policy().class {
                Class::Block => turns += i64::from(place.first),
                Class::Version => {}
                Class::Note => (notes, note_tokens) = (notes + 1, note_tokens + place.tokens),
            }
        }
        let counted = (sum, turns, notes, note_tokens);
        let row = self.rows.scopes.get(&scope);
        let said = row.map(|row| (row.sum, row.messages, row.notes, row.note_tokens));
        ensure(said == Some(counted), "its scope's totals do not add up")
    }
}

pub(crate) fn label(what: &str, name: &str) -> Checked {
    check_label(what, name, NAME_CHARS_MAX).map_err(|error| error.to_string())
}
