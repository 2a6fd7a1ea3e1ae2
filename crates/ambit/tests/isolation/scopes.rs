//! Scopes: `scope`, `goto`, `scopes` and `notes`, and what is hidden from other scopes.

use ambit::Kind;
use ambit_core::{Noted, ScopeNo, What};

use crate::world::{World, ada, bot, lines, texts};

fn own(message: &str) -> (String, bool) {
    (message.to_string(), false)
}

fn inherited(message: &str) -> (String, bool) {
    (message.to_string(), true)
}

// Proves S1-7, S1-5, S1-6: main exists from the start, and a new actor starts there.
pub fn main_always_exists(world: &World) {
    let main = world.scope("main");
    assert_eq!((main.created_seq, main.messages, main.notes), (1, 0, 0));
    assert_eq!(main.last_note, None, "a scope's head note, none yet");
    let scopes = world.engine.scopes(&ada()).unwrap().scopes;
    assert_eq!(scopes.len(), 1);
    assert_eq!((scopes[0].name.as_str(), scopes[0].current), ("main", true));
    assert_eq!(scopes[0].created_at, "2027-01-15T08:00:00.000Z");
    let place = world.engine.where_am_i(&ada()).unwrap();
    assert_eq!((place.primary_scope.as_deref(), place.registered), (Some("main"), false));
    assert_eq!(world.head(), 1, "reading registers nobody");
}

// Proves S1-16, S1-17, S1-18, S1-19: the note is written in the origin first, then the scope is
// created with main as parent, then the switch.
pub fn scope_notes_in_the_origin_creates_and_switches(world: &World) {
    let me = ada();
    world.say(&me, "user", "start task");
    let head = world.head();
    let answer = world.engine.scope(&me, "step-1", "Investigating").unwrap();
    assert_eq!((answer.scope.as_str(), answer.origin.as_str()), ("step-1", "main"));
    assert_eq!(answer.note.hash.len(), 64);
    let names = world.names_after(head);
    assert_eq!(names, ["noted", "scope_created", "left", "entered", "focused"]);
    let events = world.events();
    let What::Noted(Noted { scope, .. }) = &events[head as usize].event.body.what else { panic!() };
    assert_eq!(*scope, ScopeNo(1), "the note stays in main");
    assert_eq!(world.notes("main"), [own("[→ step-1] Investigating")]);
    assert_eq!(world.scope("step-1").parent, Some(ScopeNo(1)));
    let place = world.engine.where_am_i(&me).unwrap();
    assert_eq!(place.primary_scope.as_deref(), Some("step-1"));
    assert_eq!(place.active_scopes, ["step-1"]);
}

// Proves S1-20, S1-22, S1-23: goto switches first, and then writes the note in the destination.
pub fn goto_switches_and_notes_in_the_destination(world: &World) {
    let me = ada();
    world.engine.scope(&me, "step-1", "away").unwrap();
    let head = world.head();
    let answer = world.engine.goto(&me, "main", "Fixed it").unwrap();
    assert_eq!((answer.scope.as_str(), answer.origin.as_str()), ("main", "step-1"));
    assert_eq!(world.names_after(head), ["left", "entered", "focused", "noted"]);
    assert_eq!(world.notes("main"), [own("[→ step-1] away"), own("[← step-1] Fixed it")]);
    assert_eq!(world.notes("step-1"), [inherited("[→ step-1] away")], "nothing in the origin");
    assert_eq!(world.engine.where_am_i(&me).unwrap().primary_scope.as_deref(), Some("main"));
    assert_eq!(answer.head, world.scope("main").head);
    // Also by its id.
    let id = world.scope("step-1").id;
    assert_eq!(world.engine.goto(&me, &id, "again").unwrap().scope, "step-1");
}

// Proves S1-30: the worked example of the method's section 3.4.
pub fn the_worked_example(world: &World) {
    let me = ada();
    world.engine.scope(&me, "step-1", "Investigating authentication bug").unwrap();
    world.engine.note(&me, "Found: session timeout was 1s instead of 3600s").unwrap();
    world.engine.goto(&me, "main", "Fixed: session timeout corrected to 3600s").unwrap();
    assert_eq!(
        world.notes("main"),
        [
            own("[→ step-1] Investigating authentication bug"),
            own("[← step-1] Fixed: session timeout corrected to 3600s"),
        ]
    );
    assert_eq!(
        world.notes("step-1"),
        [
            inherited("[→ step-1] Investigating authentication bug"),
            own("Found: session timeout was 1s instead of 3600s"),
        ]
    );
}

