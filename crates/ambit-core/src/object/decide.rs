//! `put`, `revert` and `place`: decides changes of objects. Each change stores its capture.

use crate::decide::{Act, Draft, Stop};
use crate::{
    Answer, Captured, ContentRef, Counted, Delta, Displaced, ItemNo, Key, Named, NewPlace,
    ObjectPut, ObjectRefusal, ObjectRevert, ObjectState, PlaceAnswer, Placed, PresenceChange, Put,
    PutAnswer, RevertConflict, RevertLine, RevertedAnswer, ScopeNo, What, check_label,
    check_object, check_unlike_handles,
};

impl Draft<'_> {
    pub(crate) fn put(&mut self, put: &Put) -> Result<Answer, Stop> {
        self.check_text(&put.text)?;
        if let Some(known) = self.state.objects.remove(&put.object) {
            return self.put_next(put, &known);
        }
        if put.object.starts_with("obj_") {
            return Err(no_object(&put.object).into());
        }
        check_object(&put.object, self.setting(ScopeNo::VAULT, Key::ObjectCharsMax))?;
        check_unlike_handles(&put.object)?;
        let kind = put.kind.as_deref().unwrap_or("artifact");
        check_label("type", kind, self.setting(ScopeNo::VAULT, Key::NameCharsMax))?;
        let scope = match &put.scope {
            Some(name) => self.state.open_scope(name)?.clone(),
            None => self.working()?,
        };
        self.ensure_actor()?;
        let text = self.content(&put.text);
        let object = ItemNo(self.allot());
        let delta = self.delta(object, scope.scope, self.substantive(kind))?;
        let id = self.fresh.id("obj");
        let (name, kind) = (put.object.clone(), kind.to_string());
        let place = self.next_place(scope.scope)?;
        let here = self.here_if_scope(scope.scope);
        self.emit(
            What::Put(ObjectPut {
                object,
                item: object,
                version: 1,
                text,
                named: Some(Named { id: id.clone(), name: name.clone(), kind: kind.clone() }),
                place: Some(place),
                parent: None,
                reverts: None,
                delta: delta.clone(),
            }),
            here,
        )?;
        Ok(self.put_answer((id, name, kind), (1, None), delta))
    }

    /// Writes the next version of an existing object.
    fn put_next(&mut self, put: &Put, known: &ObjectState) -> Result<Answer, Stop> {
        let row = &known.row;
        if let Some(kind) = put.kind.as_ref().filter(|kind| **kind != row.kind) {
            let (name, of_type) = (row.name.clone(), row.kind.clone());
            return Err(ObjectRefusal::OtherType { name, of_type, asked: kind.clone() }.into());
        }
        if put.scope.is_some() {
            return Err(ObjectRefusal::ScopeGiven { name: row.name.clone() }.into());
        }
        self.ensure_actor()?;
        let text = self.content(&put.text);
        // An unchanged text does not make a version.
        if known.text == Some(text.content) {
            let (name, version) = (row.name.clone(), row.versions);
            return Err(ObjectRefusal::Unchanged { name, version }.into());
        }
        let delta = self.next_version(known, text, None)?;
        let names = (row.id.clone(), row.name.clone(), row.kind.clone());
        Ok(self.put_answer(names, (row.versions + 1, Some(row.latest_seq)), delta))
    }

    fn next_version(
        &mut self,
        known: &ObjectState,
        text: ContentRef,
        reverts: Option<i64>,
    ) -> Result<Delta, Stop> {
        let row = &known.row;
        let frame = self.capture_frame(known)?;
        let substantive = self.substantive(&row.kind);
        let delta = self.delta(row.item, frame, substantive)?;
        let (here, item) = (self.here_if_scope(frame), ItemNo(self.allot()));
        self.emit(
            What::Put(ObjectPut {
                object: row.item,
                item,
                version: row.versions + 1,
                text,
                named: None,
                place: None,
                parent: Some(row.latest_seq),
                reverts,
                delta: delta.clone(),
            }),
            here,
        )?;
        Ok(delta)
    }

    /// Reverts all changes that can be reverted. An object that has changed since the selection was
    /// made is a conflict and stays as it is.
    pub(crate) fn revert(
        &mut self,
        reverts: &[ObjectRevert],
        conflicts: &[RevertConflict],
    ) -> Result<Answer, Stop> {
        let mut objects = std::mem::take(&mut self.state.objects);
        let (mut reverted, mut conflicts) = (Vec::new(), conflicts.to_vec());
        let max = self.setting(ScopeNo::VAULT, Key::ObjectBytesMax);
        for revert in reverts {
            let event = revert.events.first().copied().unwrap_or_default();
            let Some(known) = objects.remove(&revert.object) else {
                return Err(no_object(&revert.object).into());
            };
            let (id, name) = (known.row.id.clone(), known.row.name.clone());
            let bytes = revert.text.text.len() as i64;
            let why = match known.row.versions {
                now if now != revert.versions => format!("it has version {now} by now"),
                // The text was forgotten since the changes were found.
                _ if !self.state.texts.contains_key(&revert.text.text) => {
                    format!("version {} was forgotten", revert.to)
                }
                _ if bytes > max => {
                    format!("version {} has {bytes} bytes; object_bytes_max is {max}", revert.to)
                }
                _ => {
                    self.ensure_actor()?;
                    let text = self.content(&revert.text);
                    // The object has this text already: an earlier command reverted the change.
                    if known.text == Some(text.content) {
                        continue;
                    }
                    self.next_version(&known, text, Some(event))?;
                    let (events, version) = (revert.events.clone(), Some(known.row.versions + 1));
                    reverted.push(RevertLine { id, name, events, back_to: revert.to, version });
                    continue;
                }
            };
            conflicts.push(RevertConflict { id, name, event, why });
        }
        let event = self.state.vault.head_seq;
        Ok(Answer::Reverted(RevertedAnswer { reverted, conflicts, event }))
    }

    fn put_answer(
        &self,
        (id, name, kind): (String, String, String),
        (version, parent): (i64, Option<i64>),
        delta: Delta,
    ) -> Answer {
        let event = self.state.vault.head_seq;
        let delta = captured(delta);
        Answer::Put(PutAnswer { id, name, kind, version, event, delta, parent })
    }

    fn check_text(&self, text: &Counted) -> Result<(), Stop> {
        let (bytes, max) = (text.text.len(), self.setting(ScopeNo::VAULT, Key::ObjectBytesMax));
        if bytes as i64 > max {
            return Err(ObjectRefusal::TooLarge { bytes, max }.into());
        }
        Ok(())
    }

    pub(crate) fn place(&mut self, object: &str, scope: &str, out: bool) -> Result<Answer, Stop> {
        let known = self.state.objects.remove(object).ok_or_else(|| no_object(object))?;
        let row = self.state.open_scope(scope)?;
        let (scope, name) = (row.scope, row.name.clone().unwrap_or_default());
        let held = known.places.iter().find(|place| place.scope == scope).copied();
        if held.is_some() != out {
            let (name, scope) = (known.row.name, name);
            return Err(match out {
                true => ObjectRefusal::NotPlaced { name, scope },
                false => ObjectRefusal::Placed { name, scope },
            }
            .into());
        }
        self.ensure_actor()?;
        let frame = self.capture_frame(&known)?;
        let substantive = self.substantive(&known.row.kind);
        let delta = self.delta(known.row.item, frame, substantive)?;
        let (object, delta_of) = (known.row.item, delta.clone());
        let what = match held {
            Some(place) => What::Displaced(Displaced {
                object,
                scope,
                position: place.position,
                delta: delta_of,
            }),
            None => {
                What::Placed(Placed { object, place: self.next_place(scope)?, delta: delta_of })
            }
        };
        let here = self.here_if_scope(frame);
        self.emit(what, here)?;
        Ok(Answer::Placed(PlaceAnswer {
            id: known.row.id,
            name: known.row.name,
            scope: name,
            out,
            event: self.state.vault.head_seq,
            delta: captured(delta),
        }))
    }

    fn next_place(&self, scope: ScopeNo) -> Result<NewPlace, Stop> {
        let row = self.row(scope)?;
        Ok(NewPlace { scope, position: row.next_position, sum: row.sum })
    }

    /// Returns the frame that a change of an object is captured from: that of the primary scope if
    /// the object is there, else of the most recently entered active scope that has it, else of the
    /// scope that it joined first. For an object in no open scope, the actor's own frame is used.
    fn capture_frame(&self, known: &ObjectState) -> Result<ScopeNo, Stop> {
        let holds = |scope: &ScopeNo| known.places.iter().any(|place| place.scope == *scope);
        let primary = match self.pinned()? {
            Some(pin) => Some(pin),
            None => self.state.actor.as_ref().and_then(|actor| actor.primary),
        };
        let active = self.state.active_scopes();
        let first = known.places.first().map(|place| place.scope);
        let home = self.state.actor.as_ref().map(|actor| actor.home);
        let found = primary.into_iter().chain(active).find(holds).or(first).or(home);
        Ok(found.unwrap_or(self.state.vault.main))
    }

    /// Whether a change of an object of this type is also a visit.
    fn substantive(&self, kind: &str) -> bool {
        self.state.settings.is_substantive(kind)
    }

    /// Returns the change of the actor's presence if the frame is that of a scope. A capture from
    /// the actor's own frame changes no presence.
    fn here_if_scope(&self, frame: ScopeNo) -> Vec<PresenceChange> {
        let known = self.state.scopes.contains_key(&frame);
        known.then(|| self.presence_change(frame, Act::Other)).into_iter().collect()
    }
}

fn captured(delta: Delta) -> Captured {
    Captured { context: delta.context, context_frame: delta.context_frame }
}

fn no_object(named: &str) -> ObjectRefusal {
    ObjectRefusal::Missing { named: named.into() }
}
