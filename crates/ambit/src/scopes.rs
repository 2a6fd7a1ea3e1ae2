//! Scopes: `scope`, `goto`, `enter`, `leave`, `focus`, `where` and `scopes`.

use ambit_core::{
    Answer, Command, Enter, Focus, Goto, Leave, Needs, OpenScope, StandsAnswer, SwitchAnswer,
    rfc3339,
};

use crate::answers::{ScopeLine, ScopesAnswer, WhereAnswer};
use crate::engine::{counted, read_state, unexpected};
use crate::{Caller, Engine, Result};

impl Engine {
    /// Opens a new scope and goes there. The note stays in the origin and says why.
    ///
    /// ```
    /// # use ambit::{Caller, Engine};
    /// # let (engine, me) = (Engine::memory()?, Caller::new("ada"));
    /// let went = engine.scope(&me, "step-1", "Investigating the timeout")?;
    /// assert_eq!((went.scope.as_str(), went.origin.as_str()), ("step-1", "main"));
    /// // The note that remains in main:
    /// let notes = engine.notes(&me, Some("main"))?.notes;
    /// assert_eq!(notes[0].message, "[→ step-1] Investigating the timeout");
    /// # Ok::<(), ambit::Error>(())
    /// ```
    pub fn scope(&self, caller: &Caller, name: &str, note: &str) -> Result<SwitchAnswer> {
        let command = Command::Scope(OpenScope { name: name.into(), note: counted(note) });
        match self.run_texts(caller, command)? {
            (Answer::Switched(answer), warnings) => Ok(SwitchAnswer { warnings, ..answer }),
            (other, _) => Err(unexpected(&other)),
        }
    }

    /// Goes to an existing scope. The note is written on arrival and says what the actor brings.
    ///
    /// ```
    /// # use ambit::{Caller, Engine};
    /// # let (engine, me) = (Engine::memory()?, Caller::new("ada"));
    /// engine.scope(&me, "step-1", "Investigating the timeout")?;
    /// let back = engine.goto(&me, "main", "Fixed the session's length")?;
    /// assert_eq!(back.origin, "step-1");
    /// let error = engine.goto(&me, "nowhere", "off").unwrap_err();
    /// assert_eq!(error.to_string(), "there is no scope named \"nowhere\"");
    /// # Ok::<(), ambit::Error>(())
    /// ```
    pub fn goto(&self, caller: &Caller, name: &str, note: &str) -> Result<SwitchAnswer> {
        let command = Command::Goto(Goto { name: name.into(), note: counted(note) });
        match self.run_texts(caller, command)? {
            (Answer::Switched(answer), warnings) => Ok(SwitchAnswer { warnings, ..answer }),
            (other, _) => Err(unexpected(&other)),
        }
    }

    /// Activates a scope: from now on its stream includes the caller's actions.
    ///
    /// ```
    /// # use ambit::{Caller, Engine};
    /// # let (engine, me) = (Engine::memory()?, Caller::new("ada"));
    /// engine.scope(&me, "alpha", "a project")?;
    /// let stands = engine.enter(&me, "main")?;
    /// assert_eq!(stands.active_scopes, ["main", "alpha"]);
    /// // Entering a scope does not focus it.
    /// assert_eq!(stands.primary_scope.as_deref(), Some("alpha"));
    /// assert_eq!(engine.focus(&me, "main")?.primary_scope.as_deref(), Some("main"));
    /// # Ok::<(), ambit::Error>(())
    /// ```
    pub fn enter(&self, caller: &Caller, scope: &str) -> Result<StandsAnswer> {
        self.run_switch(caller, Command::Enter(Enter { scope: scope.into() }))
    }

    /// Deactivates a scope. Its stream pauses until an actor enters it.
    pub fn leave(&self, caller: &Caller, scope: &str) -> Result<StandsAnswer> {
        self.run_switch(caller, Command::Leave(Leave { scope: scope.into() }))
    }

    /// Makes one of the active scopes the primary one.
    pub fn focus(&self, caller: &Caller, scope: &str) -> Result<StandsAnswer> {
        self.run_switch(caller, Command::Focus(Focus { scope: scope.into() }))
    }

    pub(crate) fn run_switch(&self, caller: &Caller, command: Command) -> Result<StandsAnswer> {
        match self.run(caller, command)? {
            Answer::Stands(answer) => Ok(answer),
            other => Err(unexpected(&other)),
        }
    }

    /// Returns the names of the active scopes, most recently entered first.
    pub fn active_scopes(&self, caller: &Caller) -> Result<Vec<String>> {
        Ok(self.where_am_i(caller)?.active_scopes)
    }

    pub fn primary_scope(&self, caller: &Caller) -> Result<Option<String>> {
        Ok(self.where_am_i(caller)?.primary_scope)
    }

    /// Returns the actor's primary and active scopes.
    pub fn where_am_i(&self, caller: &Caller) -> Result<WhereAnswer> {
        let context = self.context(caller);
        self.read(caller, &mut |snapshot| {
            let state = read_state(snapshot, &Needs::of(&context))?;
            let scope = match context.pin.as_deref() {
                Some(pin) => Some(state.scope_named(pin)?),
                None => state.working_scope(None).ok(),
            };
            let actor = state.actor.as_ref();
            let mut active = state.active_scopes();
            // A pinned scope counts as active, for this command.
            if let Some(row) = scope
                && !active.contains(&row.scope)
            {
                active.insert(0, row.scope);
            }
            Ok(WhereAnswer {
                vault: caller.vault.clone(),
                actor: actor.map_or_else(|| caller.actor.clone(), |actor| actor.name.clone()),
                registered: actor.is_some(),
                kind: actor.map_or(caller.kind, |actor| actor.kind).as_str().to_string(),
                primary_scope: scope.and_then(|row| row.name.clone()),
                active_scopes: active.into_iter().map(|it| state.scope_name(it)).collect(),
                head: scope.map(|row| row.head),
                messages: scope.map_or(0, |row| row.messages),
                notes: scope.map_or(0, |row| row.notes),
                tokens: scope.map_or(0, |row| row.sum),
                open_calls: state
                    .calls
                    .iter()
                    .filter(|call| scope.is_some_and(|row| row.scope == call.scope))
                    .count() as i64,
                ended: actor.and_then(|actor| actor.fate).map(|(fate, _)| fate.as_str()),
            })
        })
    }

    /// Returns all scopes, in the order in which they were opened.
    pub fn scopes(&self, caller: &Caller) -> Result<ScopesAnswer> {
        let context = self.context(caller);
        let needs = Needs { all_scopes: true, ..Needs::of(&context) };
        self.read(caller, &mut |snapshot| {
            let state = read_state(snapshot, &needs)?;
            let current = state.working_scope(context.pin.as_deref()).ok().map(|it| it.scope);
            let active = state.active_scopes();
            let line = |row: &ambit_core::ScopeRow| ScopeLine {
                id: row.id.clone(),
                name: row.name.clone().unwrap_or_default(),
                current: Some(row.scope) == current,
                active: active.contains(&row.scope),
                parent: row.parent.map(|parent| state.scope_name(parent)),
                messages: row.messages,
                notes: row.notes,
                tokens: row.sum,
                head: row.head,
                created_at: rfc3339(row.created_at),
                closed: row.closed_seq.is_some(),
            };
            let mut rows: Vec<_> = state.scopes.values().map(|scope| &scope.row).collect();
            rows.sort_by_key(|row| row.created_seq);
            Ok(ScopesAnswer { scopes: rows.into_iter().map(line).collect() })
        })
    }
}
