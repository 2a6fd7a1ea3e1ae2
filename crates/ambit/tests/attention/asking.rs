//! Queries about the past: views, histories, `why`, and which items were in mind together.

use ambit::{HistoryRequest, Kind, ViewsRequest};

use crate::things::{get, put};
use crate::world::{MINUTE, World, ada, bot};

// Proves S0-8: an action has a type, a target, a time and what it visited.
pub fn actions_have_type_target_time_and_visits(world: &World) {
    let plan = put(world, &ada(), "plan", "1").id;
    world.pass(1_500);
    get(world, &ada(), "plan");
    let turn = world.say(&ada(), "user", "hello");
    world.engine.scope(&ada(), "alpha", "off").unwrap();
    let request = ViewsRequest { scope: Some("main".into()), ..ViewsRequest::default() };
    let view = world.engine.views(&ada(), &request).unwrap().views.remove(0);
    let result: Vec<_> = view
        .actions
        .iter()
        .map(|it| (it.of_type, it.target.clone().unwrap_or_default(), it.visited.len()))
        .collect();
    let (alpha, main) = (world.scope("alpha").id, world.scope("main").id);
    assert_eq!(result[0], ("put", plan.clone(), 1));
    assert_eq!(result[1], ("visited", plan.clone(), 1));
    assert_eq!(result[2], ("appended", turn.to_string(), 0));
    assert_eq!((result[3].0, result[3].2), ("noted", 1));
    assert_eq!(result[4..], [("scope_created", alpha, 0), ("left", main, 0)]);
    assert_eq!(view.actions[1].timestamp, ambit::rfc3339(world.now()));
    assert_eq!(view.actions[0].visited, [plan]);
}

// Proves S0-91: a history lists what an actor worked on in a period.
pub fn a_history_lists_an_actors_work_in_a_period(world: &World) {
    put(world, &ada(), "monday", "1");
    let start = world.now() + 30 * MINUTE;
    world.pass(60 * MINUTE);
    put(world, &ada(), "tuesday", "2");
    world.pass(60 * MINUTE);
    put(world, &ada(), "wednesday", "3");
    let request = HistoryRequest {
        since: Some(ambit::rfc3339(start)),
        until: Some(ambit::rfc3339(start + 60 * MINUTE)),
        ..HistoryRequest::default()
    };
    let names = |request: &HistoryRequest| {
        let answer = world.engine.history(&ada(), request).unwrap();
        let names = answer.entries.into_iter().filter_map(|it| it.name);
        (names.collect::<Vec<_>>(), answer.next)
    };
    assert_eq!(names(&request).0, ["tuesday"]);
    let all = HistoryRequest::default();
    assert_eq!(names(&all).0, ["wednesday", "tuesday", "monday"]);
    let page = HistoryRequest { limit: Some(2), ..HistoryRequest::default() };
    let (first, next) = names(&page);
    assert_eq!(first, ["wednesday", "tuesday"]);
    let rest = HistoryRequest { before: next, ..page };
    assert_eq!(names(&rest).0, ["monday"]);
}

// Proves S0-92, D0-10: a scope's history lists who did what when, and what informed each change,
// including changes that actors outside the scope captured from its frame.
pub fn a_scopes_history_lists_who_did_what(world: &World) {
    let plan = put(world, &ada(), "plan", "1");
    let code = put(world, &bot(), "code", "2");
    world.engine.scope(&ada(), "alpha", "off").unwrap();
    let afar = put(world, &ada(), "plan", "from alpha");
    let request =
        HistoryRequest { scope: Some("main".into()), changes: true, ..HistoryRequest::default() };
    let result = world.engine.history(&bot(), &request).unwrap().entries;
    let lines: Vec<_> = result
        .iter()
        .filter(|it| it.of_type == "put")
        .map(|it| (it.event, it.actor.as_str(), it.context.clone().unwrap()))
        .collect();
    assert_eq!(lines[2], (plan.event, "ada", vec![]));
    assert_eq!(lines[1], (code.event, "bot", vec![plan.id.clone()]));
    assert_eq!((lines[0].0, lines[0].1), (afar.event, "ada"));
    assert!(lines[0].2.contains(&code.id));
    assert!(result.is_sorted_by(|a, b| a.event > b.event));
    // An object's own history lists the visits and changes of all actors.
    get(world, &bot(), "plan");
    let request = HistoryRequest { named: Some("plan".into()), ..HistoryRequest::default() };
    let result = world.engine.history(&ada(), &request).unwrap().entries;
    let result: Vec<_> = result.iter().map(|it| (it.of_type, it.actor.as_str())).collect();
    assert_eq!(result, [("visited", "bot"), ("put", "ada"), ("put", "ada")]);
}

