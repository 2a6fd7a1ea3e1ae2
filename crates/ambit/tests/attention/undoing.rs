//! Taking back: each by a new version, and nothing that others did since.

use ambit::{Kind, RevertRequest};

use crate::things::{get, put};
use crate::world::{MINUTE, World, ada, bot};

fn one(event: i64) -> RevertRequest {
    RevertRequest { event: Some(event), ..RevertRequest::default() }
}

pub fn a_change_is_taken_back_by_a_new_version(world: &World) {
    put(world, &ada(), "plan", "one");
    let wrong = put(world, &bot(), "plan", "wrong").event;
    let preview = RevertRequest { dry_run: true, ..one(wrong) };
    let before = world.head();
    let told = world.engine.revert(&ada(), &preview).unwrap();
    assert_eq!((told.done, told.reverted[0].back_to, world.head()), (false, 1, before));
    let told = world.engine.revert(&ada(), &one(wrong)).unwrap();
    assert_eq!(told.reverted[0].version, Some(3));
    let now = get(world, &ada(), "plan");
    assert_eq!((now.text.as_str(), now.version, now.author.as_str()), ("one", 3, "ada"));
    // Nothing is lost.
    let why = world.engine.why(&ada(), "plan").unwrap();
    assert_eq!(why.reverts, Some(wrong));
    // A revert is a change like any other, and can be taken back too.
    let again = world.engine.revert(&bot(), &one(why.event)).unwrap();
    assert_eq!(again.reverted[0].back_to, 2);
    assert_eq!(get(world, &ada(), "plan").text, "wrong");
    world.verified();
}

pub fn all_of_an_actor_since_a_moment(world: &World) {
    put(world, &ada(), "plan", "one");
    put(world, &bot(), "notes", "bot's own");
    world.pass(60 * MINUTE);
    put(world, &bot(), "plan", "wrong");
    put(world, &bot(), "plan", "worse");
    put(world, &bot(), "new", "made by bot");
    let request = RevertRequest {
        actor: Some("bot".into()),
        since: Some("30m".into()),
        ..RevertRequest::default()
    };
    let told = world.engine.revert(&ada(), &request).unwrap();
    assert_eq!(told.reverted.len(), 1);
    assert_eq!((told.reverted[0].events.len(), told.reverted[0].back_to), (2, 1));
    assert_eq!(get(world, &ada(), "plan").text, "one");
    assert_eq!(get(world, &ada(), "notes").text, "bot's own", "from before");
    assert_eq!(told.conflicts.len(), 1, "what is new has nothing to go back to");
    assert_eq!(told.conflicts[0].name, "new");
}

pub fn what_others_changed_since_is_left_alone(world: &World) {
    put(world, &ada(), "plan", "one");
    let wrong = put(world, &bot(), "plan", "wrong").event;
    put(world, &ada(), "plan", "mended by hand");
    let told = world.engine.revert(&ada(), &one(wrong)).unwrap();
    assert!(told.reverted.is_empty());
    assert_eq!(told.conflicts[0].event, wrong);
    assert_eq!(get(world, &ada(), "plan").text, "mended by hand");
    world.refuses(Kind::NotFound, |it| it.revert(&ada(), &one(1)));
    world.refuses(Kind::NotFound, |it| it.revert(&ada(), &one(999)));
    world.refuses(Kind::Usage, |it| it.revert(&ada(), &RevertRequest::default()));
}

/// A command with a key, repeated, gives its first answer, whatever came since.
pub fn a_revert_can_be_repeated(world: &World) {
    put(world, &ada(), "plan", "one");
    let wrong = put(world, &bot(), "plan", "wrong").event;
    let keyed = ambit::Caller { key: Some("back".into()), ..ada() };
    let first = world.engine.revert(&keyed, &one(wrong)).unwrap();
    assert_eq!(first.reverted[0].version, Some(3));
    put(world, &bot(), "plan", "later");
    let head = world.head();
    let again = world.engine.revert(&keyed, &one(wrong)).unwrap();
    assert_eq!(again.reverted, first.reverted);
    assert!(again.conflicts.is_empty());
    // Without a key it is another command.
    assert_eq!(world.engine.revert(&ada(), &one(wrong)).unwrap().conflicts.len(), 1);
    assert_eq!(world.head(), head);
    // One's own changes since a moment, too: what took them back is none of them.
    put(world, &ada(), "mine", "right");
    world.pass(60 * MINUTE);
    put(world, &ada(), "mine", "wrong");
    let own = RevertRequest {
        actor: Some("ada".into()),
        since: Some("30m".into()),
        ..RevertRequest::default()
    };
    let keyed = ambit::Caller { key: Some("own".into()), ..ada() };
    let first = world.engine.revert(&keyed, &own).unwrap();
    let again = world.engine.revert(&keyed, &own).unwrap();
    assert_eq!((&again.reverted, again.conflicts.len()), (&first.reverted, 0));
    assert_eq!(get(world, &ada(), "mine").text, "right");
    let told = world.refuses(Kind::NotFound, |it| it.revert(&ada(), &one(9_999)));
    assert!(told.contains("no event 9999"), "{told}");
}

