//! The conversation: messages, notes, insights, composing them for a model, and reading back.

pub(crate) mod check;
pub(crate) mod messages;
pub(crate) mod parts;
pub(crate) mod reading;
pub(crate) mod search;

use ambit_core::compose::{Composition, Layout, Plan, compose, gather};
use ambit_core::{
    AddInsight, Answer, Append, AppendAnswer, Command, InsightAnswer, Needs, NoteAnswer, Reach,
    RetractInsight, Rewind, RewindAnswer, Setting, WriteNote,
};

use crate::engine::{counted, read_state, unexpected};
use crate::objects::frames::frame_names_at_epoch;
use crate::time_travel::composition::inherited_messages;
use crate::{Caller, Engine, Format, MessageSource, Result, Source, parse_messages};
use messages::count;
use reading::insight_named;

/// What to compose. Fields that are None come from the settings.
#[derive(Clone, Debug, Default)]
pub struct Request {
    pub budget: Option<i64>,
    pub layout: Option<Layout>,
    pub system: Option<String>,
    pub format: Option<Format>,
}

impl Request {
    /// Adds the tokens of the system prompt. Refuses a budget that is out of range.
    pub(crate) fn counted(&self) -> Result<ambit_core::Request> {
        let Request { budget, layout, system, format } = self;
        if let Some(budget) = budget {
            Setting::find("budget")?.parse(&budget.to_string())?;
        }
        let system = system.as_deref().filter(|text| !text.is_empty()).map(counted);
        Ok(ambit_core::Request { budget: *budget, layout: *layout, system, format: *format })
    }
}

impl Engine {
    /// Writes a note in the current scope.
    ///
    /// ```
    /// # use ambit::{Caller, Engine};
    /// # let (engine, me) = (Engine::memory()?, Caller::new("ada"));
    /// // With an idempotency key, a repeated call has one effect.
    /// let keyed = me.clone().with_key("finding-1");
    /// let first = engine.note(&keyed, "the session lasts 1 s")?;
    /// assert_eq!(engine.note(&keyed, "the session lasts 1 s")?, first);
    /// assert_eq!(engine.notes(&me, None)?.notes.len(), 1);
    /// # Ok::<(), ambit::Error>(())
    /// ```
    pub fn note(&self, caller: &Caller, message: &str) -> Result<NoteAnswer> {
        match self.run_texts(caller, Command::Note(WriteNote { message: counted(message) }))? {
            (Answer::Noted(answer), warnings) => Ok(NoteAnswer { warnings, ..answer }),
            (other, _) => Err(unexpected(&other)),
        }
    }

    /// Writes an insight: a note of the whole vault, shown in every scope.
    ///
    /// ```
    /// # use ambit::{Caller, Engine, Request};
    /// # let (engine, me) = (Engine::memory()?, Caller::new("ada"));
    /// let kept = engine.insight(&me, "The build needs the wasm target")?;
    /// engine.scope(&me, "step-1", "off")?;
    /// let shown = engine.compose(&me, &Request::default())?;
    /// assert!(shown.messages[0].get().contains("wasm target"));
    /// engine.retract(&me, &kept.hash)?;
    /// assert!(engine.insights(&me)?.insights.is_empty());
    /// # Ok::<(), ambit::Error>(())
    /// ```
    pub fn insight(&self, caller: &Caller, message: &str) -> Result<InsightAnswer> {
        match self.run_texts(caller, Command::Insight(AddInsight { message: counted(message) }))? {
            (Answer::Insight(answer), warnings) => Ok(InsightAnswer { warnings, ..answer }),
            (other, _) => Err(unexpected(&other)),
        }
    }

    /// Retracts the insight with this hash: it is no longer shown, but can still be read.
    pub fn retract(&self, caller: &Caller, hash: &str) -> Result<InsightAnswer> {
        let (item, hash) = self.read(caller, &mut |snapshot| insight_named(snapshot, hash))?;
        match self.run(caller, Command::Retract(RetractInsight { item, hash }))? {
            Answer::Insight(answer) => Ok(answer),
            other => Err(unexpected(&other)),
        }
    }

