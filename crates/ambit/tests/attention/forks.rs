//! Forks: a subagent's frame and scope, its end, and what its parent keeps.

use ambit::{Caller, Inherit, Kind, ViewsRequest};

use crate::things::{get, mind, put};
use crate::world::{World, ada, bot, calls};

fn fork(world: &World, caller: &Caller, name: &str) -> Caller {
    let line = world.engine.fork(caller, name, "go", Inherit::Notes).unwrap();
    Caller::new(line.actor)
}

fn views(world: &World, actor: &str) -> Vec<ambit::ViewLine> {
    let request = ViewsRequest { actor: Some(actor.into()), ..ViewsRequest::default() };
    world.engine.views(&ada(), &request).unwrap().views
}

// Proves S0-5, S0-20, S0-21, S0-42: a fork creates a subagent with its own frame, a copy of its
// parent's, and one scope, active and focused.
pub fn a_fork_copies_the_frame(world: &World) {
    for name in ["one", "two"] {
        put(world, &ada(), name, name);
    }
    put(world, &bot(), "bot's", "3");
    let line = world.engine.fork(&ada(), "sub", "find out why", Inherit::Notes).unwrap();
    let sub = Caller::new(&line.actor);
    assert_eq!(mind(world, &sub, None), ["two", "one"]);
    assert_eq!(mind(world, &sub, Some("sub")), ["bot's", "two", "one"], "as main's");
    let here = world.engine.where_am_i(&sub).unwrap();
    assert_eq!((here.kind.as_str(), here.primary_scope.as_deref()), ("subagent", Some("sub")));
    assert_eq!(here.active_scopes, ["sub"]);
    let rows = world.rows();
    let row = rows.actors.values().find(|row| row.name == "sub").unwrap();
    assert_eq!(rows.scopes[&row.home].owner, Some(row.actor), "owned by the subagent");
    assert_eq!(line.frame, rows.scopes[&row.home].id);
    assert_ne!(row.home, world.scope("sub").scope);
    assert_eq!((line.origin.as_str(), line.in_mind), ("main", 2));
    assert_eq!(line.environment["AMBIT_ACTOR"], "sub");
    assert_eq!(line.environment["AMBIT_SCOPE"], "", "its parent's pin is not its own");
    let shown = line.composition.unwrap();
    assert!(shown.tokens > 0);
    assert!(shown.messages[0].get().contains("find out why"));
    // Proves D0-9: its task is captured and visited by nobody.
    let why = world.engine.why(&ada(), &line.note).unwrap();
    assert_eq!(why.context.len(), 3);
    assert_eq!(mind(world, &ada(), None), ["two", "one"]);
    world.verified();
}

// Proves S0-22, S0-82: after a fork each side's visits stay its own.
pub fn frames_are_independent_after_a_fork(world: &World) {
    put(world, &ada(), "shared", "1");
    let sub = fork(world, &ada(), "sub");
    put(world, &ada(), "ada's", "2");
    put(world, &sub, "sub's", "3");
    assert_eq!(mind(world, &ada(), None), ["ada's", "shared"]);
    assert_eq!(mind(world, &sub, None), ["sub's", "shared"]);
    assert_eq!(mind(world, &ada(), Some("main")), ["ada's", "shared"]);
    assert_eq!(mind(world, &ada(), Some("sub")), ["sub's", "shared"]);
    let of = |scope: &str| {
        let request = ViewsRequest { scope: Some(scope.into()), ..ViewsRequest::default() };
        world.engine.views(&ada(), &request).unwrap().views
    };
    assert!(of("main").iter().all(|view| view.actor == "ada"));
    assert!(of("sub").iter().all(|view| view.actor == "sub"));
}