// Proves S1-11, S1-12, S1-13: only the current scope's messages and notes are shown; those of
// others are kept.
pub fn only_the_current_scope_is_shown(world: &World) {
    let me = ada();
    world.say(&me, "user", "start task");
    world.engine.scope(&me, "step-1", "why").unwrap();
    world.say(&me, "user", "read the file");
    world.engine.note(&me, "a note of step-1").unwrap();
    let inside = texts(&world.compose(&me));
    assert_eq!(inside.len(), 2);
    assert!(inside[0].contains("[→ step-1] why") && inside[0].contains("a note of step-1"));
    assert_eq!(inside[1], "read the file");
    world.engine.goto(&me, "main", "back").unwrap();
    world.say(&me, "user", "next step");
    let outside = texts(&world.compose(&me));
    assert!(!outside[0].contains("a note of step-1"));
    assert_eq!(outside[1..], ["start task", "next step"]);
    // Hidden messages are kept: they can be composed from outside, and are shown after going back.
    let hidden = world.compose(&ada().in_scope("step-1"));
    assert_eq!(texts(&hidden)[1..], ["read the file"]);
    assert_eq!(world.scope("step-1").messages, 1);
    world.engine.goto(&me, "step-1", "again").unwrap();
    assert_eq!(texts(&world.compose(&me))[1..], ["read the file"]);
}

// Proves S1-15: the cost of a call depends on its scope alone.
pub fn tokens_are_bounded_per_scope(world: &World) {
    let me = ada();
    world.engine.scope(&me, "small", "why").unwrap();
    world.say(&me, "user", "a short question");
    let before = world.compose(&me).tokens;
    let main = ada().in_scope("main");
    for round in 0..100 {
        world.say(&main, "user", &format!("{round}: {}", "many words ".repeat(50)));
    }
    assert_eq!(world.compose(&me).tokens, before);
    assert!(world.compose(&main).tokens > 50 * before);
}

// Proves D1-1: a new scope inherits main's notes and no messages, whichever scope it is opened
// from, up to its opening; inherited notes count towards those shown.
pub fn a_scope_inherits_the_notes_of_main(world: &World) {
    let me = ada();
    for number in 1..=4 {
        world.engine.note(&me, &format!("main {number}")).unwrap();
    }
    world.say(&me, "user", "a message of main");
    world.engine.scope(&me, "step-1", "leaving main").unwrap();
    world.engine.note(&me, "own 1").unwrap();
    // Opened from step-1: the departure note stays there, main's notes are inherited.
    world.engine.scope(&me, "step-2", "leaving step-1").unwrap();
    world.engine.goto(&me, "main", "back").unwrap();
    world.engine.note(&me, "main too late").unwrap();
    let from_main = ["main 1", "main 2", "main 3", "main 4", "[→ step-1] leaving main"];
    let from_main: Vec<_> = from_main.into_iter().map(inherited).collect();
    assert_eq!(world.notes("step-2"), from_main);
    let mut of_step_1 = from_main.clone();
    of_step_1.extend([own("own 1"), own("[→ step-2] leaving step-1")]);
    assert_eq!(world.notes("step-1"), of_step_1);

    world.engine.goto(&me, "step-1", "again").unwrap();
    let composed = world.compose(&me);
    let layer = &lines(&composed)[0].1;
    let notes: Vec<_> = layer.lines().skip(1).map(|line| &line[12..]).collect();
    let last_five = ["main 4", "[→ step-1] leaving main", "own 1", "[→ step-2] leaving step-1"];
    assert_eq!(notes[..4], last_five, "inherited ones count towards the five");
    assert_eq!(notes[4..], ["[← main] again"]);
    assert_eq!(composed.messages.len(), 1, "no message of main");
    let counted: Vec<_> = world.engine.scopes(&me).unwrap().scopes;
    let counts: Vec<_> = counted.iter().map(|line| (line.name.as_str(), line.notes)).collect();
    assert_eq!(counts, [("main", 7), ("step-1", 3), ("step-2", 0)], "own ones only");
}