/// Finds changes behind many visits; a rejoin is in its caller's history.
pub fn a_history_of_changes_reaches_past_visits(world: &World) {
    put(world, &ada(), "plan", "1");
    for _ in 0..10 {
        get(world, &ada(), "plan");
    }
    let request = HistoryRequest { limit: Some(3), changes: true, ..HistoryRequest::default() };
    let result = world.engine.history(&ada(), &request).unwrap().entries;
    assert_eq!(result.len(), 1);
    assert_eq!(result[0].of_type, "put");
    world.engine.fork(&ada(), "sub", "go", ambit::Inherit::None).unwrap();
    world.engine.rejoin(&ada(), Some("sub"), None, false).unwrap();
    get(world, &ada(), "plan");
    let result = world.engine.history(&ada(), &HistoryRequest::default()).unwrap().entries;
    let result: Vec<_> = result.iter().take(3).map(|it| it.of_type).collect();
    assert_eq!(result, ["visited", "rejoined", "noted"]);
}

/// A long view that began before many others is not skipped.
pub fn a_history_finds_views_that_began_long_ago(world: &World) {
    world.say(&bot(), "user", "I began first");
    for number in 0..20 {
        put(world, &ada(), &format!("no. {number}"), &number.to_string());
        world.engine.context_break(&ada()).unwrap();
        world.pass(1_000);
    }
    put(world, &bot(), "late", "still in my first view");
    put(world, &ada(), "last", "of all");
    let request =
        HistoryRequest { scope: Some("main".into()), limit: Some(3), ..HistoryRequest::default() };
    let answer = world.engine.history(&ada(), &request).unwrap();
    let result: Vec<_> = answer.entries.iter().map(|it| (it.of_type, it.actor.as_str())).collect();
    assert_eq!(result, [("put", "ada"), ("put", "bot"), ("broke", "ada")]);
    let mut seen = 0;
    let mut page = HistoryRequest { limit: Some(7), ..request };
    loop {
        let answer = world.engine.history(&ada(), &page).unwrap();
        seen += answer.entries.len();
        page.before = answer.next;
        if page.before.is_none() {
            break;
        }
    }
    assert_eq!(seen as i64, world.head() - 3, "all but the vault's and the actors' beginnings");
}

/// `why` reports the author, the scopes, the captured items as they were then, and the preceding
/// actions.
pub fn why_reports_the_captured_items(world: &World) {
    put(world, &ada(), "spec", "the session lasts 3600 s");
    put(world, &ada(), "code", "ttl = 1");
    world.engine.scope(&ada(), "alpha", "off").unwrap();
    world.engine.enter(&ada(), "main").unwrap();
    get(world, &ada(), "spec");
    let change = put(world, &ada(), "code", "ttl = 3600");
    put(world, &ada(), "spec", "the session lasts 60 s");
    for named in [change.event.to_string(), "code".into(), change.id.clone()] {
        let why = world.engine.why(&bot(), &named).unwrap();
        assert_eq!((why.event, why.actor.as_str(), why.of_type), (change.event, "ada", "put"));
        assert_eq!(why.primary_scope.as_deref(), Some("alpha"));
        assert_eq!(why.active_scopes, ["main", "alpha"]);
        assert_eq!(why.context_scope.as_deref(), Some("main"));
        let seen: Vec<_> =
            why.context.iter().map(|it| (it.thing.name.as_str(), it.text.as_str())).collect();
        assert_eq!(seen[0], ("spec", "the session lasts 3600 s"), "as it looked then");
        assert!(seen.contains(&("code", "ttl = 1")));
        assert_eq!(why.before[0].of_type, "visited");
        assert_eq!(why.before[0].name.as_deref(), Some("spec"));
    }
    let error = world.engine.why(&ada(), "1").unwrap_err();
    assert_eq!(error.kind(), ambit::Kind::Usage, "{error}");
}