// Proves S0-23, S0-24, S0-26, S0-27, S0-28, S0-32, S0-33, S0-51, S0-75, D0-2: one merge is in both
// streams, after the parent's last view, and names the child's views. The child's frame is
// dropped, its views stay, and the parent's frame is unchanged.
pub fn a_rejoin_is_one_merge_in_both_streams(world: &World) {
    put(world, &ada(), "plan", "1");
    let sub = fork(world, &ada(), "sub");
    put(world, &sub, "found", "2");
    world.engine.context_break(&sub).unwrap();
    put(world, &sub, "found", "3");
    let (parents, held) = (views(world, "ada"), mind(world, &ada(), None));
    let back = world.engine.rejoin(&sub, None, Some("it was the unit"), false).unwrap();
    assert_eq!((back.child_scope.as_str(), back.parent_scope.as_str()), ("sub", "main"));
    assert_eq!(back.merged_at, ambit::rfc3339(world.now()));
    let (of_parent, of_child) = (views(world, "ada").remove(0), views(world, "sub").remove(0));
    let childs = views(world, "sub").into_iter().skip(1).rev();
    let childs: Vec<_> = childs.map(|view| view.id).collect();
    assert_eq!(childs.len(), 3, "before the break, after it, and the note in another scope");
    assert_eq!(Some(&of_parent.id), back.view.as_ref());
    assert_eq!(of_parent.id, of_child.id);
    assert_eq!(of_parent.previous.as_ref(), Some(&parents[0].id));
    assert_eq!(of_child.stream_prev.as_ref(), childs.last());
    assert!(of_parent.actions.is_empty());
    let merge = of_parent.merge.unwrap();
    assert_eq!(merge.merged_views, childs);
    assert_eq!(merge.child, "sub");
    assert_ne!(merge.parent_frame, merge.child_frame);
    let streams = world.rows().streams;
    let view = world.rows().views.values().find(|row| row.id == of_parent.id).unwrap().view;
    assert_eq!(streams.values().filter(|row| row.view == view).count(), 2, "in those two alone");
    assert_eq!(mind(world, &ada(), None), held);
    assert_eq!(world.frame(world.home("sub")), [0i64; 0]);
    assert_eq!(views(world, "sub").len(), 4, "the child's stream can be walked through");
    let notes = world.notes("main");
    assert_eq!(notes.last().unwrap().0, "it was the unit");
    // The parent's next view follows the merge.
    get(world, &ada(), "plan");
    assert_eq!(views(world, "ada")[0].previous, Some(of_parent.id));
    world.verified();
}

// Proves S0-25: after a rejoin nothing is added to the child's stream; a repeated rejoin returns
// the first answer.
pub fn after_a_rejoin_the_stream_stays_unchanged(world: &World) {
    let sub = fork(world, &ada(), "sub");
    world.say(&sub, "assistant", "done");
    let first = world.engine.rejoin(&sub, None, Some("done"), false).unwrap();
    world.pass(60_000);
    let (head, stream) = (world.head(), views(world, "sub").len());
    let again = world.engine.rejoin(&ada(), Some("sub"), Some("done"), false).unwrap();
    assert_eq!((again.merged_at, again.event), (first.merged_at, first.event));
    assert_eq!((again.view, again.also), (first.view, first.also));
    assert!(again.warnings[0].contains("this note was not stored"), "{:?}", again.warnings);
    assert_eq!((world.head(), views(world, "sub").len()), (head, stream));
    world.refuses(Kind::Refused, |it| it.note(&sub, "one more thing"));
    world.refuses(Kind::Refused, |it| it.context_break(&sub));
    world.refuses(Kind::Refused, |it| it.enter(&ada(), "sub"));
    world.refuses(Kind::Refused, |it| it.goto(&ada(), "sub", "off"));
    world.refuses(Kind::Refused, |it| it.note(&ada().in_scope("sub"), "from afar"));
    assert_eq!(world.engine.notes(&ada(), Some("sub")).unwrap().notes.len(), 1, "still readable");
}

