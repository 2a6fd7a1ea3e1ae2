//! Reverting: each by a new version, without touching what others changed since.

use ambit::{Kind, RevertRequest};

use crate::things::{get, put};
use crate::world::{MINUTE, World, ada, bot};

fn one(event: i64) -> RevertRequest {
    RevertRequest { event: Some(event), ..RevertRequest::default() }
}

pub fn a_change_is_reverted_by_a_new_version(world: &World) {
    put(world, &ada(), "plan", "one");
    let wrong = put(world, &bot(), "plan", "wrong").event;
    let preview = RevertRequest { dry_run: true, ..one(wrong) };
    let before = world.head();
    let result = world.engine.revert(&ada(), &preview).unwrap();
    assert_eq!((result.done, result.reverted[0].back_to, world.head()), (false, 1, before));
    let result = world.engine.revert(&ada(), &one(wrong)).unwrap();
    assert_eq!(result.reverted[0].version, Some(3));
    let now = get(world, &ada(), "plan");
    assert_eq!((now.text.as_str(), now.version, now.author.as_str()), ("one", 3, "ada"));
    // Nothing is lost.
    let why = world.engine.why(&ada(), "plan").unwrap();
    assert_eq!(why.reverts, Some(wrong));
    // A revert is a change like any other, and can be reverted too.
    let again = world.engine.revert(&bot(), &one(why.event)).unwrap();
    assert_eq!(again.reverted[0].back_to, 2);
    assert_eq!(get(world, &ada(), "plan").text, "wrong");
    world.verified();
}

pub fn all_changes_of_an_actor_since_a_moment_are_reverted(world: &World) {
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
    let result = world.engine.revert(&ada(), &request).unwrap();
    assert_eq!(result.reverted.len(), 1);
    assert_eq!((result.reverted[0].events.len(), result.reverted[0].back_to), (2, 1));
    assert_eq!(get(world, &ada(), "plan").text, "one");
    assert_eq!(get(world, &ada(), "notes").text, "bot's own", "from before");
    assert_eq!(result.conflicts.len(), 1, "what is new has nothing to go back to");
    assert_eq!(result.conflicts[0].name, "new");
}

pub fn later_changes_by_others_are_left_alone(world: &World) {
    put(world, &ada(), "plan", "one");
    let wrong = put(world, &bot(), "plan", "wrong").event;
    put(world, &ada(), "plan", "mended by hand");
    let result = world.engine.revert(&ada(), &one(wrong)).unwrap();
    assert!(result.reverted.is_empty());
    assert_eq!(result.conflicts[0].event, wrong);
    assert_eq!(get(world, &ada(), "plan").text, "mended by hand");
    world.refuses(Kind::NotFound, |it| it.revert(&ada(), &one(1)));
    world.refuses(Kind::NotFound, |it| it.revert(&ada(), &one(999)));
    world.refuses(Kind::Usage, |it| it.revert(&ada(), &RevertRequest::default()));
}

/// A command with a key, repeated, returns its first answer, whatever happened since.
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
    // An actor's own changes since a moment, without the reverts of them.
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
    let result = world.refuses(Kind::NotFound, |it| it.revert(&ada(), &one(9_999)));
    assert!(result.contains("no event 9999"), "{result}");
}

/// An unused key changes nothing, and a used one belongs to one command.
pub fn a_key_belongs_to_one_revert(world: &World) {
    put(world, &ada(), "plan", "one");
    let wrong = put(world, &bot(), "plan", "wrong").event;
    world.engine.revert(&ada(), &one(wrong)).unwrap();
    put(world, &bot(), "plan", "wrong again");
    let keyed = |key: &str| ambit::Caller { key: Some(key.into()), ..ada() };
    let result = world.engine.revert(&keyed("new"), &one(wrong)).unwrap();
    assert_eq!((result.reverted.len(), result.conflicts.len()), (0, 1), "it was changed since");
    put(world, &ada(), "code", "one");
    let other = put(world, &bot(), "code", "wrong").event;
    put(world, &ada(), "plan", "right");
    world.pass(60 * MINUTE);
    put(world, &bot(), "plan", "wrong once more");
    put(world, &bot(), "code", "worse");
    let refused = world.engine.revert(&keyed("new"), &one(other)).unwrap_err();
    assert_eq!(refused.kind(), Kind::Conflict, "{refused}");
    // All changes of an actor, whatever that actor does in between.
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

/// Conflicts are reported, and the other changes are reverted in the same transaction.
pub fn conflicts_do_not_prevent_other_reverts(world: &World) {
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
    let result = world.engine.revert(&ada(), &all).unwrap();
    assert_eq!(result.reverted.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(), ["short"]);
    assert!(result.conflicts[0].why.contains("object_bytes_max"), "{result:?}");
    assert_eq!(get(world, &ada(), "short").text, "short");
    assert_eq!(get(world, &ada(), "long").text, "wrong");
}

/// Only changes without a later change by others are reverted; repeated, the command does nothing.
pub fn only_the_latest_changes_are_reverted(world: &World) {
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
    let result = world.engine.revert(&ada(), &by("bot")).unwrap();
    assert_eq!((result.reverted.len(), result.reverted[0].back_to), (1, 3));
    assert_eq!(get(world, &ada(), "plan").text, "three");
    assert!(result.conflicts[0].why.starts_with(&format!("event {between} ")), "{result:?}");
    // An actor's own changes, repeatedly.
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
