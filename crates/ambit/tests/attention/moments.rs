//! Past moments: frames, scopes, compositions and versions as they were.

use ambit::{GetRequest, Kind};

use crate::things::{get, mind, put};
use crate::world::{MINUTE, World, ada, bot, calls, reply};

/// For every event, a later query returns what a query returned then.
pub fn frames_can_be_read_at_any_moment(world: &World) {
    world.set("frame_size", "3");
    let callers = [ada(), bot()];
    let mut then = Vec::new();
    let mut keep = |world: &World| {
        let own = callers.each_ref().map(|caller| mind(world, caller, None));
        then.push((world.head(), own, mind(world, &ada(), Some("main"))));
    };
    for number in 0..4 {
        put(world, &ada(), &format!("a{number}"), &number.to_string());
        keep(world);
        put(world, &bot(), &format!("b{number}"), &format!("b{number}"));
        keep(world);
        get(world, &ada(), "a0");
        world.pass(MINUTE);
        keep(world);
    }
    world.engine.fork(&ada(), "sub", "go", ambit::Inherit::None).unwrap();
    let sub = ambit::Caller::new("sub");
    let born = (world.head(), mind(world, &sub, None));
    get(world, &sub, "b0");
    let at = |caller: &ambit::Caller, scope: Option<&str>, at: i64| {
        let answer = world.engine.context_of(caller, scope, Some(&at.to_string())).unwrap();
        answer.things.into_iter().map(|thing| thing.name).collect::<Vec<_>>()
    };
    for (head, own, main) in then {
        for (caller, own) in callers.iter().zip(own) {
            assert_eq!(at(caller, None, head), own, "{} at {head}", caller.actor);
        }
        assert_eq!(at(&ada(), Some("main"), head), main, "main at {head}");
    }
    assert_eq!(at(&sub, None, born.0), born.1);
    assert_eq!(at(&sub, Some("sub"), born.0).len(), 3);
    world.engine.rejoin(&sub, None, None, false).unwrap();
    assert_eq!(at(&sub, None, world.head()), [""; 0], "its frame is gone");
    assert_eq!(at(&sub, None, born.0), born.1, "and was there");
}

/// An actor's scopes, the existing scopes, and their notes.
pub fn scopes_and_notes_can_be_read_at_any_moment(world: &World) {
    let mut then = Vec::new();
    let mut keep = |world: &World| {
        let here = world.engine.where_am_i(&ada()).unwrap();
        let scopes = world.engine.scopes(&ada()).unwrap().scopes;
        let names: Vec<_> = scopes.into_iter().map(|it| (it.name, it.current)).collect();
        let notes: Vec<_> = world.notes("main").into_iter().map(|(text, _)| text).collect();
        then.push((world.head(), here.primary_scope, here.active_scopes, names, notes));
    };
    world.engine.note(&ada(), "first").unwrap();
    keep(world);
    world.engine.scope(&ada(), "alpha", "off").unwrap();
    keep(world);
    world.engine.enter(&ada(), "main").unwrap();
    keep(world);
    world.engine.leave(&ada(), "alpha").unwrap();
    keep(world);
    world.engine.focus(&ada(), "main").unwrap();
    world.engine.note(&ada(), "last").unwrap();
    keep(world);
    world.engine.fork(&ada(), "sub", "go", ambit::Inherit::None).unwrap();
    keep(world);
    world.engine.rejoin(&ada(), Some("sub"), Some("done"), false).unwrap();
    for (head, primary, active, scopes, notes) in then {
        let at = head.to_string();
        let stood = world.engine.where_at(&ada(), &at).unwrap();
        assert_eq!((stood.primary_scope, stood.active_scopes), (primary, active), "at {head}");
        let were = world.engine.scopes_at(&ada(), &at).unwrap().scopes;
        let were: Vec<_> = were.into_iter().map(|it| (it.name, it.current)).collect();
        assert_eq!(were, scopes, "at {head}");
        let noted = world.engine.notes_at(&ada(), Some("main"), &at).unwrap().notes;
        let noted: Vec<_> = noted.into_iter().map(|it| it.message).collect();
        assert_eq!(noted, notes, "at {head}");
    }
    assert!(!world.engine.where_at(&bot(), "1").unwrap().registered);
    assert!(world.engine.where_at(&ada(), "99999").is_err());
    // A scope that did not exist yet is refused.
    world.refuses(Kind::NotFound, |it| it.notes_at(&ada(), Some("alpha"), "2"));
    world.refuses(Kind::NotFound, |it| it.context_of(&ada(), Some("alpha"), Some("2")));
    // A time to the second means the whole second.
    let time = world.engine.where_at(&ada(), &world.head().to_string()).unwrap().time;
    let second = format!("{}Z", time.split('.').next().unwrap());
    assert_eq!(world.engine.where_at(&ada(), &second).unwrap().at, world.head());
    let ended = world.engine.where_am_i(&ambit::Caller::new("sub")).unwrap().ended;
    assert_eq!(ended, Some("rejoined"));
    let scopes = world.engine.scopes(&ada()).unwrap().scopes;
    let closed = scopes.into_iter().filter(|it| it.closed).map(|it| it.name);
    assert_eq!(closed.collect::<Vec<_>>(), ["sub"]);
}