// One event may create two views, its actor's own and the merge: pages never separate them.
pub fn a_merge_and_the_view_of_its_event_stay_together(world: &World) {
    let sub = fork(world, &ada(), "sub");
    put(world, &sub, "found", "1");
    world.pass(6 * 60_000);
    world.engine.rejoin(&sub, None, None, false).unwrap();
    let shown = views(world, "sub");
    assert_eq!(shown.len(), 3);
    assert_eq!(shown[0].event, shown[1].event);
    assert_eq!(shown[0].stream_prev.as_ref(), Some(&shown[1].id));
    let merged = &shown[0].merge.as_ref().unwrap().merged_views;
    assert_eq!(merged, &[shown[2].id.clone(), shown[1].id.clone()]);
    let first =
        ViewsRequest { actor: Some("sub".into()), limit: Some(1), ..ViewsRequest::default() };
    let first = world.engine.views(&ada(), &first).unwrap();
    assert_eq!(first.views.len(), 2, "one more than asked for");
    let rest =
        ViewsRequest { actor: Some("sub".into()), before: first.next, ..ViewsRequest::default() };
    assert_eq!(world.engine.views(&ada(), &rest).unwrap().views[0].id, shown[2].id);
}

// Proves S0-61: one scope has several subagents at a time.
pub fn several_subagents_of_one_scope(world: &World) {
    put(world, &ada(), "plan", "1");
    let subs: Vec<_> = ["a", "b", "c"].map(|name| fork(world, &ada(), name)).into();
    for (number, sub) in subs.iter().enumerate() {
        put(world, sub, &format!("found {number}"), &number.to_string());
        assert_eq!(mind(world, sub, None), [format!("found {number}"), "plan".into()]);
    }
    for sub in subs.iter().rev() {
        world.engine.rejoin(sub, None, None, false).unwrap();
    }
    let merges = views(world, "ada").into_iter().filter(|view| view.merge.is_some());
    assert_eq!(merges.count(), 3);
    world.verified();
}

// Proves S0-83, D0-9: an ancestor, or an operator, rejoins a subagent that crashed.
pub fn a_crashed_subagent_is_rejoined_by_others(world: &World) {
    let (a, b) = (fork(world, &bot(), "a"), fork(world, &bot(), "b"));
    world.say(&a, "assistant", "half a thought");
    world.say(&b, "assistant", "half a thought");
    world.pass(3_600_000);
    let back = world.engine.rejoin(&bot(), Some("a"), Some("it crashed"), false).unwrap();
    assert_eq!(back.parent_scope, "main");
    world.engine.rejoin(&ada(), Some("b"), None, false).unwrap();
    for name in ["a", "b"] {
        let merge = views(world, name).remove(0);
        assert_eq!(merge.actor, "bot", "it is the parent's");
        assert!(views(world, "bot").iter().any(|view| view.id == merge.id));
        assert!(views(world, "ada").iter().all(|view| view.id != merge.id));
    }
    world.verified();
}

// Proves S0-84: an abandoned subagent's views stay, and it can no longer act.
pub fn an_abandoned_subagent_keeps_its_views_and_cannot_act(world: &World) {
    let sub = fork(world, &ada(), "sub");
    put(world, &sub, "found", "1");
    world.refuses(Kind::Refused, |it| it.abandon(&sub, "sub", false));
    let gone = world.engine.abandon(&ada(), "sub", false).unwrap();
    assert_eq!((gone.child.as_str(), gone.child_scope.as_str()), ("sub", "sub"));
    let left = views(world, "sub");
    assert_eq!(left.len(), 1);
    assert!(left[0].ended.is_some() && left[0].merge.is_none());
    world.refuses(Kind::Refused, |it| it.note(&sub, "still here"));
    world.refuses(Kind::Refused, |it| it.rejoin(&ada(), Some("sub"), None, false));
    world.refuses(Kind::Refused, |it| it.abandon(&ada(), "sub", false));
    assert_eq!(world.frame(world.home("sub")).len(), 1, "until it is collected");
    world.verified();
}

