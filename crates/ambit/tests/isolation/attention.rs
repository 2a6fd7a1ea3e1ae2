//! Attention as far as scopes and notes show it: registration, views, streams, frames, visits and
//! captures, checked in the log's bodies and in the rows.

use std::collections::BTreeSet;

use ambit::Kind;
use ambit_core::{
    Entered, Focused, Left, Logged, Noted, Registered, ScopeNo, ViewNo, ViewRow, What,
};
use ambit_store::Rows;

use crate::world::{MINUTE, SECOND, World, ada, bot, calls, message};

const MAIN: ScopeNo = ScopeNo(1);

/// Returns a stream's views in order, with each one's predecessor there.
fn stream(world: &World, frame: ScopeNo) -> Vec<(ViewNo, Option<ViewNo>)> {
    let rows = world.rows();
    let of_frame = rows.streams.into_values().filter(|row| row.frame == frame);
    of_frame.map(|row| (row.view, row.prev)).collect()
}

fn views(world: &World) -> Vec<ViewRow> {
    let mut views: Vec<_> = world.rows().views.into_values().collect();
    views.sort_by_key(|view| view.started_seq);
    views
}

/// Returns a view's actions: the events that name it.
fn actions(world: &World, view: ViewNo) -> Vec<Logged> {
    world.events().into_iter().filter(|logged| logged.event.view == Some(view)).collect()
}

fn note(world: &World, text: &str) -> i64 {
    world.engine.note(&ada(), text).unwrap().head
}

// Proves S0-43, D0-3: a first registration makes main active and focused; nothing is registered
// twice.
pub fn registration_focuses_main(world: &World) {
    world.say(&ada(), "user", "hello");
    let events = world.events();
    let What::Registered(Registered { main, name, .. }) = &events[1].event.body.what else {
        panic!()
    };
    assert_eq!((*main, name.as_str(), events[1].event.view), (MAIN, "ada", None));
    let rows = world.rows();
    let actor = rows.actors.values().next().unwrap();
    assert_eq!(actor.primary, Some(MAIN));
    assert_eq!(rows.presences[&(actor.actor, MAIN)].entered_seq, Some(2));
    assert_eq!(rows.scopes[&actor.home].name, None, "its home holds its frame alone");
    world.say(&ada(), "user", "again");
    assert_eq!(world.rows().actors.len(), 1);
    // Only a fork creates subagents.
    let sub = ambit::Caller { kind: ambit::ActorKind::Subagent, ..ambit::Caller::new("sub") };
    world.refuses(Kind::Usage, |it| it.note(&sub, "I was never forked"));
}

// Proves D0-3: leaving the primary scope leaves no primary scope, until goto or scope focuses one;
// a scope is entered once.
pub fn leaving_leaves_no_primary_and_focus_chooses(world: &World) {
    world.engine.scope(&ada(), "step-1", "away").unwrap();
    world.engine.goto(&ada(), "main", "back").unwrap();
    let mut rows = Rows::default();
    let mut seen = Vec::new();
    for logged in world.events() {
        rows.apply(&logged);
        let Some(actor) = rows.actors.values().next() else { continue };
        let active: Vec<_> =
            rows.presences.values().filter(|row| row.entered_seq.is_some()).collect();
        match &logged.event.body.what {
            What::Left(Left { scope, .. }) => {
                assert_eq!(actor.primary, None);
                assert!(active.iter().all(|row| row.scope != *scope));
                seen.push("left");
            }
            What::Entered(Entered { scope, .. }) => {
                assert_eq!(actor.primary, None, "entering never changes the primary scope");
                assert_eq!(active.iter().filter(|row| row.scope == *scope).count(), 1);
                seen.push("entered");
            }
            What::Focused(Focused { scope, .. }) => {
                assert_eq!(actor.primary, Some(*scope));
                seen.push("focused");
            }
            _ => {}
        }
    }
    assert_eq!(seen, ["left", "entered", "focused", "left", "entered", "focused"]);
}

