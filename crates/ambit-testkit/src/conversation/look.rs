//! Checks compositions against the checker, the budget, the previous composition, and the model.

use ambit::{Composition, Kind, Layout, Request, tokens};
use serde_json::Value;

use super::checker::{self, Ending};
use super::run::{Check, Failure, World};
use super::scripts::{Op, Seen, Step};
use super::shown::{Shown, Unit, Window, matches, shown};
use super::window::{Rule, begins_by_rule};

/// A composition to compare later ones with.
#[derive(Clone)]
pub struct Kept {
    messages: Vec<String>,
    /// How many of its messages stand before an open call.
    settled: usize,
    tokens: i64,
    epoch: i64,
    /// What stands before the window, in tokens: it moves with the window's start.
    cut: i64,
    /// It was answered, or the epoch's front was fixed already.
    promised: bool,
}

/// The Requests that are composed, including small budgets.
pub fn requests() -> Vec<Request> {
    let request = |budget, layout, system: Option<&str>| Request {
        budget,
        layout,
        system: system.map(str::to_string),
        ..Request::default()
    };
    let (stable, layered) = (Some(Layout::Stable), Some(Layout::Layered));
    vec![
        request(Some(200_000), stable, None),
        request(Some(200_000), layered, Some("Be brief.")),
        request(Some(700), stable, None),
        request(None, None, None),
        request(Some(1_500), stable, Some("Be brief.")),
        request(Some(300), stable, None),
        request(Some(900), layered, None),
    ]
}

/// Below this a composition may have to leave out something.
const AMPLE: i64 = 100_000;

/// Below this a turn may be too large even as stubs: those are shorter than this in scripts.
const NARROW: i64 = 600;

impl World {
    /// Composes as every actor, in its own scope: once with room enough and once without.
    pub fn look_around(&mut self, index: usize) -> Result<(), Failure> {
        for actor in 0..self.actors.len() {
            self.look(&plain_step(actor, None), 0)?;
            self.look(&plain_step(actor, None), 1 + (index + actor) % (requests().len() - 1))?;
        }
        Ok(())
    }

    /// Before an assistant's turn: composes what it answers. True where there is such a turn.
    pub fn before_answer(&mut self, step: &Step) -> Result<bool, Failure> {
        let first = match &step.op {
            Op::Append { messages } => messages.first(),
            _ => None,
        };
        let answers = first.is_some_and(|message| message["role"] == "assistant");
        if answers && self.model.working(step).is_some() {
            for request in 0..requests().len() {
                self.look(&plain_step(step.actor, step.pin.clone()), request)?;
            }
        }
        Ok(answers)
    }

    /// After an assistant's turn: the compositions that it answered hold from now on.
    pub fn after_answer(&mut self, step: &Step, answers: bool) {
        let Op::Append { messages } = &step.op else {
            return;
        };
        let Some(scope) = self.model.working(step) else {
            return;
        };
        let later = messages.iter().skip(1).any(|message| message["role"] == "assistant");
        for request in 0..requests().len() {
            let key = (step.actor, scope, request);
            if answers && let Some(kept) = self.kept.get_mut(&key).and_then(|it| it.last_mut()) {
                kept.promised = true;
                self.answered.insert(key, kept.clone());
            }
            // A turn that answers what came with it: nobody saw what it answered.
            if later {
                self.answered.remove(&key);
            }
        }
    }

