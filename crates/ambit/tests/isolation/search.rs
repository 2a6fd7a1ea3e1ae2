//! Search: hits, filters and queries, and that a search writes nothing.

use ambit::{Caller, Kind, ReadAnswer, SearchAnswer, SearchHit, SearchRequest, Selection};

use crate::world::{MINUTE, World, ada, bot, calls, message, reply};

fn request(query: &str) -> SearchRequest {
    SearchRequest { query: query.to_string(), ..SearchRequest::default() }
}

fn search(world: &World, request: &SearchRequest) -> SearchAnswer {
    world.engine.search(&ada(), request).unwrap()
}

fn ids(world: &World, request: &SearchRequest) -> Vec<String> {
    search(world, request).hits.into_iter().map(|hit| hit.id).collect()
}

fn first(world: &World, query: &str) -> SearchHit {
    let hits = search(world, &request(query)).hits;
    hits.into_iter().next().unwrap_or_else(|| panic!("nothing found for {query}"))
}

/// Proves X-13: notes and messages are found, each with its score and the reasons for the match.
pub fn notes_and_messages_are_found_with_their_reasons(world: &World) {
    let me = ada();
    let asked = world.say(&me, "user", "Why are users logged out after a second?");
    let call = world.append(&me, &[calls("I look at the configuration", &["a"])]);
    world.append(&me, &[reply("a", "SESSION_TTL = 1 in src/session/config.rs")]);
    world.engine.note(&me, "The session's length was one second").unwrap();
    let hit = first(world, "session_ttl");
    assert_eq!((hit.kind, hit.form, hit.role), ("message", "reply", "tool"));
    assert_eq!(hit.snippet, "SESSION_TTL = 1 in src/session/config.rs");
    assert_eq!(
        (hit.scope.as_deref(), hit.author.as_str(), hit.hidden),
        (Some("main"), "ada", false)
    );
    assert_eq!(hit.timestamp, "2027-01-15T08:00:00.000Z");
    assert_eq!(hit.reasons[0].why, "text");
    assert_eq!(hit.reasons[0].words, ["session", "ttl", "session_ttl"]);
    let sum: f64 = hit.reasons.iter().map(|it| it.score).sum();
    assert!((sum - hit.score).abs() < 0.01, "{hit:?}");
    // By a part of a path, another form of a word, a call's arguments and a tool's name.
    assert_eq!(first(world, "config.rs").id, hit.id);
    assert_eq!(first(world, "user logging").id, format!("{asked}.0"));
    assert_eq!(first(world, "configurations").id, format!("{call}.0"));
    let named = first(world, "function run");
    assert_eq!((named.id, named.reasons[0].why), (format!("{call}.0"), "other fields"));
    let note = first(world, "length");
    assert_eq!((note.kind, note.snippet.as_str()), ("note", "The session's length was one second"));
    let marked: Vec<_> = note.marks.iter().map(|it| &note.snippet[it.clone()]).collect();
    assert_eq!(marked, ["length"]);
    for hit in [hit, note] {
        match world.engine.read_handle(&me, &hit.handle).unwrap() {
            ReadAnswer::Block(block) => assert_eq!(block.text, hit.snippet),
            other => panic!("{other:?}"),
        }
    }
}

/// Proves X-4: a search is not a visit: it writes no event and no row, and changes no frame.
pub fn a_search_is_not_a_visit(world: &World) {
    let me = ada();
    world.engine.note(&me, "first thing learned").unwrap();
    world.engine.note(&me, "second thing learned").unwrap();
    world.pass(10 * MINUTE);
    let before = (world.events(), world.rows(), world.frame(world.home("ada")));
    assert_eq!(search(world, &request("thing learned")).hits.len(), 2);
    assert_eq!(world.engine.search(&bot(), &request("learned")).unwrap().hits.len(), 2);
    assert_eq!(before, (world.events(), world.rows(), world.frame(world.home("ada"))));
}