// Proves D0-9: open grandchildren prevent a rejoin, or end with it, deepest first.
pub fn a_rejoin_with_open_grandchildren_requires_deep(world: &World) {
    let a = fork(world, &ada(), "a");
    let b = fork(world, &a, "b");
    let c = fork(world, &b, "c");
    put(world, &c, "found", "1");
    let result = world.refuses(Kind::Refused, |it| it.rejoin(&a, None, None, false));
    assert!(result.contains("b, c") || result.contains("c, b"), "{result}");
    world.refuses(Kind::Refused, |it| it.abandon(&ada(), "a", false));
    let back = world.engine.rejoin(&ada(), Some("a"), Some("all of it"), true).unwrap();
    assert_eq!(back.also, ["c", "b"]);
    let again = world.engine.rejoin(&ada(), Some("a"), None, true).unwrap();
    assert_eq!((again.view, again.also), (back.view, back.also));
    for (child, parent) in [("c", "b"), ("b", "a"), ("a", "ada")] {
        let last = views(world, child).remove(0);
        assert_eq!(last.merge.unwrap().child, child);
        assert_eq!(last.actor, parent);
    }
    assert_eq!(views(world, "b").iter().filter(|view| view.merge.is_some()).count(), 2);
    world.verified();
}

/// If the scope a fork came from is closed, the note goes into an open scope.
pub fn a_note_never_goes_into_a_closed_scope(world: &World) {
    fork(world, &ada(), "b");
    world.engine.enter(&ada(), "b").unwrap();
    world.engine.focus(&ada(), "b").unwrap();
    let c = fork(world, &ada(), "c");
    world.engine.rejoin(&ada(), Some("b"), None, false).unwrap();
    let at = world.head().to_string();
    // Proves D0-10: closing a scope removes the actors inside, also for that past moment.
    let stood = world.engine.where_at(&ada(), &at).unwrap();
    assert_eq!((stood.primary_scope, stood.active_scopes), (None, vec!["main".to_string()]));
    let back = world.engine.rejoin(&c, None, Some("found"), false).unwrap();
    assert_eq!(back.parent_scope, "main");
    assert_eq!(world.notes("main").last().unwrap().0, "found");
    world.verified();
}

// Proves D0-9: an actor that neither forked it nor is an operator cannot find out that it exists.
pub fn strangers_cannot_find_a_subagent(world: &World) {
    fork(world, &ada(), "sub");
    world.say(&bot(), "user", "hello");
    for child in ["sub", "nobody", "ada"] {
        world.refuses(Kind::NotFound, |it| it.rejoin(&bot(), Some(child), None, false));
        world.refuses(Kind::NotFound, |it| it.abandon(&bot(), child, false));
    }
    // An actor that is not a subagent cannot rejoin.
    world.refuses(Kind::NotFound, |it| it.rejoin(&ada(), None, None, false));
    assert!(world.engine.is_descendant(&ada(), "sub").unwrap());
    assert!(!world.engine.is_descendant(&bot(), "sub").unwrap());
}

// Proves S0-90: a person hands over to an agent by a shared scope, an agent to its subagent by a
// fork.
pub fn a_handover_includes_the_context(world: &World) {
    put(world, &ada(), "plan", "1");
    world.engine.note(&ada(), "the unit is wrong").unwrap();
    let change = put(world, &bot(), "code", "2");
    let result = world.engine.why(&bot(), &change.id).unwrap();
    let names: Vec<_> = result.context.iter().map(|it| it.thing.name.as_str()).collect();
    assert_eq!(names, ["the unit is wrong", "plan"], "what ada left in main");
    let sub = fork(world, &bot(), "sub");
    assert_eq!(mind(world, &sub, None), ["code"]);
    let shown = world.compose(&sub);
    assert!(shown.messages[0].get().contains("the unit is wrong"));
}

