//! Objects: which types enter frames, which frame a change captures, and versions.

use ambit::{GetRequest, Kind, ObjectsRequest, PutRequest, Selection};

use crate::things::{get, mind, put};
use crate::world::{MINUTE, World, ada, bot};

fn typed(world: &World, name: &str, of_type: &str) {
    let request = PutRequest {
        object: name.into(),
        of_type: Some(of_type.into()),
        text: format!("what {name} says"),
        into: None,
    };
    world.engine.put(&ada(), &request).unwrap();
}

// Proves S0-56: visited artifacts, notes and contacts enter the frame.
pub fn visited_objects_enter_the_frame(world: &World) {
    typed(world, "plan", "artifact");
    typed(world, "grace", "contact");
    let noted = world.engine.note(&ada(), "a finding").unwrap().hash;
    world.engine.context_break(&bot()).unwrap();
    for named in ["plan", "grace", &noted] {
        assert!(get(world, &bot(), named).visited, "{named}");
    }
    assert_eq!(mind(world, &bot(), None), ["a finding", "grace", "plan"]);
}

// Proves S0-57, S0-58: a schema never enters a frame, reading metadata is not a visit, reading an
// artifact's content is one.
pub fn the_type_decides_whether_reading_is_a_visit(world: &World) {
    typed(world, "plan", "artifact");
    typed(world, "table", "schema");
    typed(world, "limits", "config");
    assert_eq!(mind(world, &ada(), None), ["plan"], "to put a schema is no visit");
    let before = world.head();
    assert!(!get(world, &ada(), "table").visited);
    assert!(!get(world, &ada(), "limits").visited);
    assert_eq!(world.head(), before, "and no event");
    // Proves S0-78.
    let meta = world.engine.meta(&ada(), "plan").unwrap();
    assert!(meta.substantive && meta.scopes == ["main"]);
    assert_eq!(world.head(), before);
    assert!(get(world, &ada(), "plan").visited);
    assert_eq!(world.head(), before + 1);
}

// Proves S0-59, D0-11: a type listed in neither table enters frames; settings extend the table
// both ways.
pub fn types_are_a_table_that_settings_extend(world: &World) {
    typed(world, "chart", "dashboard");
    assert_eq!(mind(world, &ada(), None), ["chart"]);
    world.set("types_primitive", "dashboard");
    world.set("types_substantive", "schema");
    assert!(!get(world, &ada(), "chart").visited);
    typed(world, "table", "schema");
    assert_eq!(mind(world, &ada(), None), ["table", "chart"]);
}

// Proves S0-77: reading is a visit unless the caller says otherwise.
pub fn reading_without_a_visit(world: &World) {
    put(world, &ada(), "plan", "1. look");
    world.engine.note(&ada(), "in between").unwrap();
    let (before, held) = (world.head(), mind(world, &ada(), None));
    let look = GetRequest { named: "plan".into(), no_visit: true, ..GetRequest::default() };
    let got = world.engine.get(&ada(), &look).unwrap();
    assert_eq!((got.text.as_str(), got.visited), ("1. look", false));
    assert_eq!((world.head(), mind(world, &ada(), None)), (before, held));
    assert!(get(world, &ada(), "plan").visited);
    assert_eq!(mind(world, &ada(), None)[0], "plan");
}

// Proves S0-17: an object in no scope is captured from its actor's own frame.
pub fn objects_in_no_scope_are_captured_from_the_actors_frame(world: &World) {
    put(world, &ada(), "plan", "1. look");
    put(world, &bot(), "other", "bot's");
    world.engine.place(&ada(), "plan", "main", true).unwrap();
    let change = put(world, &ada(), "plan", "2. fix");
    let home = world.rows().scopes[&world.home("ada")].id.clone();
    assert_eq!(change.delta.as_ref().unwrap().context_frame, home);
    let main = world.engine.context_of(&ada(), None, None).unwrap().context;
    assert_eq!(
        change.delta.as_ref().unwrap().context,
        main,
        "what ada had in mind, and nothing of bot's"
    );
}