/// A key that was never used stands for nothing, and one that was stands for nothing else.
pub fn a_key_stands_for_one_revert(world: &World) {
    put(world, &ada(), "plan", "one");
    let wrong = put(world, &bot(), "plan", "wrong").event;
    world.engine.revert(&ada(), &one(wrong)).unwrap();
    put(world, &bot(), "plan", "wrong again");
    let keyed = |key: &str| ambit::Caller { key: Some(key.into()), ..ada() };
    let told = world.engine.revert(&keyed("new"), &one(wrong)).unwrap();
    assert_eq!((told.reverted.len(), told.conflicts.len()), (0, 1), "it was changed since");
    put(world, &ada(), "code", "one");
    let other = put(world, &bot(), "code", "wrong").event;
    put(world, &ada(), "plan", "right");
    world.pass(60 * MINUTE);
    put(world, &bot(), "plan", "wrong once more");
    put(world, &bot(), "code", "worse");
    let refused = world.engine.revert(&keyed("new"), &one(other)).unwrap_err();
    assert_eq!(refused.kind(), Kind::Conflict, "{refused}");
    // All of an actor's, whatever that actor does in between.
    let since = ambit::rfc3339(world.now() - MINUTE);
    let all = RevertRequest { actor: Some("bot".into()), since: Some(since), ..one(0) };
    let all = RevertRequest { event: None, ..all };
    let first = world.engine.revert(&keyed("all"), &all).unwrap();
    assert_eq!(first.reverted.len(), 2);
    put(world, &bot(), "code", "and again");
    let again = world.engine.revert(&keyed("all"), &all).unwrap();
    assert_eq!(again.reverted, first.reverted);
    assert_eq!(get(world, &ada(), "code").text, "and again");
    world.verified();
}

/// What cannot go back is told, and the others go back all the same, in one step.
pub fn what_cannot_be_taken_back_keeps_nothing_else(world: &World) {
    put(world, &ada(), "long", &"long ".repeat(100));
    put(world, &ada(), "short", "short");
    world.pass(60 * MINUTE);
    put(world, &bot(), "long", "wrong");
    put(world, &bot(), "short", "wrong");
    world.set("object_bytes_max", "100");
    let all = RevertRequest {
        actor: Some("bot".into()),
        since: Some("30m".into()),
        ..RevertRequest::default()
    };
    let told = world.engine.revert(&ada(), &all).unwrap();
    assert_eq!(told.reverted.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(), ["short"]);
    assert!(told.conflicts[0].why.contains("object_bytes_max"), "{told:?}");
    assert_eq!(get(world, &ada(), "short").text, "short");
    assert_eq!(get(world, &ada(), "long").text, "wrong");
}

/// Of an actor's changes those go back that nobody's lie upon; done once more, nothing is left to
/// do.
pub fn what_is_latest_goes_back_and_no_further(world: &World) {
    put(world, &ada(), "plan", "one");
    world.pass(60 * MINUTE);
    put(world, &bot(), "plan", "two");
    let between = put(world, &ada(), "plan", "three").event;
    put(world, &bot(), "plan", "four");
    put(world, &bot(), "plan", "five");
    let by = |name: &str| RevertRequest {
        actor: Some(name.into()),
        since: Some("30m".into()),
        ..RevertRequest::default()
    };
    let told = world.engine.revert(&ada(), &by("bot")).unwrap();
    assert_eq!((told.reverted.len(), told.reverted[0].back_to), (1, 3));
    assert_eq!(get(world, &ada(), "plan").text, "three");
    assert!(told.conflicts[0].why.starts_with(&format!("event {between} ")), "{told:?}");
    // One's own, again and again.
    put(world, &ada(), "mine", "right");
    world.pass(60 * MINUTE);
    put(world, &ada(), "mine", "wrong");
    assert_eq!(world.engine.revert(&ada(), &by("ada")).unwrap().reverted.len(), 1);
    let head = world.head();
    let preview = RevertRequest { dry_run: true, ..by("ada") };
    assert!(world.engine.revert(&ada(), &preview).unwrap().reverted.is_empty());
    let again = world.engine.revert(&ada(), &by("ada")).unwrap();
    assert_eq!((again.reverted.len(), again.conflicts.len(), world.head()), (0, 0, head));
}
