//! Whether a log that comes from elsewhere could be one of ours: every event refers to what is
//! there, takes what is free, and adds up. A chain of hashes only tells that a log is the one that
//! somebody wrote; who wrote it may not be us.

mod attention;

use std::collections::{BTreeSet, HashMap, HashSet};

use ambit_core::{
    Change, Class, ContentNo, Event, Hash, ItemNo, ItemRow, Logged, Millis, PlaceRow, ScopeNo,
    ScopeRow, Setting, Way, What, changes, check_label,
};

use crate::Rows;

/// The last moment that is written with a year of four digits.
const TIME_MAX: Millis = 253_402_300_799_999;

/// What a name may have at the most, whatever the vault's setting.
const NAME_CHARS_MAX: i64 = 1_000;

type Checked = Result<(), String>;

/// Follows a log event by event, and stops at the first that cannot be.
#[derive(Default)]
pub struct Sound {
    pub rows: Rows,
    ids: HashSet<String>,
    scope_names: HashSet<String>,
    actor_names: HashSet<String>,
    object_names: HashSet<String>,
    notes: BTreeSet<Hash>,
    /// Notes and insights that have a place.
    placed: HashSet<ItemNo>,
    /// How many items and turns bear each text.
    bearers: HashMap<ContentNo, i64>,
    /// How many texts nothing bears any more that are not forgotten yet.
    left: i64,
    /// What the scopes of the event at hand show after the places it has opened so far.
    sums: HashMap<ScopeNo, i64>,
}

fn hold(holds: bool, why: &str) -> Checked {
    if holds { Ok(()) } else { Err(why.to_string()) }
}

impl Sound {
    /// Follows one event, unless it is unsound: then it says why, and is of no more use.
    pub fn follow(&mut self, logged: &Logged) -> Checked {
        let event = &logged.event;
        self.event(event)?;
        self.sums.clear();
        self.mind(event)?;
        let changes = changes(event);
        for change in changes {
            self.change(&change)?;
            self.rows.change(change);
        }
        self.rows.vault.follow(logged);
        self.adds_up(event)
    }

    /// Who, when, and in which view.
    fn event(&self, event: &Event) -> Checked {
        let first = self.rows.vault.head_seq == 0;
        hold(event.seq == self.rows.vault.head_seq + 1, "it is out of order")?;
        let now = self.rows.vault.time..=TIME_MAX;
        hold(now.contains(&event.time) && event.time >= 0, "its time is out of order")?;
        let opens = event.body.opens.as_ref();
        match &event.body.what {
            What::VaultCreated { .. } => {
                hold(first && event.actor.0 == 0, "a vault is created once, and first")?;
                return hold(event.view.is_none() && opens.is_none(), "it has no view");
            }
            What::Registered { actor, .. } => {
                hold(!first && event.actor == *actor, "an actor registers itself")?;
                return hold(event.view.is_none() && opens.is_none(), "it has no view");
            }
            _ => hold(!first, "a log begins with the vault's creation")?,
        }
        hold(self.rows.actors.contains_key(&event.actor), "its actor is not registered")?;
        let Some(view) = event.view else {
            return Err("it has no view".into());
        };
        match opens {
            Some(opens) => hold(opens.view == view, "it opens another view than its own"),
            None => {
                let own = self.rows.views.get(&view).map(|row| row.actor);
                hold(own == Some(event.actor), "its view is not its actor's")
            }
        }
    }

