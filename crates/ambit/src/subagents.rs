//! `fork`, `rejoin` and `abandon`.

use ambit_core::{
    Abandon, AbandonAnswer, ActorNo, Answer, Command, Fork, Inherit, Rejoin, Rejoined, What,
    rfc3339,
};
use ambit_store::Snapshot;

use crate::engine::{counted, unexpected};
use crate::names::event;
use crate::{Caller, Engine, ForkLine, RejoinLine, Request, Result};

impl Engine {
    /// Creates a subagent with a frame and a scope of its own, in one transaction.
    ///
    /// ```
    /// # use ambit::{Caller, Engine, Inherit};
    /// # let (engine, me) = (Engine::memory()?, Caller::new("ada"));
    /// engine.note(&me, "login times out after 1 s")?;
    /// let child = engine.fork(&me, "fix-login", "Find out why, and fix it", Inherit::Notes)?;
    /// let sub = Caller::new(&child.actor);
    /// engine.append_text(&sub, "assistant", "The session's length is in seconds.")?;
    /// let back = engine.rejoin(&sub, None, Some("It was the unit: fixed"), false)?;
    /// assert_eq!((back.child_scope.as_str(), back.parent_scope.as_str()), ("fix-login", "main"));
    /// // A subagent that has rejoined cannot write.
    /// assert!(engine.note(&sub, "one more thing").is_err());
    /// # Ok::<(), ambit::Error>(())
    /// ```
    pub fn fork(
        &self,
        caller: &Caller,
        name: &str,
        task: &str,
        inherit: Inherit,
    ) -> Result<ForkLine> {
        let command = Command::Fork(Fork { name: name.into(), task: counted(task), inherit });
        let (answer, mut warnings) = match self.run_texts(caller, command)? {
            (Answer::Forked(answer), warnings) => (answer, warnings),
            (other, _) => return Err(unexpected(&other)),
        };
        let child = Caller {
            actor: answer.actor.clone(),
            scope: Some(answer.scope_id.clone()),
            key: None,
            expect_head: None,
            ..caller.clone()
        };
        // The fork is durable, so a failed composition is only a warning.
        let composition = self.compose(&child, &Request::default());
        let composition = composition.map_err(|error| {
            warnings.push(format!("cannot compose for the subagent yet: {error}"))
        });
        // A pin belongs to the parent: an empty AMBIT_SCOPE overrides it and is ignored.
        let environment = [
            ("AMBIT_ACTOR", answer.actor.as_str()),
            ("AMBIT_SCOPE", ""),
            ("AMBIT_VAULT", &caller.vault),
        ];
        let environment = environment.map(|(name, value)| (name.to_string(), value.to_string()));
        Ok(ForkLine {
            actor: answer.actor,
            actor_id: answer.actor_id,
            scope: answer.scope,
            scope_id: answer.scope_id,
            frame: answer.frame,
            origin: answer.origin,
            inherit: answer.inherit.as_str(),
            in_mind: answer.in_mind,
            note: answer.note.hash,
            event: answer.event,
            environment: environment.into(),
            composition: composition.ok(),
            warnings,
        })
    }

    /// Ends a subagent, by default the caller itself. Its stream ends in a view shared with its
    /// parent's stream, its scope is closed, and the note goes into the scope it was forked from.
    /// Repeating the call returns the first answer.
    pub fn rejoin(
        &self,
        caller: &Caller,
        child: Option<&str>,
        note: Option<&str>,
        deep: bool,
    ) -> Result<RejoinLine> {
        let noted = note.is_some();
        let note = note.map(counted);
        let command = Command::Rejoin(Rejoin { child: child.map(str::to_string), note, deep });
        let (mut answer, mut warnings) = match self.run_texts(caller, command)? {
            (Answer::Rejoined(answer), warnings) => (answer, warnings),
            (other, _) => return Err(unexpected(&other)),
        };
        if answer.view.is_none() {
            // The subagent has rejoined, so a failed read is only a warning.
            match self.read(caller, &mut |snapshot| merged_by(snapshot, answer.event)) {
                Ok(merged) => (answer.view, answer.also) = merged,
                Err(error) => {
                    warnings
                        .push(format!("the subagent has rejoined; cannot read the merge: {error}"));
                }
            }
            if noted {
                let event = answer.event;
                warnings.push(format!(
                    "the subagent already rejoined in event {event}: this note was not stored"
                ));
            }
        }
        Ok(RejoinLine {
            merged_at: rfc3339(answer.merged_at),
            child: answer.child,
            child_scope: answer.child_scope,
            parent_scope: answer.parent_scope,
            view: answer.view,
            event: answer.event,
            also: answer.also,
            warnings,
        })
    }

    /// Returns whether an actor is the caller itself or descends from it by forks. A connection
    /// may act only as such an actor.
    pub fn is_descendant(&self, caller: &Caller, name: &str) -> Result<bool> {
        if caller.actor == name {
            return Ok(true);
        }
        self.read(caller, &mut |snapshot| {
            let Some(own) = snapshot.actor_named(&caller.actor)? else {
                return Ok(false);
            };
            let mut at = snapshot.actor_named(name)?;
            while let Some(row) = at {
                if row.actor == own.actor {
                    return Ok(true);
                }
                at = match row.parent {
                    Some(parent) => snapshot.actors(&[parent])?.pop(),
                    None => None,
                };
            }
            Ok(false)
        })
    }

    /// Abandons a subagent. Its views stay readable; the next tidy drops its frame.
    pub fn abandon(&self, caller: &Caller, child: &str, deep: bool) -> Result<AbandonAnswer> {
        match self.run(caller, Command::Abandon(Abandon { child: child.into(), deep }))? {
            Answer::Abandoned(answer) => Ok(answer),
            other => Err(unexpected(&other)),
        }
    }
}

/// Returns the merge that an event made, and the subagents that rejoined with it: their events
/// come just before, with the same actor and time.
fn merged_by(snapshot: &mut dyn Snapshot, seq: i64) -> Result<(Option<String>, Vec<String>)> {
    let (mut view, mut also) = (None, Vec::new());
    let mut above: Vec<ActorNo> = Vec::new();
    let mut done = None;
    for seq in (1..=seq).rev() {
        let Some(logged) = event(snapshot, seq)?.map(|it| it.event) else { break };
        let by = (logged.actor, logged.time);
        let What::Rejoined(Rejoined { child, merge, .. }) = logged.body.what else { break };
        let Some(row) = snapshot.actors(&[child])?.pop() else { break };
        let below = row.parent.is_some_and(|parent| above.contains(&parent));
        match view {
            None => (view, done) = (Some(merge.id), Some(by)),
            Some(_) if below && done == Some(by) => also.push(row.name),
            Some(_) => break,
        }
        above.push(child);
    }
    also.reverse();
    Ok((view, also))
}