// Proves S0-16, S0-39, D0-7: the frame is that of the primary scope if it holds the object, else
// of the most recently entered active scope that does, else of the scope it joined first; closed
// scopes do not count.
pub fn the_frame_that_a_change_captures(world: &World) {
    put(world, &ada(), "plan", "0");
    world.engine.scope(&ada(), "alpha", "off").unwrap();
    world.engine.scope(&ada(), "beta", "off").unwrap();
    let id = |name: &str| world.scope(name).id;
    let mut version = 0;
    let mut frame = || {
        version += 1;
        put(world, &ada(), "plan", &format!("version {version}")).delta.unwrap().context_frame
    };
    assert_eq!(frame(), id("main"), "joined first");
    world.engine.place(&ada(), "plan", "alpha", false).unwrap();
    assert_eq!(frame(), id("main"), "alpha holds it, and is not active");
    world.engine.enter(&ada(), "alpha").unwrap();
    assert_eq!(frame(), id("alpha"), "the active one that holds it");
    world.engine.enter(&ada(), "main").unwrap();
    assert_eq!(frame(), id("main"), "the most recently entered one");
    world.engine.focus(&ada(), "alpha").unwrap();
    assert_eq!(frame(), id("alpha"), "the primary one comes first");
    // A pin chooses the frame for one command.
    let request =
        PutRequest { object: "plan".into(), text: "pinned".into(), ..PutRequest::default() };
    let pinned = world.engine.put(&ada().in_scope("main"), &request).unwrap();
    assert_eq!(pinned.delta.as_ref().unwrap().context_frame, id("main"));
    // A fork's scope is closed when it ends.
    world.engine.fork(&ada(), "sub", "go", ambit::Inherit::None).unwrap();
    world.engine.place(&ada(), "plan", "sub", false).unwrap();
    for scope in ["main", "alpha"] {
        world.engine.place(&ada(), "plan", scope, true).unwrap();
    }
    assert_eq!(frame(), id("sub"));
    world.engine.rejoin(&ada(), Some("sub"), None, false).unwrap();
    assert_eq!(frame(), world.rows().scopes[&world.home("ada")].id);
}

// Proves S0-10, S0-19, D0-12: a change captures the frame from before the change, with the object
// itself only if it was there.
pub fn every_change_is_captured_before_its_own_visit(world: &World) {
    let first = put(world, &ada(), "one", "1");
    assert_eq!(first.delta.as_ref().unwrap().context, [""; 0]);
    let second = put(world, &ada(), "two", "2");
    assert_eq!(second.delta.as_ref().unwrap().context, [first.id.as_str()]);
    assert_eq!(second.delta.as_ref().unwrap().context_frame, world.scope("main").id);
    let again = put(world, &ada(), "one", "one");
    assert_eq!(again.delta.as_ref().unwrap().context, [second.id.as_str(), &first.id]);
    assert_eq!(again.delta.as_ref().unwrap().parent, Some(first.event));
    let moved = world.engine.place(&ada(), "two", "main", true).unwrap();
    assert_eq!(moved.delta.as_ref().unwrap().context, [first.id.as_str(), &second.id]);
    let note = world.engine.note(&ada(), "and a note").unwrap().hash;
    let why = world.engine.why(&ada(), &note).unwrap();
    let context: Vec<_> = why.context.iter().map(|it| it.thing.name.as_str()).collect();
    assert_eq!(context, ["two", "one"]);
}

// Proves S0-85: replaced and forgotten items stay in mind.
pub fn replaced_and_forgotten_items_stay_in_mind(world: &World) {
    put(world, &ada(), "plan", "the secret plan");
    put(world, &ada(), "plan", "another plan");
    world.engine.note(&ada(), "later").unwrap();
    let selection = Selection { names: vec!["plan".into()], ..Selection::default() };
    let forgot = world.engine.forget(&ada(), &selection, &|_| {}).unwrap();
    assert_eq!((forgot.versions, forgot.texts), (2, 2));
    assert_eq!(mind(world, &ada(), None), ["later", "plan"]);
    let error =
        world.engine.get(&ada(), &GetRequest { named: "plan".into(), ..GetRequest::default() });
    assert_eq!(error.unwrap_err().kind(), Kind::NotFound);
    world.verified();
}

pub fn versions_are_kept_and_compared(world: &World) {
    put(world, &ada(), "plan", "1. look\n2. think\n");
    put(world, &bot(), "plan", "1. look\n2. fix\n");
    let first = GetRequest { named: "plan".into(), version: Some(1), ..GetRequest::default() };
    let got = world.engine.get(&ada(), &first).unwrap();
    assert_eq!((got.version, got.versions, got.author.as_str()), (1, 2, "ada"));
    let diff = world.engine.diff(&ada(), "plan", None, None).unwrap();
    assert_eq!((diff.from, diff.to, diff.hunks.len()), (1, 2, 1));
    assert!(diff.unified.contains("-2. think\n+2. fix\n"), "{}", diff.unified);
    let back = world.engine.diff(&ada(), "plan", Some("2"), Some("1")).unwrap();
    assert!(back.unified.contains("-2. fix\n+2. think\n"));
    // An equal text does not make a new version.
    let same = PutRequest {
        object: "plan".into(),
        text: "1. look\n2. fix\n".into(),
        ..PutRequest::default()
    };
    world.refuses(Kind::Conflict, |it| it.put(&ada(), &same));
    world.verified();
}