/// For every step, a later composition at that moment equals the one composed then, in layers.
pub fn compositions_can_be_repeated_for_any_moment(world: &World) {
    let layered = ambit::Request {
        layout: Some(ambit::Layout::Layered),
        budget: Some(4_000),
        ..ambit::Request::default()
    };
    let mut then = Vec::new();
    let mut keep = |world: &World| {
        let shown = world.engine.compose(&ada(), &layered).unwrap();
        then.push((world.head(), shown.messages));
    };
    world.say(&ada(), "system", "Be brief.");
    let first = world.say(&ada(), "user", "why does login time out?");
    keep(world);
    world.engine.note(&ada(), "it is the session").unwrap();
    world.say(&ada(), "assistant", "Let me look.");
    keep(world);
    for number in 0..8 {
        world.say(&ada(), "user", &format!("{number} {}", "and more ".repeat(20)));
        world.say(&ada(), "assistant", &format!("{number} indeed"));
        put(world, &ada(), "plan", &number.to_string());
        keep(world);
    }
    world.engine.rewind(&ada(), first).unwrap();
    keep(world);
    world.say(&ada(), "user", "again, then");
    keep(world);
    // The leading messages of that moment may be gone by now.
    world.set("clear_on_note", "on");
    world.engine.note(&ada(), "a new start").unwrap();
    world.say(&ada(), "system", "Be thorough.");
    keep(world);
    world.say(&ada(), "user", "and later");
    for (head, messages) in then {
        let was = world.engine.compose_at(&ada(), &layered, &head.to_string()).unwrap();
        let was: Vec<_> = was.messages.iter().map(|it| it.get()).collect();
        let shown: Vec<_> = messages.iter().map(|it| it.get()).collect();
        assert_eq!(was, shown, "at {head}");
    }
    // If the setting shows what is in mind, it shows what was in mind then.
    world.set("frame_shown", "on");
    let early = world.engine.compose_at(&ada(), &layered, "7").unwrap();
    let said = r#"{"role":"system","content":"[IN MIND]\n- it is the session (note)"}"#;
    assert_eq!(early.messages[0].get(), said);
    world.engine.scope(&ada(), "alpha", "off").unwrap();
    let named = ada().in_scope("alpha");
    assert!(world.engine.compose_at(&named, &layered, "2").is_err(), "not there then");
}

pub fn versions_can_be_read_at_any_moment(world: &World) {
    let first = put(world, &ada(), "plan", "one").event;
    let between = world.now() + MINUTE;
    world.pass(5 * MINUTE);
    let second = put(world, &ada(), "plan", "two").event;
    world.pass(5 * MINUTE);
    let at = |at: &str| {
        let (named, at) = ("plan".to_string(), Some(at.to_string()));
        let request = GetRequest { named, at, no_visit: true, ..GetRequest::default() };
        world.engine.get(&ada(), &request).map(|got| got.text)
    };
    assert_eq!(at(&first.to_string()).unwrap(), "one");
    assert_eq!(at(&second.to_string()).unwrap(), "two");
    assert_eq!(at(&ambit::rfc3339(between)).unwrap(), "one");
    assert_eq!(at("7m").unwrap(), "one");
    assert_eq!(at("0m").unwrap(), "two");
    assert_eq!(at("1").unwrap_err().kind(), ambit::Kind::NotFound);
    for bad in ["0", "-3", "999999", "2999-01-01", "yesterday"] {
        assert_eq!(at(bad).unwrap_err().kind(), ambit::Kind::Usage, "{bad}");
    }
}

/// Compositions at past moments equal those composed then, also with a small budget and many
/// messages hidden since. Instructions stay, open calls end the composition, large blocks are
/// stubs, and insights retracted since are shown.
pub fn past_compositions_include_items_hidden_since(world: &World) {
    let layered = |budget| ambit::Request {
        layout: Some(ambit::Layout::Layered),
        budget: Some(budget),
        ..ambit::Request::default()
    };
    world.set("release_percent", "50");
    let mut then = Vec::new();
    let mut keep = |world: &World| {
        for budget in [100_000, 600] {
            let shown = world.engine.compose(&ada(), &layered(budget)).unwrap();
            then.push((world.head(), budget, crate::world::bytes(&shown)));
        }
    };
    world.say(&ada(), "system", "Be brief.");
    let insight = world.engine.insight(&ada(), "mind the clock").unwrap();
    keep(world);
    for number in 0..30 {
        let id = format!("c{number}");
        world.say(&ada(), "user", &format!("{number} {}", "and more ".repeat(9)));
        world.append(&ada(), &[calls("I look", &[&id])]);
        if number % 10 == 3 {
            keep(world);
        }
        world.append(&ada(), &[reply(&id, "seen")]);
        if number == 12 {
            world.engine.retract(&ada(), &insight.hash).unwrap();
        }
        if number == 20 {
            world.set("clear_on_note", "on");
            world.engine.note(&ada(), "a new start").unwrap();
            world.set("clear_on_note", "off");
            world.say(&ada(), "system", "Be thorough.");
        }
    }
    world.say(&ada(), "user", &"large ".repeat(400));
    keep(world);
    world.set("clear_on_note", "on");
    world.engine.note(&ada(), "and another").unwrap();
    keep(world);
    for (head, budget, shown) in then {
        let was = world.engine.compose_at(&ada(), &layered(budget), &head.to_string()).unwrap();
        let was = crate::world::bytes(&was);
        match budget {
            600 => {
                // The window's start moves by steps there and by turns here: both have the same
                // end.
                let instructed = shown.first().filter(|it| it.contains("Be ")).is_some();
                assert!(!instructed || was.first() == shown.first(), "{was:#?} {shown:#?}");
                assert_eq!(was.last(), shown.last(), "at {head}");
                assert!(was.len() >= shown.len(), "at {head}: {was:#?} {shown:#?}");
            }
            _ => assert_eq!(was, shown, "at {head}"),
        }
    }
    let stable = ambit::Request { layout: Some(ambit::Layout::Stable), ..layered(600) };
    world.refuses(Kind::Usage, |it| it.compose_at(&ada(), &stable, "5"));
    world.refuses(Kind::Usage, |it| it.compose_at(&ada().expecting(5), &layered(600), "5"));
}

