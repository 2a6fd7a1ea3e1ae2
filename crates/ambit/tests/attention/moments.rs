//! Any moment that was: frames and versions as they stood.

use ambit::GetRequest;

use crate::things::{get, mind, put};
use crate::world::{MINUTE, World, ada, bot};

/// After every event, what is told of it later is what was told then.
pub fn frames_can_be_told_for_any_moment(world: &World) {
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

pub fn versions_can_be_told_for_any_moment(world: &World) {
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