pub fn a_first_version_is_compared_with_an_empty_text(world: &World) {
    world.pass(MINUTE);
    put(world, &ada(), "plan", "one\ntwo\n");
    for from in [None, Some("1m"), Some("2026-01-01")] {
        let result = world.engine.diff(&ada(), "plan", from, None).unwrap();
        assert_eq!((result.from, result.to), (0, 1), "{from:?}");
        assert!(result.unified.contains("+one\n+two\n"), "{}", result.unified);
    }
    let note = world.engine.note(&ada(), "a note").unwrap().hash;
    let result = world.refuses(Kind::Usage, |it| it.diff(&ada(), &note, None, None));
    assert!(result.contains("is a note"), "{result}");
}

pub fn names_and_types_never_change(world: &World) {
    typed(world, "plan", "document");
    let id = put(world, &ada(), "plan", "more").id;
    let put_as = |object: &str, of_type: Option<&str>, into: Option<&str>| {
        let request = PutRequest {
            object: object.into(),
            of_type: of_type.map(str::to_string),
            text: "x".into(),
            into: into.map(str::to_string),
        };
        move |it: &ambit::Engine| it.put(&ada(), &request)
    };
    world.refuses(Kind::Conflict, put_as("plan", Some("schema"), None));
    world.refuses(Kind::Usage, put_as("plan", None, Some("main")));
    world.refuses(Kind::NotFound, put_as("obj_0", None, None));
    world.refuses(Kind::Usage, put_as("", None, None));
    world.refuses(Kind::Usage, put_as("a\u{1b}b", None, None));
    assert_eq!(put(world, &ada(), &id, "by its id").version, 3);
    typed(world, "grace", "contact");
    let listed = |of_type: &str| {
        let of_type = Some(of_type.to_string());
        let request = ObjectsRequest { of_type, ..ObjectsRequest::default() };
        let answer = world.engine.objects(&ada(), &request).unwrap();
        answer.objects.into_iter().map(|it| it.name).collect::<Vec<_>>()
    };
    assert_eq!(listed("contact"), ["grace"]);
    assert_eq!(listed("artifact"), [""; 0]);
    // A type is found past any number of other objects, also within a scope.
    for within in [None, Some("main".to_string())] {
        let of_type = Some("contact".to_string());
        let request =
            ObjectsRequest { of_type, within, limit: Some(1), ..ObjectsRequest::default() };
        assert_eq!(world.engine.objects(&ada(), &request).unwrap().objects[0].name, "grace");
    }
    let page = ObjectsRequest { limit: Some(1), ..ObjectsRequest::default() };
    let first = world.engine.objects(&ada(), &page).unwrap();
    assert_eq!((first.objects[0].name.as_str(), &first.next), ("plan", &Some(id)));
    let rest = ObjectsRequest { after: first.next, ..ObjectsRequest::default() };
    assert_eq!(world.engine.objects(&ada(), &rest).unwrap().objects[0].name, "grace");
}

/// Search finds objects by their text; forgetting removes all versions, and the name stays.
pub fn objects_are_found_and_forgotten(world: &World) {
    put(world, &ada(), "plan", "the zeppelin lands at noon");
    put(world, &ada(), "plan", "the zeppelin lands at dusk");
    let search = |words: &str| {
        let query = words.to_string();
        let request = ambit::SearchRequest { query, ..Default::default() };
        world.engine.search(&ada(), &request).unwrap().hits
    };
    let hits = search("zeppelin dusk");
    assert_eq!(hits[0].kind, "object");
    assert_eq!(hits[0].scope.as_deref(), Some("main"));
    let selection = Selection { containing: Some("zeppelin".into()), ..Selection::default() };
    let forgot = world.engine.forget(&ada(), &selection, &|_| {}).unwrap();
    assert_eq!((forgot.versions, forgot.texts), (2, 2));
    assert!(search("zeppelin").is_empty());
    // A name that could be a turn or a note cannot name an object.
    for name in ["3", "3.0", "bbbd170"] {
        let request = PutRequest { object: name.into(), ..PutRequest::default() };
        world.refuses(Kind::Usage, |it| it.put(&ada(), &request));
    }
    assert!(world.contents().iter().all(|it| !it.text.starts_with(b"the zeppelin")));
    assert_eq!(put(world, &ada(), "plan", "a new start").version, 3);
    world.verified();
}