// Proves S0-6: a view has an id, actions, a start, an end and a predecessor, except at the
// stream's start.
pub fn a_view_has_id_actions_start_end_and_predecessor(world: &World) {
    let start = world.now();
    world.say(&ada(), "user", "hello");
    world.pass(SECOND);
    note(world, "learned");
    world.engine.scope(&ada(), "step-1", "away").unwrap();
    let views = views(world);
    let first = &views[0];
    assert!(first.id.starts_with("viw_") && first.id.len() == 40);
    assert_eq!((first.started_at, first.previous), (start, None));
    let actions = actions(world, first.view);
    assert_eq!(first.ended_seq, Some(actions.last().unwrap().event.seq));
    assert!(matches!(actions.last().unwrap().event.body.what, What::Left(_)));
    assert_eq!(views[1].previous, Some(first.view));
    assert_eq!(views[1].ended_seq, None, "still open");
}

// Proves S0-12, S0-14: an action in a scope is in ONE view with one id, in the actor's stream and
// in those of its active scopes.
pub fn one_view_in_all_streams(world: &World) {
    note(world, "one");
    world.engine.note(&ada().in_scope("main"), "pinned").unwrap();
    let views = views(world);
    let ids: BTreeSet<_> = views.iter().map(|view| view.id.as_str()).collect();
    assert_eq!((views.len(), ids.len()), (2, 2), "a pin is another view, with its own id");
    for (view, frames) in views.iter().zip([[MAIN, world.home("ada")]; 2]) {
        let rows = world.rows();
        let found: BTreeSet<_> = rows
            .streams
            .values()
            .filter(|row| row.view == view.view)
            .map(|row| row.frame)
            .collect();
        assert_eq!(found, BTreeSet::from(frames));
    }
    // With a pin, the view is in the pinned scope's stream too.
    world.engine.scope(&ada(), "step-1", "away").unwrap();
    world.engine.note(&ada().in_scope("main"), "from afar").unwrap();
    let step = world.scope("step-1").scope;
    let last = |frame| stream(world, frame).last().copied().unwrap().0;
    let view = last(world.home("ada"));
    assert_eq!((last(MAIN), last(step)), (view, view));
}

// Proves S0-31: views form a linked list in each stream.
pub fn streams_are_linked_lists(world: &World) {
    note(world, "ada's");
    world.say(&bot(), "user", "bot's");
    world.pass(6 * MINUTE);
    note(world, "ada's second");
    world.engine.scope(&ada(), "step-1", "away").unwrap();
    world.engine.goto(&ada(), "main", "back").unwrap();
    let frames = [MAIN, world.home("ada"), world.home("bot"), world.scope("step-1").scope];
    let mut lengths = Vec::new();
    for frame in frames {
        let mut previous = None;
        let entries = stream(world, frame);
        for (view, prev) in &entries {
            assert_eq!(*prev, previous, "frame {frame}");
            previous = Some(*view);
        }
        lengths.push(entries.len());
    }
    // main: ada, bot, ada again, back by goto; step-1 only while ada was there.
    assert_eq!(lengths, [4, 4, 1, 1]);
    let all = views(world);
    let of_ada: Vec<_> = all.iter().filter(|view| view.actor == all[0].actor).collect();
    for pair in of_ada.windows(2) {
        assert_eq!(pair[1].previous, Some(pair[0].view), "a view's own predecessor is its actor's");
    }
}

// Proves D0-10: scope and goto end the open view: leaving is its last action, and the next action
// opens a view, with the streams of that moment.
pub fn leaving_closes_a_view_and_entering_opens_the_next(world: &World) {
    world.say(&ada(), "user", "hello");
    world.engine.scope(&ada(), "step-1", "away").unwrap();
    world.engine.goto(&ada(), "main", "back").unwrap();
    let step = world.scope("step-1").scope;
    let home = world.home("ada");
    let mut opened = Vec::new();
    let mut ended = Vec::new();
    for logged in world.events() {
        let body = &logged.event.body;
        assert_eq!(body.ends_view, matches!(body.what, What::Left(_)));
        if body.ends_view {
            ended.push(logged.event.view.unwrap());
        }
        if let Some(opens) = &body.opens {
            assert_eq!(Some(opens.view), logged.event.view);
            assert!(!ended.contains(&opens.view), "an ended view gets nothing more");
            let frames: Vec<_> = opens.streams.iter().map(|entry| entry.frame).collect();
            let name = match &body.what {
                What::Appended(_) => "appended",
                What::Entered(_) => "entered",
                other => panic!("{other:?} opens a view"),
            };
            opened.push((name, frames));
        }
    }
    let expected = [
        ("appended", vec![home, MAIN]),
        ("entered", vec![home, step]),
        ("entered", vec![home, MAIN]),
    ];
    assert_eq!(opened, expected);
    assert_eq!(ended.len(), 2);
}