pub fn search_filters_by_scope_actor_kind_and_time(world: &World) {
    let me = ada();
    world.say(&me, "user", "apple in main");
    world.engine.scope(&me, "step", "apple leaves main").unwrap();
    world.say(&me, "user", "apple in step");
    world.pass(60 * MINUTE);
    let by_bot = world.say(&bot().in_scope("step"), "assistant", "apple by bot");
    world.engine.note(&me, "apple noted in step").unwrap();
    let count = |request: SearchRequest| search(world, &request).hits.len();
    let all = request("apples");
    assert_eq!(count(all.clone()), 5);
    let within = |name: &str| SearchRequest { within: Some(name.into()), ..request("apple") };
    assert_eq!(count(within("step")), 3);
    assert_eq!(count(within("main")), 2);
    assert_eq!(count(SearchRequest { below: true, ..within("main") }), 5);
    assert_eq!(count(SearchRequest { below: true, ..within("step") }), 3);
    let only = |kind: &str| SearchRequest { only: Some(kind.into()), ..request("apple") };
    assert_eq!((count(only("note")), count(only("message"))), (2, 3));
    let by = SearchRequest { by: Some("bot".into()), ..request("apple") };
    assert_eq!(ids(world, &by), [format!("{by_bot}.0")]);
    let since = |text: &str| SearchRequest { since: Some(text.into()), ..request("apple") };
    let until = |text: &str| SearchRequest { until: Some(text.into()), ..request("apple") };
    assert_eq!((count(since("30m")), count(until("30m"))), (2, 3));
    assert_eq!((count(since("2027-01-15T08:30Z")), count(until("2027-01-14"))), (2, 0));
    assert_eq!(count(SearchRequest { limit: Some(2), ..request("apple") }), 2);
    // Among equal hits, those in the reader's scope come first.
    let here = ids(world, &SearchRequest { only: Some("message".into()), ..request("apple in") });
    let there = world.engine.search(&me.clone().in_scope("main"), &request("apple in")).unwrap();
    assert_ne!(here[0], there.hits[0].id);
    for wrong in [
        only("thing"),
        since("yesterday"),
        SearchRequest { limit: Some(0), ..request("apple") },
        SearchRequest { limit: Some(101), ..request("apple") },
        SearchRequest { below: true, ..request("apple") },
    ] {
        world.refuses(Kind::Usage, |it| it.search(&me, &wrong));
    }
    world.refuses(Kind::NotFound, |it| it.search(&me, &within("nowhere")));
    let nobody = SearchRequest { by: Some("nobody".into()), ..request("apple") };
    world.refuses(Kind::NotFound, |it| it.search(&me, &nobody));
}

/// A filter applies to as many hits as necessary, not only to the best few.
pub fn a_filter_reaches_past_better_hits(world: &World) {
    let me = ada();
    world.engine.scope(&me, "small", "off").unwrap();
    let wanted = world.say(&me, "user", "a needle in a long and winding sentence about hay");
    world.engine.goto(&me, "main", "back").unwrap();
    let many: Vec<String> = (0..600).map(|it| message("user", &format!("needle {it}"))).collect();
    world.append(&me, &many);
    let within = SearchRequest { within: Some("small".into()), ..request("needle") };
    assert_eq!(ids(world, &within), [format!("{wanted}.0")]);
}

pub fn any_text_is_a_query_for_its_words(world: &World) {
    let me = ada();
    let turn = world.say(&me, "user", "the needle (in a haystack)");
    let long = "needle ".repeat(10_000);
    let odd = [
        "\"needle",
        "needle*",
        "NEAR(needle, 5) OR",
        "needle AND NOT",
        "(((needle",
        "needle:^2 -- '; DROP TABLE item",
        "col:needle",
        "\u{0}needle\u{0}",
        "needle & | ! <-> :*",
        "\\needle\\",
        "%needle%",
        "needle\u{202e}\u{feff}",
        long.as_str(),
    ];
    for query in odd {
        assert_eq!(first(world, query).id, format!("{turn}.0"), "{query:.40}");
    }
    for empty in ["", "   ", "?!", "\u{0}", "-- ()"] {
        world.refuses(Kind::Usage, |it| it.search(&me, &request(empty)));
    }
    assert!(search(world, &request("absent")).hits.is_empty());
    // Search treats a NUL as a space.
    let nul = world.append(&me, &[message("user", "before\u{0}behind")]);
    assert_eq!(first(world, "behind").id, format!("{nul}.0"));
    assert_eq!(first(world, "behind").snippet, "before behind");
}