/// The subagent inherits the notes of its origin and of the scopes the origin inherits from, or
/// none.
pub fn a_fork_inherits_notes_or_nothing(world: &World) {
    world.engine.note(&ada(), "in main").unwrap();
    world.engine.scope(&ada(), "alpha", "off").unwrap();
    world.engine.note(&ada(), "in alpha").unwrap();
    let a = fork(world, &ada(), "a");
    world.engine.note(&ada(), "later").unwrap();
    fork(world, &a, "b");
    world.engine.fork(&a, "bare", "go", Inherit::None).unwrap();
    let notes =
        |scope: &str| world.notes(scope).into_iter().map(|(text, _)| text).collect::<Vec<_>>();
    assert_eq!(notes("a"), ["in main", "[→ alpha] off", "in alpha", "go"]);
    assert_eq!(notes("b"), ["in main", "[→ alpha] off", "in alpha", "go", "go"]);
    assert_eq!(notes("bare"), ["go"]);
    let shown = world.compose(&Caller::new("b")).messages[0].get().to_string();
    assert!(shown.contains("in main") && shown.contains("in alpha") && !shown.contains("later"));
    let shown = world.compose(&Caller::new("bare")).messages[0].get().to_string();
    assert!(!shown.contains("in alpha"));
}

fn stream_of(world: &World, actor: Option<&str>, scope: Option<&str>) -> Vec<ambit::ViewLine> {
    let (actor, scope) = (actor.map(str::to_string), scope.map(str::to_string));
    let request = ViewsRequest { actor, scope, ..ViewsRequest::default() };
    world.engine.views(&ada(), &request).unwrap().views
}

// Proves S0-33: the merging event may open the subagent's last view; the merge names that view
// too.
pub fn a_merge_names_the_view_that_its_event_opened(world: &World) {
    put(world, &ada(), "plan", "1");
    world.engine.fork(&ada(), "sub", "go", Inherit::None).unwrap();
    get(world, &Caller::new("sub"), "plan");
    world.pass(6 * crate::world::MINUTE);
    world.engine.rejoin(&Caller::new("sub"), None, None, false).unwrap();
    let mut stream = stream_of(world, Some("sub"), None);
    let merge = stream.remove(0).merge.unwrap();
    let mut ids: Vec<_> = stream.into_iter().map(|view| view.id).collect();
    ids.reverse();
    assert_eq!((ids.len(), merge.merged_views), (2, ids));
}

// Proves D0-7, D0-9, S0-25: a closed scope gathers no visits, not even when it is pinned.
pub fn a_closed_scope_gathers_no_visits(world: &World) {
    put(world, &ada(), "plan", "1");
    world.engine.fork(&ada(), "sub", "go", Inherit::None).unwrap();
    world.engine.rejoin(&ada(), Some("sub"), None, false).unwrap();
    let closed = (stream_of(world, None, Some("sub")).len(), mind(world, &ada(), Some("sub")));
    put(world, &ada(), "code", "2");
    get(world, &ada().in_scope("sub"), "code");
    put(world, &ada().in_scope("sub"), "code", "3");
    world.engine.context_break(&ada().in_scope("sub")).unwrap();
    let now = (stream_of(world, None, Some("sub")).len(), mind(world, &ada(), Some("sub")));
    assert_eq!(now, closed);
    world.refuses(Kind::Refused, |it| it.note(&ada().in_scope("sub"), "late"));
    world.verified();
}

// Proves D0-10: an actor that abandons a subagent from within its scope leaves the scope, and its
// next action opens a view.
pub fn abandoning_from_within_leaves_the_scope(world: &World) {
    put(world, &ada(), "plan", "1");
    world.engine.fork(&ada(), "sub", "go", Inherit::None).unwrap();
    world.engine.enter(&ada(), "sub").unwrap();
    get(world, &ada(), "plan");
    world.engine.abandon(&ada(), "sub", false).unwrap();
    get(world, &ada(), "plan");
    let last = stream_of(world, Some("ada"), None).remove(0);
    assert_eq!(last.actions.len(), 1);
    assert!(stream_of(world, None, Some("sub")).iter().all(|view| view.id != last.id));
    world.verified();
}

