//! Frames and streams: active scopes, items in mind, and views.

use ambit::{Kind, ViewsRequest};

use crate::things::{get, mind, put};
use crate::world::{MINUTE, World, ada, bot};

fn scopes(world: &World, names: &[&str]) {
    for name in names {
        world.engine.scope(&ada(), name, "off").unwrap();
    }
    world.engine.goto(&ada(), "main", "back").unwrap();
}

fn stream(world: &World, scope: &str) -> Vec<ambit::ViewLine> {
    let request = ViewsRequest { scope: Some(scope.into()), ..ViewsRequest::default() };
    world.engine.views(&ada(), &request).unwrap().views
}

fn views(world: &World, actor: &str) -> Vec<ambit::ViewLine> {
    let request = ViewsRequest { actor: Some(actor.into()), ..ViewsRequest::default() };
    world.engine.views(&ada(), &request).unwrap().views
}

// Proves S0-35, S0-36, S0-37, S0-41, S0-72, S0-73, S0-74, S0-76, D0-3: enter adds, leave removes,
// focus chooses; entering never focuses, leaving the primary scope leaves none.
pub fn enter_leave_and_focus(world: &World) {
    scopes(world, &["alpha", "beta"]);
    let entered = world.engine.enter(&ada(), "alpha").unwrap();
    assert_eq!(entered.scope.as_deref(), Some("alpha"));
    assert_eq!(entered.active_scopes, ["alpha", "main"]);
    assert_eq!(entered.primary_scope.as_deref(), Some("main"));
    // A scope can also be named by its id.
    let beta = world.scope("beta").id;
    assert_eq!(world.engine.enter(&ada(), &beta).unwrap().active_scopes.len(), 3);
    let focused = world.engine.focus(&ada(), "beta").unwrap();
    assert_eq!(focused.scope.as_deref(), Some("beta"));
    assert_eq!(focused.primary_scope.as_deref(), Some("beta"));
    let left = world.engine.leave(&ada(), "beta").unwrap();
    assert_eq!((left.scope.as_deref(), &left.primary_scope), (Some("beta"), &None));
    assert_eq!(left.active_scopes, ["alpha", "main"]);
    assert_eq!(world.engine.active_scopes(&ada()).unwrap(), ["alpha", "main"]);
    assert_eq!(world.engine.primary_scope(&ada()).unwrap(), None);
    // Entering does not focus, not even without a primary scope.
    world.engine.enter(&ada(), "beta").unwrap();
    assert_eq!(world.engine.primary_scope(&ada()).unwrap(), None);
    world.refuses(Kind::Refused, |it| it.note(&ada(), "where?"));
    world.refuses(Kind::Conflict, |it| it.enter(&ada(), "beta"));
    world.engine.leave(&ada(), "beta").unwrap();
    world.refuses(Kind::Conflict, |it| it.leave(&ada(), "beta"));
    world.refuses(Kind::Conflict, |it| it.focus(&ada(), "beta"));
    world.refuses(Kind::NotFound, |it| it.enter(&ada(), "nowhere"));
    world.refuses(Kind::Refused, |it| it.enter(&ada().in_scope("main"), "beta"));
    world.verified();
}

// Proves S0-34: reads and writes activate no scope.
pub fn reads_and_writes_activate_no_scope(world: &World) {
    scopes(world, &["alpha"]);
    world.engine.note(&ada().in_scope("alpha"), "from afar").unwrap();
    put(world, &ada(), "plan", "1");
    world.engine.place(&ada(), "plan", "alpha", false).unwrap();
    get(world, &ada(), "plan");
    put(world, &ada(), "plan", "2");
    world.engine.compose(&ada().in_scope("alpha"), &ambit::Request::default()).unwrap();
    world.engine.notes(&ada(), Some("alpha")).unwrap();
    assert_eq!(world.engine.active_scopes(&ada()).unwrap(), ["main"]);
    assert_eq!(world.engine.primary_scope(&ada()).unwrap().as_deref(), Some("main"));
}

// Proves S0-29, S0-30, D0-6: after leaving, the actor's stream continues and the scope's pauses,
// unless another contributor is inside; it continues when an actor enters.
pub fn a_scopes_stream_pauses_while_nobody_is_inside(world: &World) {
    scopes(world, &["alpha"]);
    put(world, &ada(), "plan", "1");
    world.engine.enter(&ada(), "alpha").unwrap();
    get(world, &ada(), "plan");
    world.engine.leave(&ada(), "alpha").unwrap();
    let (rests, goes_on) = (stream(world, "alpha").len(), views(world, "ada").len());
    get(world, &ada(), "plan");
    assert_eq!(stream(world, "alpha").len(), rests);
    assert!(views(world, "ada").len() > goes_on);
    // Another contributor.
    get(world, &bot(), "plan");
    world.engine.enter(&bot(), "alpha").unwrap();
    get(world, &bot(), "plan");
    let last = stream(world, "alpha").remove(0);
    assert_eq!((stream(world, "alpha").len(), last.actor.as_str()), (rests + 1, "bot"));
    let before = last.stream_prev.unwrap();
    assert!(views(world, "ada").iter().any(|view| view.id == before), "it follows on ada's");
    assert_ne!(last.previous, Some(before), "and has its own actor's before it");
}