    fn change(&mut self, change: &Change) -> Checked {
        let rows = &self.rows;
        match change {
            Change::Scope(row) => self.scope(row),
            Change::Actor(row) => {
                hold(!rows.actors.contains_key(&row.actor), "its number is taken")?;
                self.scope_there(row.home)?;
                self.id(&row.id, "act_")?;
                label("actor", &row.name)?;
                hold(self.actor_names.insert(row.name.clone()), "an actor has that name")
            }
            Change::Enter { actor, scope, .. }
            | Change::Leave { actor, scope }
            | Change::Known { actor, scope }
            | Change::Focus { actor, scope } => {
                hold(rows.actors.contains_key(actor), "its actor is not there")?;
                self.scope_there(*scope)
            }
            Change::View(row) => {
                hold(!rows.views.contains_key(&row.view), "its number is taken")?;
                self.id(&row.id, "viw_")
            }
            Change::Stream(row) => {
                self.scope_there(row.frame)?;
                hold(rows.views.contains_key(&row.view), "its view is not there")?;
                let key = (row.frame, row.position, row.view);
                hold(!rows.streams.contains_key(&key), "a view stands in a stream once")
            }
            Change::EndView { view, .. } => {
                hold(rows.views.contains_key(view), "its view is not there")
            }
            Change::InView(it) => {
                let there = rows.actors.contains_key(&it.actor);
                hold(there && rows.views.contains_key(&it.view), "its view is not there")?;
                it.opened.flatten().map_or(Ok(()), |pin| self.scope_there(pin))
            }
            Change::Item(row) => self.item(row),
            Change::Turn(row) => {
                hold(!rows.turns.contains_key(&row.turn), "its number is taken")?;
                self.bears(row.shape)
            }
            Change::Place(row) => self.place(row),
            other => self.change_more(other),
        }
    }

    fn change_more(&mut self, change: &Change) -> Checked {
        let rows = &self.rows;
        match change {
            Change::Note(row) => {
                let place = rows.places.get(&(row.scope, row.position));
                hold(place.is_some_and(|it| it.item == row.item), "its place is not there")?;
                let other = row.way.map(|(Way::To(scope) | Way::From(scope))| scope);
                // A note on leaving for a new scope is written before that is opened.
                let known = row.parent.is_none_or(|parent| self.notes.contains(&parent));
                hold(known && other.is_none_or(|it| it.0 > 0), "what it refers to is not there")?;
                hold(self.notes.insert(row.hash), "a note has that hash")
            }
            Change::Visit(row) => {
                let home = rows.actors.get(&row.actor).map(|actor| actor.home);
                hold(row.own == (home == Some(row.frame)), "the first frame is the actor's own")?;
                let known = rows.items.contains_key(&row.item);
                let new = !rows.visits.contains_key(&(row.frame, row.seq));
                hold(known && new, "what it visits is not there")
            }
            Change::Remember { frame, item, .. } => {
                hold(rows.items.contains_key(item), "what it visits is not there")?;
                self.scope_there(*frame)
            }
            Change::Evict { frame, item } => {
                hold(rows.frames.contains_key(&(*frame, *item)), "what is evicted was not there")
            }
            Change::OpenCall(row) => {
                let key = (row.scope, row.item);
                hold(!rows.calls.contains_key(&key), "that call is open already")
            }
            Change::Answered { scope, .. }
            | Change::GiveUp { scope, .. }
            | Change::ClosePlaces { scope, .. }
            | Change::Head { scope, .. }
            | Change::OthersBoundary { scope, .. } => self.scope_there(*scope),
            Change::Resum { scope, .. } | Change::ScopeBoundary { scope, .. } => {
                self.shows_places(*scope)
            }
            Change::ClosePlace { scope, position, .. } => {
                let place = rows.places.get(&(*scope, *position));
                let open = place.is_some_and(|it| it.to_seq.is_none());
                hold(open, "what is retracted is not shown")
            }
            Change::Shows(shows) => {
                self.shows_places(shows.scope)?;
                let sum = self.sums.get(&shows.scope);
                hold(sum.is_none_or(|sum| *sum == shows.sum), "its sum does not add up")
            }
            Change::Here { here, .. } => {
                let known = here.answered.is_none_or(|end| end >= 0);
                hold(known, "it answers nothing that was")?;
                self.scope_there(here.scope)
            }
            Change::VaultBoundary { .. } => Ok(()),
            Change::Set(row) => self.setting(row.scope, &row.name, Some(&row.value)),
            Change::Unset { scope, name } => self.setting(*scope, name, None),
            other => self.attention(other),
        }
    }