    /// Composes one Request and checks everything about it.
    pub fn look(&mut self, step: &Step, request: usize) -> Result<(), Failure> {
        let request_index = request % requests().len();
        let request = &requests()[request_index];
        let caller = self.caller(step);
        let composed = self.compose(&caller, request);
        let why = self.model.refusals(step, 0);
        let scope = self.model.working(step).unwrap_or_default();
        let setting: i64 = self.model.setting(scope, "budget", "200000").parse().unwrap();
        let budget = request.budget.unwrap_or(setting);
        let composition = match composed {
            Ok(composition) => composition,
            Err(error) => {
                self.transcript.push(format!("{error}"));
                let too_small = error.kind() == Kind::Refused && budget < NARROW;
                let foreseen = why.contains(&error.kind()) || too_small;
                let text = || format!("{step:?} {request:?}: {error}; foreseen: {why:?}");
                return self.check(Check::Model, foreseen, text);
            }
        };
        self.compositions += 1;
        let text = || format!("{step:?} {request:?}: composed, where {why:?} was foreseen");
        self.check(Check::Model, why.is_empty(), text)?;
        let messages: Vec<Value> =
            composition.messages.iter().map(|it| serde_json::from_str(it.get()).unwrap()).collect();
        self.check_valid(scope, &messages)?;
        self.check_budget(&composition, budget, &messages)?;
        let layout = match (request.layout, self.model.setting(scope, "layout", "stable").as_str())
        {
            (Some(layout), _) => layout,
            (None, "layered") => Layout::Layered,
            (None, _) => Layout::Stable,
        };
        let shown = shown(&self.model, step.actor, scope);
        let system = request.system.as_deref();
        let (settled, starts) = self.check_model(&shown, layout, budget, system, &messages)?;
        if budget < AMPLE && shown.dangling.is_none() {
            let rule = Rule::new(&self.model, scope, budget, system);
            self.check_start(&rule, &shown, &starts, &composition)?;
        }
        self.check_epoch(step.actor, scope, &composition)?;
        let key = (step.actor, scope, request_index);
        self.check_promise(key, layout, composition, settled)
    }

    fn check_valid(&self, scope: usize, messages: &[Value]) -> Result<(), Failure> {
        let ending = match self.model.setting(scope, "dangling", "withhold").as_str() {
            "keep" => Ending::MayWait,
            _ => Ending::Whole,
        };
        let valid = checker::check(messages, ending);
        self.check(Check::Valid, valid.is_ok(), || format!("{valid:?}"))
    }

    fn check_budget(
        &self,
        composition: &Composition,
        budget: i64,
        messages: &[Value],
    ) -> Result<(), Failure> {
        let weighed = messages.iter().map(weight).sum::<i64>();
        let tokens = composition.tokens;
        let text = || format!("{tokens} tokens said, {weighed} weighed, of {budget}: {messages:?}");
        self.check(Check::Budget, tokens <= budget && weighed <= budget, text)
    }

    /// A composition is what the model says: whole where there is room, else from some unit on.
    /// Gives how many messages stand before an open call, and the units it may begin with.
    fn check_model(
        &self,
        shown: &Shown,
        layout: Layout,
        budget: i64,
        system: Option<&str>,
        messages: &[Value],
    ) -> Result<(usize, Vec<usize>), Failure> {
        let last = if budget < AMPLE { shown.units.len().min(shown.end) } else { 0 };
        let (mut why, mut settled, mut starts) = (String::new(), 0, Vec::new());
        for start in 0..=last {
            let window = shown.window(start, layout);
            match front(shown, start, &window, budget, system, messages) {
                Ok(front) => {
                    let body = &messages[front..];
                    match matches(&window.messages, body, budget < AMPLE) {
                        Ok(()) => {
                            settled = window.settled.map_or(0, |settled| front + settled);
                            starts.push(start);
                        }
                        Err(error) => why = error,
                    }
                }
                Err(error) => why = error,
            }
        }
        if !starts.is_empty() {
            return Ok((settled, starts));
        }
        let lines: Vec<_> = messages.iter().map(|message| format!("\n  {message}")).collect();
        let text = || format!("{why}; composed: {}\nthe model: {shown:?}", lines.concat());
        self.check(Check::Model, false, text)?;
        // Another check is looked at alone: the promise is not known to end before.
        Ok((if shown.dangling.is_some() { 0 } else { messages.len() }, starts))
    }

    /// The window's start moves in steps, and only where it has to.
    fn check_start(
        &self,
        rule: &Rule,
        shown: &Shown,
        starts: &[usize],
        composition: &Composition,
    ) -> Result<(), Failure> {
        let count = |name: &String| self.tokens.get(name).copied().unwrap_or(0);
        let stored = |unit: &Unit| unit.counted.iter().map(count).sum::<i64>();
        let stored: Vec<_> = shown.units.iter().map(stored).collect();
        let by_rule = begins_by_rule(rule, shown, &stored, starts, composition);
        let text = || format!("{by_rule:?}; {stored:?} of {shown:?}: {composition:?}");
        self.check(Check::Prefix, by_rule.is_ok(), text)
    }