    /// Appends all messages, or no message if one is refused.
    pub fn append(&self, caller: &Caller, messages: MessageSource) -> Result<AppendAnswer> {
        let MessageSource { turns, mut warnings } = messages;
        match self.run_texts(caller, Command::Append(Append { messages: turns }))? {
            (Answer::Appended(answer), redacted) => {
                warnings.extend(redacted);
                Ok(AppendAnswer { warnings, ..answer })
            }
            (other, _) => Err(unexpected(&other)),
        }
    }

    /// Appends messages given as JSON lines or a JSON array.
    ///
    /// ```
    /// # use ambit::{Caller, Engine};
    /// # let (engine, me) = (Engine::memory()?, Caller::new("ada"));
    /// let appended = engine.append_json(&me, r#"[
    ///     {"role": "user", "content": "why does login time out?"},
    ///     {"role": "assistant", "content": "Let me look."}
    /// ]"#)?;
    /// assert_eq!(appended.appended, 2);
    /// # Ok::<(), ambit::Error>(())
    /// ```
    pub fn append_json(&self, caller: &Caller, json: &str) -> Result<AppendAnswer> {
        self.append(caller, parse_messages(json.as_bytes(), Source::default(), &|_| {})?)
    }

    /// Appends one message with a role and a text.
    pub fn append_text(&self, caller: &Caller, role: &str, text: &str) -> Result<AppendAnswer> {
        let message = serde_json::json!({"role": role, "content": text});
        self.append_json(caller, &message.to_string())
    }

    /// Hides all messages after a turn.
    ///
    /// ```
    /// # use ambit::{Caller, Engine};
    /// # let (engine, me) = (Engine::memory()?, Caller::new("ada"));
    /// let question = engine.append_text(&me, "user", "name a colour")?.head;
    /// engine.append_text(&me, "assistant", "blue")?;
    /// assert_eq!(engine.rewind(&me, question)?.messages, 1);
    /// # Ok::<(), ambit::Error>(())
    /// ```
    pub fn rewind(&self, caller: &Caller, to: i64) -> Result<RewindAnswer> {
        match self.run(caller, Command::Rewind(Rewind { to }))? {
            Answer::Rewound(answer) => Ok(answer),
            other => Err(unexpected(&other)),
        }
    }

    /// Composes what a model is shown. Writes nothing.
    ///
    /// ```
    /// # use ambit::{Caller, Engine, Request};
    /// # let (engine, me) = (Engine::memory()?, Caller::new("ada"));
    /// engine.append_text(&me, "user", "why does login time out?")?;
    /// let system = Some("Be brief.".into());
    /// let request = Request { budget: Some(8_000), system, ..Request::default() };
    /// let shown = engine.compose(&me, &request)?;
    /// assert_eq!(shown.messages[0].get(), r#"{"role":"system","content":"Be brief."}"#);
    /// assert!(shown.tokens < shown.budget && shown.left_out.is_empty());
    /// # Ok::<(), ambit::Error>(())
    /// ```
    pub fn compose(&self, caller: &Caller, request: &Request) -> Result<Composition> {
        let context = self.context(caller);
        let asked = request.counted()?;
        self.read(caller, &mut |snapshot| {
            let reach = Reach { insights: true, ..Reach::default() };
            let state = read_state(snapshot, &Needs { reach, ..Needs::of(&context) })?;
            let plan = Plan::new(&state, context.pin.as_deref(), &asked, context.now)?;
            let mut items = gather(snapshot, &state, &plan)?;
            if plan.caps.mind.is_some() {
                items.mind = frame_names_at_epoch(snapshot, &state, &plan)?;
            }
            items.inherited_messages = inherited_messages(snapshot, &state, &plan)?;
            Ok(compose(&state, &plan, &items, context.expect_head, &count)?)
        })
    }
}