    fn forget(&mut self, change: &Change) -> Checked {
        match change {
            Change::ForgetItem { item, .. } => {
                let content = self.rows.items.get(item).map(|row| row.content);
                self.bears_no_more(content)
            }
            Change::ForgetShape { turn, .. } => {
                let content = self.rows.turns.get(turn).map(|row| row.shape);
                self.bears_no_more(content)
            }
            Change::ForgetContent { content } => {
                let bearers = self.bearers.remove(content);
                self.left -= 1;
                hold(bearers == Some(0), "a text is forgotten that is still borne, or never was")
            }
            Change::Mark { scope, position, tokens } => {
                let place = self.rows.places.get(&(*scope, *position));
                let open = place.is_some_and(|it| it.to_seq.is_none());
                hold(open && *tokens >= 0, "a mark stands where nothing is shown")
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
            | Change::Actor(_)
            | Change::Enter { .. }
            | Change::Leave { .. }
            | Change::Known { .. }
            | Change::Focus { .. }
            | Change::View(_)
            | Change::Stream(_)
            | Change::EndView { .. }
            | Change::InView(_)
            | Change::Item(_)
            | Change::Turn(_)
            | Change::Place(_)
            | Change::Note(_)
            | Change::Visit(_)
            | Change::Remember { .. }
            | Change::Evict { .. }
            | Change::OpenCall(_)
            | Change::Answered { .. }
            | Change::GiveUp { .. }
            | Change::ClosePlaces { .. }
            | Change::ClosePlace { .. }
            | Change::Resum { .. }
            | Change::Shows(_)
            | Change::Head { .. }
            | Change::Here { .. }
            | Change::ScopeBoundary { .. }
            | Change::OthersBoundary { .. }
            | Change::VaultBoundary { .. }
            | Change::Set(_)
            | Change::Unset { .. } => Ok(()),
        }
    }

    /// Whether there is a scope that people act in.
    fn scope_there(&self, scope: ScopeNo) -> Checked {
        hold(scope != ScopeNo::VAULT, "nobody acts in the vault's own scope")?;
        self.shows_places(scope)
    }

    fn shows_places(&self, scope: ScopeNo) -> Checked {
        hold(self.rows.scopes.contains_key(&scope), "its scope is not there")
    }

    fn id(&mut self, id: &str, prefix: &str) -> Checked {
        let digits = id.strip_prefix(prefix).unwrap_or_default();
        let fits = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f' | b'-');
        hold(digits.len() == 36 && digits.bytes().all(fits), "its id is none")?;
        hold(self.ids.insert(id.to_string()), "something has that id")
    }

    fn scope(&mut self, row: &ScopeRow) -> Checked {
        hold(!self.rows.scopes.contains_key(&row.scope), "its number is taken")?;
        // It has no more to it than its number.
        if row.scope == ScopeNo::VAULT && row.name.is_none() && row.owner.is_none() {
            return Ok(());
        }
        hold(row.scope.0 > 0, "its number is none")?;
        row.parent.map_or(Ok(()), |parent| self.scope_there(parent))?;
        self.id(&row.id, "scp_")?;
        let Some(name) = &row.name else {
            return Ok(());
        };
        label("scope", name)?;
        hold(self.scope_names.insert(name.clone()), "a scope has that name")
    }

    fn item(&mut self, row: &ItemRow) -> Checked {
        hold(!self.rows.items.contains_key(&row.item), "its number is taken")?;
        let known = row.call.is_none_or(|call| self.rows.items.contains_key(&call));
        hold(known, "the call it answers is not there")?;
        let placed = row.placed_as();
        let known = placed == row.item || self.rows.items.contains_key(&placed);
        hold(known, "the object it belongs to is not there")?;
        self.bears(row.content)
    }

    fn bears(&mut self, content: ContentNo) -> Checked {
        hold(content.0 > 0, "its text is none")?;
        *self.bearers.entry(content).or_default() += 1;
        Ok(())
    }

    fn bears_no_more(&mut self, content: Option<ContentNo>) -> Checked {
        let bearers = content.and_then(|content| self.bearers.get_mut(&content));
        match bearers {
            Some(count) if *count > 0 => {
                *count -= 1;
                self.left += i64::from(*count == 0);
                Ok(())
            }
            _ => Err("what it forgets is not there".into()),
        }
    }

    /// Places follow each other without a gap, each with the sum up to it.
    fn place(&mut self, row: &PlaceRow) -> Checked {
        self.shows_places(row.scope)?;
        let of_vault = row.scope == ScopeNo::VAULT;
        hold(of_vault == row.kind.of_vault(), "the vault's own scope has insights alone")?;
        let item = self.rows.items.get(&row.item);
        hold(
            item.is_some_and(|it| it.kind == row.kind),
            "its item is not there, or of another kind",
        )?;
        // Messages are carried from scope to scope; a note stays where it was written.
        let stays = row.kind.policy().class == Class::Note;
        let moved = stays && !self.placed.insert(row.item);
        hold(!moved, "a note has one place")?;
        hold(row.position == self.next_place(row.scope), "its place is not the next one")?;
        hold((0..=row.position).contains(&row.anchor), "its batch begins nowhere")?;
        let before = self.rows.scopes.get(&row.scope).map_or(0, |scope| scope.sum);
        let sum = self.sums.entry(row.scope).or_insert(before);
        *sum += row.tokens;
        hold(row.tokens >= 0 && row.sum == *sum, "its sum does not add up")
    }

    fn next_place(&self, scope: ScopeNo) -> i64 {
        let all = self.rows.places.range((scope, 0)..=(scope, i64::MAX));
        all.map(|(_, place)| place.position + 1).next_back().unwrap_or(0)
    }

    fn setting(&self, scope: ScopeNo, name: &str, value: Option<&str>) -> Checked {
        let setting = Setting::find(name).map_err(|error| error.message)?;
        if scope.0 != 0 {
            self.scope_there(scope)?;
            hold(setting.per_scope, "that setting is the vault's alone")?;
        }
        match value {
            Some(value) => setting.parse(value).map(|_| ()).map_err(|error| error.message),
            None => Ok(()),
        }
    }

    /// What the event says that scopes show is what their places come to.
    fn adds_up(&self, event: &Event) -> Checked {
        hold(self.left == 0, "a text stays that nothing bears any more")?;
        let scopes: BTreeSet<ScopeNo> = match &event.body.what {
            What::Rewound { scope, .. } | What::Cleared { scope, .. } => [*scope].into(),
            What::Carried { from, to, .. } => [*from, *to].into(),
            What::Retracted { item, position, .. } => {
                let place = self.rows.places.get(&(ScopeNo::VAULT, *position));
                hold(place.is_some_and(|it| it.item == *item), "it retracts another")?;
                [ScopeNo::VAULT].into()
            }
            What::Forgotten { scopes, marks, .. } => {
                let marked = marks.iter().map(|it| it.scope);
                scopes.iter().map(|it| it.scope).chain(marked).collect()
            }
            What::Appended { blocks, .. } if blocks.is_empty() => {
                return Err("a message has at least one block".into());
            }
            What::Appended { scope, .. } | What::Noted { scope, .. } => {
                let row = self.rows.scopes.get(scope);
                let next = self.next_place(*scope);
                return hold(
                    row.is_some_and(|row| row.next_position == next),
                    "a place is missing",
                );
            }
            _ => return Ok(()),
        };
        scopes.into_iter().try_for_each(|scope| self.recount(scope))
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
        hold(said == Some(counted), "what it says its scope shows does not add up")
    }
}

fn label(what: &str, name: &str) -> Checked {
    check_label(what, name, NAME_CHARS_MAX).map_err(|error| error.message)
}
