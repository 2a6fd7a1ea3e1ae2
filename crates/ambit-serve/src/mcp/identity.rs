//! Who acts: the actor that was named, else the client by its own name. Each of two live processes
//! of one client holds a name of its own in the store.

use std::sync::{Mutex, MutexGuard, PoisonError};

use ambit::{Kind, NameLock};
use ambit_verbs::{Failure, Session};

/// How many processes of one client may live at once, on one vault.
const NAMESAKES_MAX: usize = 100;

/// How much of a client's name is kept.
const NAME_CHARS_MAX: usize = 60;

/// The name of a client that sends no usable name.
const NAMELESS: &str = "agent";

pub struct Identity {
    /// As the process was started.
    given: Session,
    settled: Mutex<Option<Settled>>,
}

struct Settled {
    session: Session,
    /// Releases the name at the end.
    _lock: Option<NameLock>,
}

impl Identity {
    pub fn new(given: Session) -> Identity {
        Identity { given, settled: Mutex::new(None) }
    }

    /// The session of this process: the store open, and who acts settled. It is settled by the
    /// first call that finds a store, and stays so.
    pub fn session(&self, client: Option<&str>) -> Result<Session, Failure> {
        let mut settled = self.lock();
        if let Some(settled) = settled.as_ref() {
            return Ok(settled.session.clone());
        }
        let engine = self.given.engine()?;
        let mut session = Session { opened: Some(engine.clone()), ..self.given.clone() };
        let mut lock = None;
        if !session.named {
            let name = cleaned(client.unwrap_or_default());
            for namesake in (1..=NAMESAKES_MAX).map(|number| numbered(&name, number)) {
                lock = engine.lock_name(&session.vault, &namesake)?;
                session.actor = namesake;
                if lock.is_some() {
                    break;
                }
            }
            if lock.is_none() {
                return Err(crowded(&name));
            }
        }
        *settled = Some(Settled { session: session.clone(), _lock: lock });
        Ok(session)
    }

    /// The session as the process was started, for what needs no store.
    pub fn without_store(&self) -> Session {
        self.given.clone()
    }

    /// Returns the actor, if it is settled.
    pub fn actor(&self) -> Option<String> {
        let settled = self.lock();
        let named = self.given.named.then(|| self.given.actor.clone());
        settled.as_ref().map(|settled| settled.session.actor.clone()).or(named)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Settled>> {
        self.settled.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn crowded(name: &str) -> Failure {
    let message = format!("{NAMESAKES_MAX} processes of {name} are at work here");
    let hint = "end some of them, or start this one with AMBIT_ACTOR set to another name";
    Failure::new(Kind::Busy, message, hint)
}

fn numbered(name: &str, number: usize) -> String {
    if number == 1 { name.to_string() } else { format!("{name}-{number}") }
}

/// A client's name as a label: lower case, words joined by `-`, nothing that could be an id.
fn cleaned(name: &str) -> String {
    let lower = name.to_lowercase();
    let kept = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_');
    let words = lower.split(|c| !kept(c)).filter(|word| !word.is_empty());
    let joined = words.collect::<Vec<_>>().join("-");
    let short: String = joined.chars().take(NAME_CHARS_MAX).collect();
    let short = short.trim_matches('-');
    match short {
        "" => NAMELESS.to_string(),
        id if id.starts_with("act_") || id.starts_with("scp_") => format!("{NAMELESS}-{id}"),
        name => name.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{cleaned, numbered};

    #[test]
    fn a_clients_name_becomes_a_label() {
        assert_eq!(cleaned("claude-code"), "claude-code");
        assert_eq!(cleaned("Visual Studio Code"), "visual-studio-code");
        assert_eq!(cleaned("codex_mcp.client/1"), "codex_mcp.client-1");
        assert_eq!(cleaned("a\u{1b}[31m\u{202E}b\n"), "a-31m-b");
        assert_eq!(cleaned(" \u{1}-"), "agent");
        assert_eq!(cleaned("act_1"), "agent-act_1");
        assert_eq!(cleaned(&"x".repeat(500)).len(), 60);
        assert_eq!(numbered("x", 1), "x");
        assert_eq!(numbered("x", 2), "x-2");
    }
}
