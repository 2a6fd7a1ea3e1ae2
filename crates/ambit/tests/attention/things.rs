//! Helpers that most tests use: put an object, read it, and list what is in mind.

use ambit::Caller;

use crate::world::World;

/// Puts a text under a name; returns the object's id, the event, and the ids of the captured
/// items.
pub fn put(world: &World, caller: &Caller, name: &str, text: &str) -> ambit::PutLine {
    let (object, text) = (name.to_string(), text.to_string());
    let request = ambit::PutRequest { object, text, ..ambit::PutRequest::default() };
    world.engine.put(caller, &request).unwrap()
}

pub fn get(world: &World, caller: &Caller, name: &str) -> ambit::GetAnswer {
    let named = name.to_string();
    world.engine.get(caller, &ambit::GetRequest { named, ..ambit::GetRequest::default() }).unwrap()
}

/// Returns the names of the items in mind.
pub fn mind(world: &World, caller: &Caller, scope: Option<&str>) -> Vec<String> {
    let answer = world.engine.context_of(caller, scope, None).unwrap();
    answer.things.into_iter().map(|thing| thing.name).collect()
}