// Proves S0-62, S0-64: actions within the time window are one view; a new one begins after five
// minutes without an action, which is a setting.
pub fn actions_coalesce_until_inactivity(world: &World) {
    for _ in 0..4 {
        note(world, "busy");
        world.pass(5 * MINUTE);
    }
    assert_eq!(views(world).len(), 1, "never idle for longer than five minutes");
    assert_eq!(actions(world, views(world)[0].view).len(), 4);
    world.pass(1);
    note(world, "after a break");
    assert_eq!(views(world).len(), 2);
    // An append counts as activity, reading does not.
    world.pass(4 * MINUTE);
    world.say(&ada(), "user", "hello");
    world.pass(4 * MINUTE);
    world.compose(&ada());
    world.engine.scopes(&ada()).unwrap();
    note(world, "still the same");
    assert_eq!(views(world).len(), 2);
    world.set("view_idle_seconds", "10");
    world.pass(10 * SECOND + 1);
    note(world, "after ten seconds");
    assert_eq!(views(world).len(), 3);
}

// Proves S0-65: a change in another scope than the view's last change ends the view.
pub fn a_mutation_elsewhere_ends_the_view(world: &World) {
    note(world, "in main");
    world.engine.scope(&ada(), "step-1", "away").unwrap();
    note(world, "in step-1");
    note(world, "in step-1 again");
    let before = views(world).len();
    let pinned = ada().in_scope("main");
    world.engine.note(&pinned, "in main from afar").unwrap();
    assert_eq!(views(world).len(), before + 1);
    world.engine.note(&pinned, "once more").unwrap();
    assert_eq!(views(world).len(), before + 1, "the same scope, the same view");
    note(world, "in step-1 after that");
    assert_eq!(views(world).len(), before + 2);
    let captured = |view: &ViewRow| -> BTreeSet<_> {
        let frame = |logged: Logged| match logged.event.body.what {
            What::Noted(Noted { context_frame, .. }) => Some(context_frame),
            _ => None,
        };
        actions(world, view.view).into_iter().filter_map(frame).collect()
    };
    assert!(views(world).iter().all(|view| captured(view).len() <= 1));
}

// Proves S0-2, S0-44, S0-45: a frame holds the last seven items, which is a setting; a new visit
// at capacity evicts the least recent.
pub fn a_frame_never_exceeds_n(world: &World) {
    let mut notes = Vec::new();
    for number in 0..10 {
        notes.push(note(world, &format!("note {number}")));
        let recent: Vec<_> = notes.iter().rev().take(7).copied().collect();
        assert_eq!(world.frame(MAIN), recent);
        assert_eq!(world.frame(world.home("ada")), recent);
    }
    let events = world.events();
    let What::Noted(Noted { visited, .. }) = &events.last().unwrap().event.body.what else {
        panic!()
    };
    assert!(visited.iter().all(|change| change.evicted.len() == 1), "the evicted one is named");
    world.set("frame_size", "3");
    notes.push(note(world, "with three"));
    let recent: Vec<_> = notes.iter().rev().take(3).copied().collect();
    assert_eq!(world.frame(MAIN), recent);
    world.set("frame_size", "9");
    for number in 0..10 {
        note(world, &format!("with nine {number}"));
    }
    assert_eq!(world.frame(MAIN).len(), 9);
}