/// A reader that was in another scope then is shown that scope.
pub fn a_past_moment_uses_the_primary_scope_of_that_moment(world: &World) {
    world.say(&ada(), "user", "in main");
    world.engine.note(&ada(), "noted in main").unwrap();
    let early = world.head().to_string();
    world.engine.scope(&ada(), "alpha", "off").unwrap();
    world.say(&ada(), "user", "in alpha");
    let late = world.head().to_string();
    world.engine.goto(&ada(), "main", "back").unwrap();
    world.engine.scope(&ada(), "beta", "off again").unwrap();
    let shown = |at: &str, caller: &ambit::Caller| {
        let composed = world.engine.compose_at(caller, &ambit::Request::default(), at).unwrap();
        let notes = world.engine.notes_at(caller, None, at).unwrap().scope;
        (composed.scope.clone(), crate::world::texts(&composed).pop().unwrap(), notes)
    };
    let expected =
        |scope: &str, text: &str| (scope.to_string(), text.to_string(), scope.to_string());
    assert_eq!(shown(&early, &ada()), expected("main", "in main"));
    assert_eq!(shown(&late, &ada()), expected("alpha", "in alpha"));
    assert_eq!(shown(&late, &ada().in_scope("main")).0, "main", "unless one is named");
    let named = ada().in_scope("beta");
    let result = world
        .refuses(Kind::NotFound, |it| it.compose_at(&named, &ambit::Request::default(), &late));
    assert!(result.contains("beta"), "{result}");
}

// Proves D0-3.
/// An actor whose primary scope was closed has none, then as now.
pub fn closing_the_primary_scope_leaves_none(world: &World) {
    world.engine.fork(&ada(), "sub", "go", ambit::Inherit::None).unwrap();
    world.engine.enter(&ada(), "sub").unwrap();
    world.engine.focus(&ada(), "sub").unwrap();
    put(world, &ada(), "plan", "1");
    world.engine.rejoin(&ambit::Caller::new("sub"), None, None, false).unwrap();
    get(world, &ada(), "plan");
    let here = world.engine.where_am_i(&ada()).unwrap();
    assert_eq!((here.primary_scope, here.active_scopes), (None, vec!["main".to_string()]));
    let then = world.engine.where_at(&ada(), &world.head().to_string()).unwrap();
    assert_eq!((then.primary_scope, then.active_scopes), (None, vec!["main".to_string()]));
}

/// In a store from before switches were recorded, views show where actors were, for past and
/// present.
#[test]
fn old_stores_know_the_scopes_of_their_actors() {
    let folder = tempfile::tempdir().unwrap();
    let fixtures = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../ambit-store/tests");
    let path = folder.path().join("ambit.db");
    std::fs::copy(fixtures.join("fixtures/schema-5.db"), &path).unwrap();
    let engine = ambit::Engine::open(&ambit::Location::Sqlite(path)).unwrap();
    let here = engine.where_am_i(&ada()).unwrap();
    assert_eq!(here.primary_scope.as_deref(), Some("abandoned"));
    let request = ambit::PutRequest { object: "plan".into(), ..ambit::PutRequest::default() };
    let put = engine.put(&ada(), &request).unwrap();
    let why = engine.why(&ada(), "plan").unwrap();
    assert_eq!(
        (&why.primary_scope, &why.active_scopes),
        (&here.primary_scope, &here.active_scopes)
    );
    let then = engine.where_at(&ada(), &put.event.to_string()).unwrap();
    assert_eq!((then.primary_scope, then.active_scopes), (here.primary_scope, here.active_scopes));
    let notes = engine.notes(&ada(), Some("step-1")).unwrap().notes;
    let found = notes.iter().find(|note| note.message.starts_with("Found")).unwrap();
    let why = engine.why(&ada(), &found.hash).unwrap();
    assert_eq!(why.primary_scope.as_deref(), Some("step-1"));
}
