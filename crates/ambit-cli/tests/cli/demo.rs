//! The demo does what it says, whatever the environment holds.

use crate::place::Place;

#[test]
fn the_demo_heeds_no_variable_and_keeps_its_promises() {
    let place = Place::empty();
    let mut command = place.command();
    for name in ["AMBIT_STORE", "AMBIT_VAULT", "AMBIT_ACTOR", "AMBIT_SCOPE"] {
        command.env(name, "sqlite:/nonexistent/\u{7}nonsense");
    }
    let ran = crate::place::run(command.args(["demo", "--json"]), b"");
    assert_eq!(ran.code, 0, "{ran:?}");
    let envelope: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(envelope["actor"], "ada");
    let result = &envelope["result"];
    assert_eq!(result["verify"]["ok"], true);
    let (said, found) = (&result["killed"]["acknowledged"], &result["killed"]["found"]);
    assert!(said.as_i64().unwrap() > 0 && found.as_i64().unwrap() >= said.as_i64().unwrap());
    let sum = |field: &str| -> i64 {
        let calls = result["calls"].as_array().unwrap();
        calls.iter().map(|call| call[field].as_i64().unwrap()).sum()
    };
    assert!(sum("tokens") * 2 < sum("transcript_tokens"));
    assert!(sum("cost") < sum("transcript_cost"));
    assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0, "nothing is left behind");
}

#[test]
fn the_demo_tells_its_story() {
    let ran = Place::empty().run(&["demo"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    for part in ["call 1 in main", "main → reproduce", "as a transcript", "SIGKILL", "are whole"]
    {
        assert!(ran.out.contains(part), "no {part:?} in {}", ran.out);
    }
}
