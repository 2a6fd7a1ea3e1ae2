//! Upkeep that any caller does when it is due.

use ambit::{TidyAnswer, ViewsRequest};

use crate::things::{get, put};
use crate::world::{MINUTE, World, ada, bot};

const DAY: i64 = 24 * 60 * MINUTE;

fn views(world: &World, actor: &str) -> Vec<ambit::ViewLine> {
    let request = ViewsRequest { actor: Some(actor.into()), ..ViewsRequest::default() };
    world.engine.views(&ada(), &request).unwrap().views
}

// Proves S0-87: any actor's command ends an idle view, once.
pub fn idle_views_end(world: &World) {
    put(world, &ada(), "plan", "1");
    let nothing = world.engine.tidy(&bot()).unwrap();
    assert_eq!(nothing, TidyAnswer::default());
    world.pass(6 * MINUTE);
    assert!(views(world, "ada")[0].ended.is_none());
    assert_eq!(world.engine.tidy(&bot()).unwrap().ended, 1);
    let view = views(world, "ada").remove(0);
    assert_eq!(view.ended, view.actions.last().map(|it| it.timestamp.clone()), "not when found");
    let head = world.head();
    assert_eq!(world.engine.tidy(&ada()).unwrap(), TidyAnswer::default());
    assert_eq!(world.head(), head);
    world.verified();
}

/// Callers through the program or as an agent do the upkeep from time to time, without a request.
pub fn due_upkeep_is_done_automatically(world: &World) {
    put(world, &ada(), "plan", "1");
    world.pass(6 * MINUTE);
    let agent = ambit::Caller { via: ambit::Via::Mcp, ..bot() };
    for number in 0..130 {
        world.say(&agent, "user", &number.to_string());
    }
    assert!(views(world, "ada")[0].ended.is_some());
    assert_eq!(world.rows().views.values().filter(|row| row.ended_seq.is_some()).count(), 1);
    world.verified();
}

// Proves S0-88: the frame of an abandoned subagent is dropped; its views stay.
pub fn frames_of_abandoned_subagents_are_dropped(world: &World) {
    put(world, &ada(), "plan", "1");
    world.engine.fork(&ada(), "sub", "go", ambit::Inherit::None).unwrap();
    let sub = ambit::Caller::new("sub");
    get(world, &sub, "plan");
    world.engine.abandon(&ada(), "sub", false).unwrap();
    world.pass(6 * MINUTE);
    assert_eq!(world.engine.tidy(&ada()).unwrap().frames, 1);
    assert_eq!(world.frame(world.home("sub")), [0i64; 0]);
    assert_eq!(views(world, "sub").len(), 1);
    assert_eq!(world.engine.tidy(&ada()).unwrap().frames, 0);
    world.verified();
}

// Proves S0-84, S0-88: so is the frame of a subagent that never acted.
pub fn frames_of_subagents_that_never_acted_are_dropped(world: &World) {
    put(world, &ada(), "plan", "1");
    world.engine.fork(&ada(), "sub", "go", ambit::Inherit::None).unwrap();
    world.engine.abandon(&ada(), "sub", false).unwrap();
    assert_eq!(world.frame(world.home("sub")).len(), 1);
    world.pass(6 * MINUTE);
    assert_eq!(world.engine.tidy(&bot()).unwrap().frames, 1);
    assert_eq!(world.frame(world.home("sub")), [0i64; 0]);
    assert_eq!(world.engine.tidy(&bot()).unwrap().frames, 0);
    world.verified();
}

// Proves S0-66, S0-67, S0-68, S0-69, S0-89, X-5: an old view is kept as a summary under its id:
// its visits stay, links still lead to it, and captures are unchanged.
pub fn old_views_are_summarised(world: &World) {
    let plan = put(world, &ada(), "plan", "1");
    get(world, &ada(), "plan");
    let change = put(world, &ada(), "code", "2");
    world.say(&ada(), "user", "hello");
    world.engine.context_break(&ada()).unwrap();
    let old = views(world, "ada").remove(0);
    world.pass(91 * DAY);
    put(world, &ada(), "later", "3");
    let before = world.engine.why(&ada(), &change.id).unwrap();
    assert_eq!(world.engine.tidy(&bot()).unwrap().fossils, 1);
    let by_id = ViewsRequest { id: Some(old.id.clone()), ..ViewsRequest::default() };
    let now = world.engine.views(&ada(), &by_id).unwrap().views.remove(0);
    assert_eq!(now.id, old.id);
    assert!(old.summary.is_none() && now.actions.is_empty());
    let summary = now.summary.unwrap();
    let counts = [("appended", 1), ("broke", 1), ("put", 2), ("visited", 1)];
    assert_eq!(summary.actions, counts.map(|(word, count)| (word.to_string(), count)));
    assert_eq!(summary.visited, [plan.id, change.id.clone()]);
    assert_eq!((now.started, now.ended, now.previous), (old.started, old.ended, old.previous));
    let after = world.engine.why(&ada(), &change.id).unwrap();
    assert_eq!(
        serde_json::to_value(&after.context).unwrap(),
        serde_json::to_value(&before.context).unwrap()
    );
    assert_eq!(after.view, Some(old.id));
    assert_eq!(world.engine.tidy(&bot()).unwrap().fossils, 0, "once");
    world.verified();
}

/// Rows that always stay do not hide later ones: neither frames nor idle views.
pub fn rows_that_stay_do_not_hide_due_ones(world: &World) {
    world.set("fossil_context_min", "1");
    put(world, &ada(), "plan", "1");
    for number in 0..70 {
        put(world, &ada(), "plan", &number.to_string());
        put(world, &ada(), "code", &number.to_string());
        world.engine.context_break(&ada()).unwrap();
        get(world, &ada(), "plan");
    }
    world.engine.context_break(&ada()).unwrap();
    world.say(&ada(), "user", "nothing is captured here");
    world.engine.context_break(&ada()).unwrap();
    get(world, &bot(), "plan");
    world.engine.fork(&bot(), "sub", "go", ambit::Inherit::None).unwrap();
    world.engine.abandon(&bot(), "sub", false).unwrap();
    world.pass(91 * DAY);
    put(world, &bot(), "late", "1");
    world.pass(6 * MINUTE);
    let done = world.engine.tidy(&ada()).unwrap();
    assert!(done.fossils >= 1 && (done.ended, done.frames) == (1, 1), "{done:?}");
    assert_eq!(world.engine.tidy(&ada()).unwrap(), TidyAnswer::default());
    let request = ViewsRequest { limit: Some(3), ..ViewsRequest::default() };
    let last = world.engine.views(&ada(), &request).unwrap().views;
    assert!(last.iter().any(|view| view.summary.is_some()), "the one behind them all");
    world.verified();
}

// Proves S0-86: a view's age and the size of its captures decide together.
pub fn changes_with_much_in_mind_stay_whole(world: &World) {
    world.set("fossil_context_min", "2");
    for name in ["one", "two", "three"] {
        put(world, &ada(), name, name);
    }
    world.engine.context_break(&ada()).unwrap();
    put(world, &ada(), "poor", "nothing in mind");
    world.engine.context_break(&ada()).unwrap();
    world.pass(91 * DAY);
    world.engine.tidy(&bot()).unwrap();
    let kept: Vec<_> = views(world, "ada").iter().map(|view| view.summary.is_none()).collect();
    assert_eq!(kept, [false, true], "the one with much in mind stays whole");
}