// Proves S0-96: `related` counts which items were in mind together, from visits alone.
pub fn related_counts_items_in_mind_together(world: &World) {
    for name in ["login", "session", "unrelated"] {
        put(world, &ada(), name, name);
    }
    world.set("frame_size", "2");
    for _ in 0..3 {
        get(world, &ada(), "login");
        get(world, &ada(), "session");
    }
    get(world, &bot(), "unrelated");
    let before = world.head();
    let answer = world.engine.related(&ada(), "login", None).unwrap();
    assert_eq!(answer.related[0].thing.name, "session");
    assert!(answer.related[0].together >= 3, "{answer:?}");
    let unrelated = answer.related.iter().find(|it| it.thing.name == "unrelated");
    assert!(unrelated.is_none_or(|it| it.together < 3));
    assert_eq!(answer.visits, 4);
    assert_eq!(world.head(), before, "no counts are written");
    world.set("related_visits_max", "1");
    assert_eq!(world.engine.related(&ada(), "login", None).unwrap().visits, 1);
}

/// With the setting on, a composition names what was in mind when the epoch began, and the names
/// stay the same during the epoch.
pub fn a_composition_names_what_is_in_mind(world: &World) {
    put(world, &ada(), "plan", "1");
    world.say(&ada(), "user", "hello");
    assert!(world.compose(&ada()).layers.iter().all(|layer| layer.name != "mind"));
    world.set("frame_shown", "on");
    let first = world.compose(&ada());
    assert_eq!(
        first.messages[0].get(),
        r#"{"role":"system","content":"[IN MIND]\n- plan (artifact)"}"#
    );
    put(world, &ada(), "code", "2");
    world.say(&ada(), "assistant", "hi");
    let second = world.compose(&ada());
    for (before, after) in first.messages.iter().zip(&second.messages) {
        assert_eq!(before.get(), after.get(), "a prefix");
    }
    world.pass(6 * MINUTE);
    let silent = world.compose(&ada());
    assert!(silent.messages[0].get().contains("- code (artifact)\\n- plan (artifact)"));
    get(world, &ada(), "plan");
    world.say(&ada(), "user", "again");
    let later = world.compose(&ada());
    assert_eq!(later.epoch, silent.epoch + 1, "the look was no event of the scope");
    let shown = later.layers.iter().find(|layer| layer.name == "mind").unwrap();
    assert_eq!(shown.items, 2);
}

/// Among equal hits, items that were in mind together with the current frame come first.
pub fn a_search_ranks_related_items_higher(world: &World) {
    put(world, &ada(), "a", "the zeppelin one");
    put(world, &bot(), "b", "the zeppelin two");
    world.set("frame_size", "2");
    for _ in 0..3 {
        put(world, &ada(), "key", &format!("{}", world.head()));
        get(world, &ada(), "a");
    }
    let request = ambit::SearchRequest { query: "zeppelin".into(), ..Default::default() };
    let hits = world.engine.search(&ada(), &request).unwrap().hits;
    let why = |at: usize| hits[at].reasons.iter().map(|it| it.why).collect::<Vec<_>>();
    assert!(hits[0].snippet.contains("one"), "{hits:?}");
    assert!(why(0).contains(&"together") && !why(1).contains(&"together"), "{hits:?}");
}

/// Pages from the latest backwards, and from the first forwards.
pub fn streams_are_paged_both_ways(world: &World) {
    for number in 0..5 {
        put(world, &ada(), &format!("no. {number}"), &number.to_string());
        world.pass(10 * MINUTE);
    }
    let page = |before: Option<i64>, after: Option<i64>| {
        let limit = Some(2);
        let request = ViewsRequest { before, after, limit, ..ViewsRequest::default() };
        let answer = world.engine.views(&ada(), &request).unwrap();
        let names = answer.views.iter().map(|view| view.actions[0].name.clone().unwrap());
        (names.collect::<Vec<_>>(), answer.next)
    };
    let (first, next) = page(None, None);
    assert_eq!(first, ["no. 4", "no. 3"]);
    let (second, next) = page(next, None);
    assert_eq!(second, ["no. 2", "no. 1"]);
    assert_eq!(page(next, None), (vec!["no. 0".to_string()], None));
    let (first, next) = page(None, Some(0));
    assert_eq!(first, ["no. 0", "no. 1"]);
    assert_eq!(page(None, next).0, ["no. 2", "no. 3"]);
}