// Proves S0-45, S0-46: visiting an item again moves it to the front and adds nothing.
pub fn a_repeated_visit_moves_and_adds_nothing(world: &World) {
    for name in ["one", "two", "three"] {
        put(world, &ada(), name, name);
    }
    get(world, &ada(), "one");
    assert_eq!(mind(world, &ada(), None), ["one", "three", "two"]);
    assert_eq!(mind(world, &ada(), Some("main")), ["one", "three", "two"]);
    world.set("frame_size", "3");
    put(world, &ada(), "four", "4");
    assert_eq!(mind(world, &ada(), None), ["four", "one", "three"], "the least recent goes");
}

// Proves S0-2, S0-48: the size of a frame is a setting; a lower value applies at once.
pub fn the_frame_size_is_a_setting(world: &World) {
    for number in 0..9 {
        put(world, &ada(), &format!("no. {number}"), "x".repeat(number + 1).as_str());
    }
    assert_eq!(mind(world, &ada(), None).len(), 7);
    world.set("frame_size", "2");
    assert_eq!(mind(world, &ada(), None), ["no. 8", "no. 7"]);
    let change = put(world, &ada(), "no. 8", "again");
    assert_eq!(change.delta.as_ref().unwrap().context.len(), 2);
    assert_eq!(world.frame(world.home("ada")).len(), 2, "shrunk by the visit");
    world.set("frame_size", "4");
    for number in 0..4 {
        get(world, &ada(), &format!("no. {number}"));
    }
    assert_eq!(mind(world, &ada(), None), ["no. 3", "no. 2", "no. 1", "no. 0"]);
    for bad in ["0", "10000", "-1", "many"] {
        world.refuses(Kind::Usage, |it| it.set(&ada(), "frame_size", Some(bad)));
    }
}

// Proves S0-50, S0-64: time ends views and does not change frames.
pub fn time_ends_views_but_keeps_frames(world: &World) {
    put(world, &ada(), "plan", "1");
    world.pass(400 * 24 * 60 * MINUTE);
    assert_eq!(mind(world, &ada(), None), ["plan"]);
    let later = put(world, &ada(), "later", "2");
    assert_eq!(later.delta.as_ref().unwrap().context.len(), 1);
    let views = views(world, "ada");
    assert_eq!(views.len(), 2);
    assert!(views[0].ended.is_none(), "still open");
    assert!(views[1].ended.is_some(), "another took its place");
}

// Proves S0-52, S0-53, S0-54, S0-55, S0-63, D0-5: a break ends the view, and the next has no
// predecessor; the items stay in mind, but this actor no longer captures them.
pub fn a_break_ends_the_view_and_stops_captures(world: &World) {
    let old = put(world, &ada(), "old", "1");
    get(world, &bot(), "old");
    world.engine.context_break(&ada()).unwrap();
    assert_eq!(mind(world, &ada(), None), ["old"]);
    assert_eq!(world.engine.context_of(&ada(), None, None).unwrap().before_break, 1);
    let new = put(world, &ada(), "new", "2");
    assert_eq!(new.delta.as_ref().unwrap().context, [""; 0], "nothing from before the break");
    let last = views(world, "ada").remove(0);
    assert_eq!((&last.previous, &last.stream_prev), (&None, &None));
    let in_scope = stream(world, "main").remove(0);
    assert_eq!(in_scope.id, last.id);
    assert!(in_scope.stream_prev.is_some(), "the scope's stream goes on");
    assert_eq!(in_scope.previous, None);
    let ended = views(world, "ada").remove(1);
    assert_eq!(ended.actions.last().unwrap().of_type, "broke");
    assert!(ended.ended.is_some());
    // Others capture from the same frame as before.
    let other = put(world, &bot(), "other", "3");
    assert_eq!(other.delta.as_ref().unwrap().context, [new.id.as_str(), &old.id]);
    // An item visited again is captured again.
    get(world, &ada(), "old");
    assert!(put(world, &ada(), "new", "4").delta.unwrap().context.contains(&old.id));
}