    /// Reported epochs change when modelled ones do, and only then.
    fn check_epoch(
        &mut self,
        actor: usize,
        scope: usize,
        composition: &Composition,
    ) -> Result<(), Failure> {
        // Before an epoch's first answer, and in a silence, nothing is promised.
        if self.model.fold(actor, scope).is_none() {
            return Ok(());
        }
        let now = (composition.epoch, self.model.epoch(actor, scope));
        let before = self.epochs.insert((actor, scope), now).unwrap_or(now);
        let agree = (before.0 == now.0) == (before.1 == now.1);
        self.check(Check::Model, agree, || format!("epochs {before:?}, then {now:?}"))
    }

    fn check_promise(
        &mut self,
        key: (usize, usize, usize),
        layout: Layout,
        composition: Composition,
        settled: usize,
    ) -> Result<(), Failure> {
        let cut = composition.left_out.iter().find(|it| it.id == "before the window");
        let raw: Vec<_> = composition.messages.iter().map(|it| it.get().to_string()).collect();
        let now = Kept {
            settled,
            tokens: composition.tokens,
            epoch: composition.epoch,
            cut: cut.map_or(0, |it| it.tokens),
            promised: self.model.fold(key.0, key.1).is_some(),
            messages: raw,
        };
        self.transcript.push(serde_json::to_string(&composition).unwrap());
        let kept = self.kept.get(&key).into_iter().flatten();
        for before in kept.filter(|_| layout == Layout::Stable) {
            self.extends(before, &now)?;
        }
        let shared = composition.stable_prefix_tokens;
        if layout == Layout::Stable {
            self.check_shared(key, &now, shared)?;
        }
        // The last one of each epoch: one that is promised stays until a promised one follows.
        let kept = self.kept.entry(key).or_default();
        kept.retain(|it| it.epoch != now.epoch || it.promised && !now.promised);
        kept.push(now);
        Ok(())
    }

    fn extends(&self, before: &Kept, now: &Kept) -> Result<(), Failure> {
        if !before.promised || before.epoch != now.epoch {
            return Ok(());
        }
        let prefix = &before.messages[..before.settled];
        let extends = now.messages.starts_with(prefix);
        let text = || format!("{:#?} does not extend {prefix:#?}", now.messages);
        // A step of the budget moves the window's start on, and back only where calls that were
        // shown open cost less once they are given up.
        let whole = before.settled == before.messages.len();
        let stepped = if whole { before.cut < now.cut } else { before.cut != now.cut };
        self.check(Check::Prefix, extends || stepped, text)
    }

    /// The tokens said to be shared with the composition that was answered last.
    fn check_shared(
        &self,
        key: (usize, usize, usize),
        now: &Kept,
        shared: i64,
    ) -> Result<(), Failure> {
        if self.model.answered(key.0, key.1).is_none() {
            let text = || format!("{shared} tokens are shared with nothing");
            return self.check(Check::Prefix, shared == 0, text);
        }
        let Some(answered) = self.answered.get(&key) else {
            return Ok(());
        };
        let whole = answered.settled == answered.messages.len();
        let same = answered.epoch == now.epoch && answered.cut == now.cut;
        // Whatever follows the first message that differs is not shared.
        let both = answered.messages.iter().zip(&now.messages);
        let common = both.take_while(|(before, now)| before == now).count();
        let rest = now.messages[common..].iter().map(|it| serde_json::from_str(it).unwrap());
        let most = now.tokens - rest.map(|it: Value| weight(&it)).sum::<i64>();
        let right = match (whole, same) {
            (true, true) => shared == answered.tokens,
            (true, false) => shared <= most,
            // Calls shown open may have moved the window on; what was said of it is a guess.
            (false, _) => shared <= now.tokens,
        };
        let text = || format!("{key:?}: {shared} tokens shared of {answered:?}, now {now:?}");
        self.check(Check::Prefix, right, text)
    }
}