/// A merge of many views reports their number and lists the last of them.
pub fn a_long_merge_reports_its_number_of_views(world: &World) {
    let sub = fork(world, &ada(), "sub");
    for _ in 0..1_003 {
        world.engine.context_break(&sub).unwrap();
    }
    let view = world.engine.rejoin(&sub, None, None, false).unwrap().view;
    let request = ViewsRequest { id: view, ..ViewsRequest::default() };
    let merge = world.engine.views(&ada(), &request).unwrap().views.remove(0).merge.unwrap();
    assert_eq!((merge.count, merge.merged_views.len()), (1_004, 1_000));
}

// Proves D0-9.
/// A repeated rejoin returns the first answer: without subagents that had rejoined before, and
/// with the scope its note went to.
pub fn a_repeated_rejoin_returns_the_first_answer(world: &World) {
    let a = fork(world, &ada(), "a");
    let b = fork(world, &a, "b");
    world.engine.rejoin(&b, None, None, false).unwrap();
    let first = world.engine.rejoin(&a, None, None, false).unwrap();
    let again = world.engine.rejoin(&a, None, None, false).unwrap();
    assert_eq!((&again.also, &again.view), (&first.also, &first.view));
    let c = fork(world, &ada(), "c");
    world.engine.enter(&ada(), "c").unwrap();
    world.engine.focus(&ada(), "c").unwrap();
    fork(world, &ada(), "d");
    world.engine.rejoin(&c, None, None, false).unwrap();
    let first = world.engine.rejoin(&ada(), Some("d"), Some("done"), false).unwrap();
    assert_eq!(first.parent_scope, "main", "where it came from was closed");
    let again = world.engine.rejoin(&ada(), Some("d"), None, false).unwrap();
    assert_eq!(again.parent_scope, first.parent_scope);
}

// Proves D0-9: an ended subagent has no open call in any scope, and clearing keeps nothing for it.
pub fn an_ended_subagent_has_left_every_scope(world: &World) {
    for (name, rejoins) in [("one", true), ("two", false)] {
        let sub = fork(world, &ada(), name);
        world.engine.enter(&sub, "main").unwrap();
        world.engine.focus(&sub, "main").unwrap();
        world.append(&sub, &[calls("I look", &["a"])]);
        world.engine.scope(&ada(), &format!("by {name}"), "off").unwrap();
        world.append(&sub.clone().in_scope(format!("by {name}")), &[calls("and here", &["b"])]);
        let deeper = fork(world, &sub, &format!("below {name}"));
        world.engine.enter(&sub, &deeper.actor).unwrap();
        world.append(&sub.clone().in_scope(&deeper.actor), &[calls("and there", &["c"])]);
        assert_eq!(world.rows().calls.len(), 3);
        let end = world.head();
        match rejoins {
            true => drop(world.engine.rejoin(&sub, None, None, true).unwrap()),
            false => drop(world.engine.abandon(&ada(), name, true).unwrap()),
        }
        assert!(world.rows().calls.is_empty());
        let here = world.engine.where_am_i(&sub).unwrap();
        assert_eq!((here.primary_scope, here.active_scopes.len()), (None, 0));
        let then = world.engine.where_at(&sub, &end.to_string()).unwrap();
        assert_eq!(then.active_scopes.len(), 3);
        let now = world.engine.where_at(&sub, &world.head().to_string()).unwrap();
        assert_eq!((now.primary_scope, now.active_scopes.len()), (None, 0));
        // It may still read, without a visit.
        put(world, &ada(), "plan", name);
        let head = world.head();
        let got = get(world, &sub, "plan");
        assert_eq!((got.text.as_str(), got.visited, world.head()), (name, false, head));
        world.engine.goto(&ada(), "main", "back").unwrap();
    }
    world.verified();
}