// Proves S0-1, S0-3, S0-4, S0-11, S0-70, S0-71: every actor and every scope has its own frame, and
// a scope's frame gathers what its contributors do.
pub fn every_actor_and_scope_has_its_own_frame(world: &World) {
    put(world, &ada(), "ada's", "1");
    put(world, &bot(), "bot's", "2");
    assert_eq!(mind(world, &ada(), None), ["ada's"]);
    assert_eq!(mind(world, &bot(), None), ["bot's"]);
    assert_eq!(mind(world, &ada(), Some("main")), ["bot's", "ada's"]);
    let rows = world.rows();
    let (ada_home, bot_home) = (world.home("ada"), world.home("bot"));
    assert_ne!(ada_home, bot_home);
    for home in [ada_home, bot_home] {
        let owner = rows.scopes[&home].owner.unwrap();
        assert_eq!(rows.actors.values().filter(|row| row.home == home).count(), 1);
        assert_eq!(rows.actors[&owner].home, home);
        assert!(rows.scopes[&home].id.starts_with("scp_") && rows.scopes[&home].name.is_none());
    }
    let own = world.engine.context_of(&ada(), None, None).unwrap();
    let main = world.engine.context_of(&ada(), Some("main"), None).unwrap();
    assert_eq!((own.scope, main.scope.as_deref()), (None, Some("main")));
    assert_ne!(own.frame, main.frame);
    assert_eq!(stream(world, "main").len(), 2);
}

// Proves S0-81: two actors that visit one item make two views, both in the scope's stream.
pub fn two_actors_make_two_views(world: &World) {
    put(world, &ada(), "plan", "1");
    world.engine.context_break(&ada()).unwrap();
    get(world, &ada(), "plan");
    get(world, &bot(), "plan");
    let views = stream(world, "main");
    assert_ne!(views[0].id, views[1].id);
    let plan = get(world, &ada(), "plan").id;
    for (view, actor) in views.iter().zip(["bot", "ada"]) {
        assert_eq!(view.actor, actor);
        assert_eq!(view.actions.last().unwrap().visited, [plan.as_str()]);
    }
}

// Proves S0-7, S0-9, S0-12, S0-13, D0-1, D0-4: a view is the same by its id and in every stream,
// except for its position there; an ended view never changes, and streams only grow.
pub fn a_view_is_the_same_by_id_and_in_every_stream(world: &World) {
    scopes(world, &["alpha"]);
    world.engine.enter(&ada(), "alpha").unwrap();
    put(world, &ada(), "plan", "1");
    world.engine.leave(&ada(), "alpha").unwrap();
    let without_position = |view: &ambit::ViewLine| {
        let mut view = serde_json::to_value(view).unwrap();
        view.as_object_mut().unwrap().remove("stream_prev");
        view
    };
    let own = views(world, "ada").remove(0);
    let ways = [stream(world, "alpha").remove(0), stream(world, "main").remove(0)];
    for way in &ways {
        assert_eq!(without_position(way), without_position(&own));
    }
    let by_id = ViewsRequest { id: Some(own.id.clone()), ..ViewsRequest::default() };
    assert_eq!(
        without_position(&world.engine.views(&bot(), &by_id).unwrap().views[0]),
        without_position(&own)
    );
    put(world, &ada(), "plan", "2");
    put(world, &bot(), "plan", "3");
    assert_eq!(
        without_position(&world.engine.views(&ada(), &by_id).unwrap().views[0]),
        without_position(&own)
    );
    let positions: Vec<_> = stream(world, "main").iter().map(|view| view.event).collect();
    assert!(positions.is_sorted_by(|a, b| a > b), "{positions:?}");
}

// Proves S0-38, S0-93: a scope that three of the last five visits belong to and that is not active
// is suggested; only the actor enters it.
pub fn a_scope_is_suggested_and_never_entered(world: &World) {
    scopes(world, &["alpha"]);
    for name in ["a", "b", "c"] {
        put(world, &bot(), name, name);
        world.engine.place(&bot(), name, "alpha", false).unwrap();
    }
    put(world, &ada(), "own", "1");
    get(world, &ada(), "a");
    get(world, &ada(), "b");
    assert!(world.engine.suggest(&ada()).unwrap().suggestions.is_empty());
    get(world, &ada(), "c");
    let before = world.head();
    let suggested = world.engine.suggest(&ada()).unwrap().suggestions;
    assert_eq!(suggested.len(), 1);
    assert_eq!((suggested[0].scope.as_str(), suggested[0].visits), ("alpha", 3));
    assert_eq!(world.head(), before);
    assert_eq!(world.engine.active_scopes(&ada()).unwrap(), ["main"]);
    world.engine.enter(&ada(), "alpha").unwrap();
    assert!(world.engine.suggest(&ada()).unwrap().suggestions.is_empty());
}