impl std::fmt::Debug for Kept {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Kept { tokens, epoch, cut, messages, .. } = self;
        write!(f, "{tokens} tokens, epoch {epoch}, cut {cut}: {messages:#?}")
    }
}

fn plain_step(actor: usize, pin: Option<String>) -> Step {
    let op = Op::Compose { request: 0 };
    Step { wait_ms: 0, actor, pin, key: None, seen: Seen::Any, op }
}

/// The system prompt, the layer of notes and the pinned turns. Gives how many messages they are.
fn front(
    shown: &Shown,
    start: usize,
    window: &Window<'_>,
    budget: i64,
    system: Option<&str>,
    messages: &[Value],
) -> Result<usize, String> {
    let mut at = 0;
    let text = |at: usize| messages.get(at).and_then(|it| it["content"].as_str());
    if let Some(system) = system {
        if text(0) != Some(system) {
            return Err("there is no system prompt".into());
        }
        at += 1;
    }
    let layers = [("[INSIGHTS]", &shown.insights), ("[EPISODIC MEMORY]", &window.lines)];
    if budget >= AMPLE {
        for (heading, lines) in layers.into_iter().filter(|(_, lines)| !lines.is_empty()) {
            let layer = format!("{heading}\n{}", lines.join("\n"));
            if text(at) != Some(&layer) {
                return Err(format!("the layer is {:?}, not {layer:?}", text(at)));
            }
            at += 1;
        }
        return Ok(at);
    }
    for (heading, lines) in layers {
        at += usize::from(is_layer(heading, lines, text(at)));
    }
    // Leading instructions stay in sight, as far as a quarter of the budget goes.
    let pinned = shown.units[..start].iter().filter(|unit| unit.leads);
    let mut left = budget / 4;
    for unit in pinned {
        let plain = unit.messages.iter().map(|it| match it {
            super::shown::Expect::Exact(message) => weight(message),
            _ => 0,
        });
        left -= plain.sum::<i64>();
        let expected: Vec<_> = unit.messages.iter().collect();
        let to = (at + expected.len()).min(messages.len());
        match matches(&expected, &messages[at..to], false) {
            Ok(()) => at = to,
            Err(error) if left >= 0 && is_simple(&expected) => return Err(error),
            Err(_) => break,
        }
    }
    Ok(at)
}

/// Whether what a turn costs is known to the test: just a role and a text.
fn is_simple(expected: &[&super::shown::Expect]) -> bool {
    expected.iter().all(|it| match it {
        super::shown::Expect::Exact(message) => message["content"].is_string(),
        _ => false,
    })
}

/// Under a small budget the layer holds the last lines, long ones as stubs.
fn is_layer(heading: &str, lines: &[String], text: Option<&str>) -> bool {
    let found = text.and_then(|text| text.strip_prefix(heading)?.strip_prefix('\n'));
    let Some(found) = found else {
        return false;
    };
    let found: Vec<_> = found.lines().collect();
    if found.len() > lines.len() {
        return false;
    }
    let last = &lines[lines.len() - found.len()..];
    let stub = |line: &str, it: &str| line.get(..12) == it.get(..12) && it.contains("; read ");
    last.iter().zip(found).all(|(line, it)| line == it || stub(line, it))
}

/// What a message costs at the least: its texts, one by one.
fn weight(message: &Value) -> i64 {
    fn texts(value: &Value) -> u64 {
        match value {
            Value::String(text) => tokens::count(text),
            Value::Array(list) => list.iter().map(texts).sum(),
            Value::Object(fields) => {
                let listed =
                    ["content", "text", "tool_calls", "id", "function", "name", "arguments"];
                let more = ["tool_call_id", "image_url", "url"];
                let counted = |key: &str| listed.contains(&key) || more.contains(&key);
                fields.iter().filter(|(key, _)| counted(key)).map(|(_, it)| texts(it)).sum()
            }
            _ => 0,
        }
    }
    4 + texts(message) as i64
}