// Proves S1-26: `scopes` lists every scope and changes nothing; home scopes are never listed.
pub fn scopes_lists_all_of_them(world: &World) {
    let me = ada();
    world.say(&me, "user", "hello");
    world.engine.scope(&me, "step-1", "away").unwrap();
    world.say(&bot(), "user", "hello from bot");
    let before = (world.events(), world.rows());
    let scopes = world.engine.scopes(&me).unwrap().scopes;
    let seen: Vec<_> = scopes
        .iter()
        .map(|line| (line.name.as_str(), line.current, line.active, line.messages, line.notes))
        .collect();
    assert_eq!(seen, [("main", false, false, 2, 1), ("step-1", true, true, 0, 0)]);
    assert!(scopes.iter().all(|line| line.id.starts_with("scp_")));
    assert_eq!(scopes[1].parent.as_deref(), Some("main"));
    assert!(world.engine.scopes(&bot()).unwrap().scopes[0].current);
    assert_eq!((world.events(), world.rows()), before);
}

// Proves S1-27, S1-28: `notes` lists the notes of the current or the named scope, and changes
// nothing.
pub fn notes_of_the_current_and_of_a_named_scope(world: &World) {
    let me = ada();
    world.engine.scope(&me, "step-1", "away").unwrap();
    world.engine.note(&me, "learned").unwrap();
    let before = (world.events(), world.rows());
    let current = world.engine.notes(&me, None).unwrap();
    assert_eq!(current.scope, "step-1");
    let messages: Vec<_> = current.notes.iter().map(|note| note.message.as_str()).collect();
    assert_eq!(messages, ["[→ step-1] away", "learned"]);
    let named = world.engine.notes(&me, Some("main")).unwrap();
    assert_eq!((named.scope.as_str(), named.notes.len()), ("main", 1));
    assert_eq!(named.notes[0].author, "ada");
    assert_eq!((world.events(), world.rows()), before);
    world.refuses(Kind::NotFound, |engine| engine.notes(&me, Some("nowhere")));
}

// Proves D1-5: a refused command writes nothing.
pub fn a_bad_switch_writes_nothing(world: &World) {
    let me = ada();
    world.engine.scope(&me, "step-1", "away").unwrap();
    world.refuses(Kind::Conflict, |it| it.scope(&me, "step-1", "again"));
    world.refuses(Kind::Conflict, |it| it.scope(&me, "main", "again"));
    world.refuses(Kind::NotFound, |it| it.goto(&me, "nowhere", "x"));
    world.refuses(Kind::Conflict, |it| it.goto(&me, "step-1", "x"));
    for empty in ["", " ", "\n\t "] {
        world.refuses(Kind::Usage, |it| it.scope(&me, "step-2", empty));
        world.refuses(Kind::Usage, |it| it.goto(&me, "main", empty));
        world.refuses(Kind::Usage, |it| it.note(&me, empty));
    }
    // A pin applies to one command; a switch applies to all that follow.
    let pinned = ada().in_scope("main");
    world.refuses(Kind::Refused, |it| it.scope(&pinned, "step-2", "x"));
    world.refuses(Kind::Refused, |it| it.goto(&pinned, "step-1", "x"));
}

// A pin makes a scope current for one command only.
pub fn a_pin_applies_to_one_command(world: &World) {
    let me = ada();
    world.engine.scope(&me, "step-1", "away").unwrap();
    let pinned = ada().in_scope("main");
    let answer = world.engine.note(&pinned, "from afar").unwrap();
    assert_eq!(answer.scope, "main");
    assert_eq!(world.say(&pinned, "user", "from afar"), world.scope("main").head);
    assert_eq!(world.scope("main").messages, 1);
    let place = world.engine.where_am_i(&me).unwrap();
    assert_eq!(place.primary_scope.as_deref(), Some("step-1"));
    assert_eq!(place.active_scopes, ["step-1"]);
    assert_eq!(world.notes("main").last().unwrap().0, "from afar");
    world.refuses(Kind::NotFound, |it| it.note(&ada().in_scope("nowhere"), "x"));
}

// Each actor has its own current scope.
pub fn each_actor_has_its_own_current_scope(world: &World) {
    world.engine.scope(&ada(), "step-1", "ada leaves").unwrap();
    world.say(&bot(), "user", "bot is in main");
    let place = |caller| world.engine.where_am_i(&caller).unwrap().primary_scope.unwrap();
    assert_eq!((place(ada()), place(bot())), ("step-1".to_string(), "main".to_string()));
    world.engine.goto(&bot(), "step-1", "joins").unwrap();
    world.engine.goto(&ada(), "main", "leaves").unwrap();
    assert_eq!((place(ada()), place(bot())), ("main".to_string(), "step-1".to_string()));
}