/// A change of an object outside all scopes is captured from its actor's frame, and hides no later
/// event. A placement is a change of the object.
pub fn a_history_includes_changes_outside_all_scopes(world: &World) {
    put(world, &ada(), "key", "1");
    for number in 0..4 {
        world.engine.place(&ada(), "key", "main", true).unwrap();
        put(world, &ada(), "key", &format!("number {number}"));
        world.engine.place(&ada(), "key", "main", false).unwrap();
    }
    world.engine.context_break(&ada()).unwrap();
    let last = |limit: i64| {
        let request = HistoryRequest { limit: Some(limit), ..HistoryRequest::default() };
        let result = world.engine.history(&ada(), &request).unwrap().entries;
        result.into_iter().map(|it| (it.of_type, it.scope)).collect::<Vec<_>>()
    };
    assert_eq!(last(1), [("broke", None)]);
    assert_eq!(last(2)[1], ("placed", Some("main".into())));
    let named = Some("key".to_string());
    let request = HistoryRequest { named, changes: true, ..HistoryRequest::default() };
    let result = world.engine.history(&ada(), &request).unwrap().entries;
    let result: Vec<_> = result.iter().take(3).map(|it| it.of_type).collect();
    assert_eq!(result, ["placed", "put", "displaced"]);
}

/// `since` and `until` limit a history; both ends are included.
pub fn a_history_can_be_limited_to_a_period(world: &World) {
    for day in 0..5 {
        put(world, &bot(), "plan", &format!("day {day}"));
        world.engine.context_break(&bot()).unwrap();
        world.pass(24 * 60 * MINUTE);
    }
    let span = |since: &str, until: &str| HistoryRequest {
        scope: Some("main".into()),
        since: Some(since.into()),
        until: Some(until.into()),
        ..HistoryRequest::default()
    };
    let result = world.engine.history(&ada(), &span("3d", "2d")).unwrap().entries;
    let result: Vec<_> = result.iter().map(|it| it.of_type).collect();
    assert_eq!(result, ["broke", "put", "broke", "put"], "the ends count too");
    world.refuses(Kind::Usage, |it| it.history(&ada(), &span("1d", "2d")));
}

/// An actor that only visited, with the scope pinned, is in the scope's stream too.
pub fn a_history_finds_actors_that_pinned_the_scope(world: &World) {
    put(world, &ada(), "plan", "1");
    world.engine.scope(&ada(), "alpha", "off").unwrap();
    let pinned = bot().in_scope("alpha");
    get(world, &pinned, "plan");
    world.engine.context_break(&ada()).unwrap();
    get(world, &ada(), "plan");
    get(world, &ada(), "plan");
    get(world, &pinned, "plan");
    let (scope, limit) = (Some("alpha".to_string()), Some(2));
    let request = HistoryRequest { scope, limit, ..HistoryRequest::default() };
    let result = world.engine.history(&ada(), &request).unwrap().entries;
    let result: Vec<_> = result.iter().map(|it| it.actor.as_str()).collect();
    assert_eq!(result, ["bot", "ada"]);
}

/// A pinned scope counts as active and primary, also for `why`.
pub fn why_respects_a_pinned_scope(world: &World) {
    world.engine.scope(&ada(), "alpha", "off").unwrap();
    world.engine.goto(&ada(), "main", "back").unwrap();
    put(world, &ada().in_scope("alpha"), "plan", "1");
    let why = world.engine.why(&ada(), "plan").unwrap();
    assert_eq!(why.primary_scope.as_deref(), Some("alpha"));
    assert_eq!(why.active_scopes, ["alpha", "main"]);
    put(world, &ada(), "code", "1");
    let why = world.engine.why(&ada(), "code").unwrap();
    assert_eq!((why.primary_scope.as_deref(), why.active_scopes.len()), (Some("main"), 1));
}