pub fn hidden_items_are_found_and_flagged(world: &World) {
    let me = ada();
    let kept = world.say(&me, "user", "a quince is kept");
    let hidden = world.say(&me, "user", "another quince is rewound");
    world.engine.rewind(&me, kept).unwrap();
    let hits = search(world, &request("quince")).hits;
    let seen: Vec<_> = hits.iter().map(|hit| (hit.id.clone(), hit.hidden)).collect();
    assert_eq!(seen.len(), 2);
    assert!(seen.contains(&(format!("{hidden}.0"), true)));
    assert!(seen.contains(&(format!("{kept}.0"), false)));
    // A carried chain is found once, where it is now.
    world.append(&me, &[calls("a medlar", &["c"])]);
    world.engine.scope(&me, "elsewhere", "off").unwrap();
    let hits = search(world, &request("medlar")).hits;
    // The text also finds the call beside it.
    let hits: Vec<_> = hits.into_iter().filter(|hit| hit.form == "text").collect();
    assert_eq!(hits.len(), 1, "{hits:#?}");
    assert_eq!((hits[0].scope.as_deref(), hits[0].hidden), (Some("elsewhere"), false));
}

/// A reply is found by the words of its question, unless the question is forgotten.
pub fn an_answer_is_found_by_its_question(world: &World) {
    let me = ada();
    let asked = world.say(&me, "user", "Which fruit grows in the orchard?");
    let answered = world.say(&me, "assistant", "Only medlars, as far as I know.");
    for number in 0..20 {
        world.say(&me, "user", &format!("something else, number {number}"));
    }
    let found = ids(world, &request("orchard"));
    assert_eq!(found, [format!("{asked}.0"), format!("{answered}.0")]);
    let why = &search(world, &request("orchard")).hits[1].reasons[0];
    assert_eq!((why.why, why.words.as_slice()), ("before", &["orchard".to_string()][..]));
    let gone = Selection { names: vec![asked.to_string()], ..Selection::default() };
    world.engine.forget(&me, &gone, &|_| {}).unwrap();
    assert!(search(world, &request("orchard")).hits.is_empty(), "nor by its neighbour");
}

pub fn a_search_is_limited_to_its_vault(world: &World) {
    world.say(&ada(), "user", "a secret of the first vault");
    assert!(world.engine.create_vault("second").unwrap());
    let second = Caller { vault: "second".into(), ..ada() };
    assert!(world.engine.search(&second, &request("secret")).unwrap().hits.is_empty());
    world.engine.append_text(&second, "user", "a secret of the second").unwrap();
    let hits = world.engine.search(&second, &request("secret")).unwrap().hits;
    assert_eq!(hits.len(), 1);
    assert_eq!(hits[0].snippet, "a secret of the second");
}

/// `forget --search` selects texts with every word, in any form, and no others.
pub fn forget_selects_by_words(world: &World) {
    let me = ada();
    world.say(&me, "user", "Ada's address is 12 Mill Lane");
    world.say(&me, "assistant", "Noted.");
    world.say(&me, "user", "an address without a name");
    world.engine.note(&me, "the addresses of Ada are wrong").unwrap();
    let selection = Selection { search: Some("ADDRESS ada".into()), ..Selection::default() };
    let preview = world.engine.forget_preview(&me, &selection, &|_| {}).unwrap();
    assert_eq!((preview.blocks, preview.notes, preview.texts), (1, 1, 2));
    let report = world.engine.forget(&me, &selection, &|_| {}).unwrap();
    assert_eq!((report.blocks, report.notes, report.texts), (1, 1, 2));
    let left: Vec<_> =
        search(world, &request("ada address")).hits.into_iter().map(|hit| hit.snippet).collect();
    assert_eq!(left, ["an address without a name"]);
    assert!(search(world, &request("mill lane")).hits.is_empty());
    world.verified();
    let empty = Selection { search: Some("?".into()), ..Selection::default() };
    world.refuses(Kind::Usage, |it| it.forget_preview(&me, &empty, &|_| {}));
}
