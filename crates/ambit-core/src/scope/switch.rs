//! `scope` and `goto`: leaves one scope for another and writes a note, in one command.

use crate::decide::{Draft, Stop};
use crate::note::Written;
use crate::{
    Answer, Counted, Key, NameRefusal, NoteRef, ScopeCreated, ScopeNo, ScopeRefusal, SwitchAnswer,
    Way, What, check_label,
};

impl Draft<'_> {
    /// Opens a new scope and goes there. The note is written in the scope that is left.
    pub(crate) fn scope(&mut self, name: &str, note: &Counted) -> Result<Answer, Stop> {
        let origin = self.may_switch("scope")?;
        check_label("scope", name, self.setting(ScopeNo::VAULT, Key::NameCharsMax))?;
        self.check_note(note)?;
        match self.state.find_scope(name).map(|there| there.closed_seq) {
            Some(Some(event)) => {
                return Err(ScopeRefusal::NameClosed { name: name.into(), event }.into());
            }
            Some(None) => {
                let (cannot, by, name) = ("open scope", "a scope", name.into());
                return Err(NameRefusal::Taken { cannot, by, name }.into());
            }
            None => {}
        }
        self.check_scopes(name)?;
        self.ensure_actor()?;
        let scope = ScopeNo(self.allot());
        let hash = self.write_note(Written::here(origin), note, Some(Way::To(scope)))?;
        let parent = self.state.vault.main;
        let what = What::ScopeCreated(ScopeCreated {
            scope,
            id: self.fresh.id("scp"),
            name: name.to_string(),
            parent,
            last_note: self.row(parent)?.last_note,
        });
        self.emit(what, Vec::new())?;
        let carried = self.carry(origin, scope)?;
        self.clear_if(origin, Key::ClearOnScope)?;
        self.move_over(origin, scope)?;
        self.switched(origin, scope, hash.to_hex(), carried)
    }

    /// Goes to an existing scope. The note is written in the destination.
    pub(crate) fn goto(&mut self, name: &str, note: &Counted) -> Result<Answer, Stop> {
        let origin = self.may_switch("goto")?;
        let destination = self.state.open_scope(name)?.scope;
        self.check_note(note)?;
        if destination == origin {
            return Err(ScopeRefusal::Current { name: name.into() }.into());
        }
        self.ensure_actor()?;
        let carried = self.carry(origin, destination)?;
        self.clear_if(origin, Key::ClearOnGoto)?;
        self.move_over(origin, destination)?;
        let hash = self.write_note(Written::here(destination), note, Some(Way::From(origin)))?;
        self.switched(origin, destination, hash.to_hex(), carried)
    }

    /// Returns the scope to leave.
    fn may_switch(&self, verb: &'static str) -> Result<ScopeNo, Stop> {
        self.unpinned(verb)?;
        Ok(self.working()?.scope)
    }

    /// Refuses a new scope if the vault already has `scopes_max` of them.
    pub(crate) fn check_scopes(&self, name: &str) -> Result<(), Stop> {
        let (scopes, max) = (self.state.vault.scopes, self.setting(ScopeNo::VAULT, Key::ScopesMax));
        match scopes >= max {
            true => Err(ScopeRefusal::TooMany { name: name.into(), scopes, max }.into()),
            false => Ok(()),
        }
    }

    fn move_over(&mut self, origin: ScopeNo, destination: ScopeNo) -> Result<(), Stop> {
        self.leaves(origin)?;
        if !self.state.active_scopes().contains(&destination) {
            self.enters(destination)?;
        }
        self.focuses(destination)
    }

    fn switched(
        &self,
        origin: ScopeNo,
        scope: ScopeNo,
        hash: String,
        carried: i64,
    ) -> Result<Answer, Stop> {
        Ok(Answer::Switched(SwitchAnswer {
            scope: self.state.scope_name(scope),
            origin: self.state.scope_name(origin),
            note: NoteRef { hash },
            head: self.row(scope)?.head,
            carried,
            warnings: Vec::new(),
        }))
    }
}
