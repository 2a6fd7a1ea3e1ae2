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