// Proves S0-47: eviction is per frame: another actor's visits in a scope leave the actor's own
// frame alone.
pub fn eviction_is_per_frame(world: &World) {
    let own = note(world, "ada's only note");
    let mut bots = Vec::new();
    for number in 0..7 {
        bots.push(world.engine.note(&bot(), &format!("bot {number}")).unwrap().head);
    }
    bots.reverse();
    assert_eq!(world.frame(MAIN), bots, "ada's note is gone from the scope's frame");
    assert_eq!(world.frame(world.home("ada")), [own]);
    assert_eq!(world.frame(world.home("bot")), bots);
    // A scope may have a size of its own.
    world.engine.set(&ada().in_scope("main"), "frame_size", Some("2")).unwrap();
    let last = note(world, "ada's second");
    assert_eq!(world.frame(MAIN), [last, bots[0]]);
    assert_eq!(world.frame(world.home("ada")), [last, own]);
}

// Proves S0-10, S0-16, S0-19, D0-12: every note captures the frame of its scope before it.
pub fn a_note_captures_its_scopes_frame(world: &World) {
    let one = note(world, "one");
    let two = note(world, "two");
    let away = world.head() + 1;
    world.engine.scope(&ada(), "step-1", "away").unwrap();
    let inside = note(world, "inside");
    let second = note(world, "second");
    let step = world.scope("step-1").scope;
    assert_eq!(
        world.captures(),
        [
            (one, vec![], MAIN),
            (two, vec![one], MAIN),
            (away, vec![two, one], MAIN),
            (inside, vec![], step),
            (second, vec![inside], step),
        ],
        "most recent first, never the note itself"
    );
    let rows = world.rows();
    assert!(rows.notes.values().all(|row| [MAIN, step].contains(&row.context_frame)));
}

// Proves S0-18: a capture never exceeds N, not even right after N was lowered.
pub fn a_capture_never_exceeds_n(world: &World) {
    for number in 0..9 {
        note(world, &format!("note {number}"));
    }
    world.set("frame_size", "2");
    note(world, "the first with two");
    note(world, "the second with two");
    let sizes: Vec<_> = world.captures().into_iter().map(|(_, context, _)| context.len()).collect();
    assert_eq!(sizes, [0, 1, 2, 3, 4, 5, 6, 7, 7, 2, 2]);
}

// Proves D0-11: messages are primitive: append, rewind and clearing are actions of a view, and
// neither visits nor captures. A note is both.
pub fn messages_are_actions_of_a_view_but_not_visits(world: &World) {
    let first = world.say(&ada(), "user", "one");
    world.append(&ada(), &[message("assistant", "two"), calls("three", &["a"])]);
    world.engine.rewind(&ada(), first).unwrap();
    let rows = world.rows();
    assert_eq!((rows.visits.len(), rows.frames.len()), (0, 0));
    assert_eq!(world.captures(), []);
    let view = views(world)[0].view;
    assert_eq!(actions(world, view).len(), 4, "three messages and a rewind");
    world.set("clear_on_note", "on");
    let noted = note(world, "a note, and a clearing") - 1;
    let rows = world.rows();
    assert_eq!(rows.visits.len(), 2, "as the scope and the actor saw it");
    assert!(rows.visits.values().all(|row| row.seq == noted));
    assert_eq!(rows.frames.len(), 2, "the scope's and the actor's");
    assert_eq!(actions(world, view).len(), 7, "the setting, the note and the clearing too");
    assert_eq!(world.captures().len(), 1);
}

// A departure note is visited in the origin, an arrival in the destination, both in the actor's
// frame.
pub fn switching_visits_the_note_in_its_scope(world: &World) {
    let out = world.head() + 2;
    world.engine.scope(&ada(), "step-1", "away").unwrap();
    let back = world.engine.goto(&ada(), "main", "back").unwrap().head;
    let step = world.scope("step-1").scope;
    assert_eq!(world.frame(step), [0i64; 0]);
    assert_eq!(world.frame(MAIN), [back, out]);
    assert_eq!(world.frame(world.home("ada")), [back, out]);
    assert_eq!(world.rows().visits.values().filter(|row| row.own).count(), 2);
}
