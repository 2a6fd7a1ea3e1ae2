//! Several processes on one file.

use crate::place::Place;

#[test]
fn eight_processes_append_a_hundred_each_and_none_is_busy() {
    let place = Place::new();
    let writers: Vec<_> = (0..8)
        .map(|writer| {
            let name = format!("writer-{writer}");
            let mut commands: Vec<_> = (0..100)
                .map(|n| {
                    let mut command = place.command();
                    let text = format!("{name} says {n}");
                    command.args(["append", "--json", "--as", &name, "--role", "user", &text]);
                    command
                })
                .collect();
            std::thread::spawn(move || {
                commands
                    .iter_mut()
                    .map(|command| crate::place::run(command, b""))
                    .collect::<Vec<_>>()
            })
        })
        .collect();
    let ran: Vec<_> = writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect();
    assert_eq!(ran.len(), 800);
    for ran in &ran {
        assert_eq!(ran.code, 0, "{ran:?}");
    }
    assert_eq!(place.json(&["where"])["messages"], 800);
    let shown = place.json(&["compose"]);
    let mut next = [0; 8];
    for message in shown["messages"].as_array().unwrap() {
        let text = message["content"].as_str().unwrap();
        let (name, n) = text.split_once(" says ").unwrap();
        let writer: usize = name["writer-".len()..].parse().unwrap();
        assert_eq!(n.parse::<i32>().unwrap(), next[writer], "out of order: {text}");
        next[writer] += 1;
    }
    assert_eq!(next, [100; 8]);
    place.head();
}

#[test]
fn two_processes_may_create_one_store_at_once() {
    for _ in 0..10 {
        let place = Place::empty();
        let mut children: Vec<_> =
            (0..4).map(|_| place.command().arg("init").spawn().unwrap()).collect();
        for child in &mut children {
            assert!(child.wait().unwrap().success());
        }
        assert_eq!(place.json(&["where"])["primary_scope"], "main");
        place.head();
    }
}

/// Sixteen processes act in one scope, two at a time under one name: every view stands in both its
/// streams, frames hold as many things as they may of the more that were visited, no visit is lost,
/// and nobody has two frames, although two processes each began with its first command.
fn sixteen_processes_have_things_in_mind(place: &Place) {
    const EACH: usize = 12;
    const THINGS: usize = 11;
    for number in 0..THINGS {
        place.json(&["put", "--name", &format!("thing {number}"), "--content", "first"]);
    }
    let before = place.json(&["history", "--of", "main", "--limit", "1000"]);
    let before = before["entries"].as_array().unwrap().len();
    let workers: Vec<_> = (0..16)
        .map(|worker| {
            let name = format!("worker-{}", worker / 2);
            let mut commands: Vec<_> = (0..EACH)
                .map(|n| {
                    let mut command = place.command();
                    let thing = format!("thing {}", (worker + n) % THINGS);
                    let text = format!("{worker} {n}");
                    match n % 3 {
                        0 => command.args(["put", "--name", &thing, "--content", &text]),
                        _ => command.args(["get", &thing]),
                    };
                    command.args(["--json", "--as", &name]);
                    command
                })
                .collect();
            std::thread::spawn(move || {
                let run = |command: &mut std::process::Command| crate::place::run(command, b"");
                commands.iter_mut().map(run).collect::<Vec<_>>()
            })
        })
        .collect();
    for ran in workers.into_iter().flat_map(|worker| worker.join().unwrap()) {
        assert_eq!(ran.code, 0, "{ran:?}");
    }
    let all = place.json(&["history", "--of", "main", "--limit", "1000"]);
    assert_eq!(all["entries"].as_array().unwrap().len() - before, 16 * EACH, "no visit is lost");
    let in_scope = place.json(&["views", "--of", "main", "--limit", "1000"]);
    let in_scope: Vec<_> =
        in_scope["views"].as_array().unwrap().iter().map(|view| view["id"].clone()).collect();
    let mut frames = std::collections::BTreeSet::new();
    let log = place.json(&["log", "--limit", "1000", "--after", "0"]);
    let log = log["events"].as_array().unwrap().clone();
    for worker in 0..8 {
        let name = format!("worker-{worker}");
        let registered = log.iter().filter(|it| it["event"] == "registered");
        assert_eq!(registered.filter(|it| it["actor"] == *name).count(), 1);
        let own = place.json(&["views", "--by", &name]);
        let own = own["views"].as_array().unwrap().clone();
        assert!(!own.is_empty());
        for view in &own {
            assert!(in_scope.contains(&view["id"]), "{view} is not in main's stream");
        }
        let context = place.json(&["context", "--as", &name]);
        assert_eq!(context["context"].as_array().unwrap().len(), 7);
        assert!(frames.insert(context["frame"].to_string()), "two share a frame");
        let here = place.json(&["where", "--as", &name]);
        assert_eq!(here["primary_scope"], "main");
    }
    let in_main = place.json(&["context", "main"])["context"].clone();
    assert_eq!(in_main.as_array().unwrap().len(), 7);
    assert_eq!(place.json(&["verify"])["ok"], true);
}

// Proves S0-3, S0-4, S0-60 (INV-20).
#[test]
fn sixteen_processes_on_one_file() {
    sixteen_processes_have_things_in_mind(&Place::new());
}

// Proves S0-60.
#[test]
fn sixteen_processes_on_a_server() {
    let place = Place::on_server();
    place.run(&["init"]);
    sixteen_processes_have_things_in_mind(&place);
}

/// Proves S0-49, S0-79: everything outlives the process that did it, and each answer says who
/// acted.
#[test]
fn what_is_in_mind_outlives_the_process() {
    let place = Place::new();
    place.json(&["put", "--name", "plan", "--content", "1"]);
    place.json(&["scope", "alpha", "-m", "off"]);
    place.json(&["enter", "main"]);
    let here = place.json(&["where"]);
    assert_eq!(here["active_scopes"], serde_json::json!(["main", "alpha"]));
    assert_eq!(here["primary_scope"], "alpha");
    let context = place.json(&["context"])["things"].clone();
    assert_eq!(context[1]["name"], "plan");
    assert_eq!(place.json(&["views"])["views"].as_array().unwrap().len(), 2);
    let ran = place.run(&["get", "plan", "--as", "bot", "--json"]);
    let envelope: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(envelope["actor"], "bot");
}
