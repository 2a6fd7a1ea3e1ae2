//! Invalid commands: each refusal states the reason and changes nothing.

use ambit::{Caller, GetRequest, HistoryRequest, Inherit, Kind, ObjectsRequest, ViewsRequest};

use crate::things::put;
use crate::world::{World, ada};

pub fn invalid_commands_are_refused_and_change_nothing(world: &World) {
    let plan = put(world, &ada(), "plan", "1");
    let look = |named: &str| GetRequest { named: named.into(), ..GetRequest::default() };
    world.refuses(Kind::NotFound, |it| it.get(&ada(), &look("nothing")));
    world.refuses(Kind::NotFound, |it| it.get(&ada(), &look("obj_0192")));
    let third = GetRequest { version: Some(3), ..look("plan") };
    world.refuses(Kind::NotFound, |it| it.get(&ada(), &third));
    let both = GetRequest { at: Some("1".into()), ..third };
    world.refuses(Kind::Usage, |it| it.get(&ada(), &both));
    // An object of another vault.
    world.engine.create_vault("other").unwrap();
    let elsewhere = Caller { vault: "other".into(), ..ada() };
    world.refuses(Kind::NotFound, |it| it.get(&elsewhere, &look(&plan.id)));
    world.refuses(Kind::NotFound, |it| it.why(&elsewhere, &plan.id));
    // An unknown type.
    let request = ObjectsRequest { of_type: Some("nonsense".into()), ..ObjectsRequest::default() };
    world.refuses(Kind::Usage, |it| it.objects(&ada(), &request));
    for limit in [0, -1, 1_001] {
        let request = ObjectsRequest { limit: Some(limit), ..ObjectsRequest::default() };
        world.refuses(Kind::Usage, |it| it.objects(&ada(), &request));
    }
    for at in ["0", "-1", "99999", "2999-01-01", "soon"] {
        world.refuses(Kind::Usage, |it| it.context_of(&ada(), None, Some(at)));
    }
    world.refuses(Kind::NotFound, |it| it.context_of(&ada(), Some("nowhere"), None));
    let views = ViewsRequest { id: Some("viw_0".into()), ..ViewsRequest::default() };
    world.refuses(Kind::NotFound, |it| it.views(&ada(), &views));
    let history = HistoryRequest { actor: Some("nobody".into()), ..HistoryRequest::default() };
    world.refuses(Kind::NotFound, |it| it.history(&ada(), &history));
    world.refuses(Kind::NotFound, |it| it.related(&ada(), "nothing", None));
    // Placing twice, and taking out an object that is not in the scope.
    world.refuses(Kind::Conflict, |it| it.place(&ada(), "plan", "main", false));
    world.refuses(Kind::NotFound, |it| it.place(&ada(), "plan", "nowhere", false));
    world.engine.scope(&ada(), "alpha", "off").unwrap();
    world.refuses(Kind::Conflict, |it| it.place(&ada(), "plan", "alpha", true));
    // Forks: a name that is taken, an empty task, and too deep.
    for name in ["main", "ada", "", "scp_1"] {
        let error = world.engine.fork(&ada(), name, "go", Inherit::None).unwrap_err();
        assert!(matches!(error.kind(), Kind::Conflict | Kind::Usage), "{name}: {error}");
    }
    world.refuses(Kind::Usage, |it| it.fork(&ada(), "sub", " ", Inherit::None));
    // A caller that is not registered yet still owns its name.
    world.refuses(Kind::Conflict, |it| it.fork(&Caller::new("new"), "new", "go", Inherit::None));
    world.set("fork_depth_max", "2");
    let one = world.engine.fork(&ada(), "one", "go", Inherit::None).unwrap();
    let two = world.engine.fork(&Caller::new(one.actor), "two", "go", Inherit::None).unwrap();
    let two = Caller::new(two.actor);
    world.refuses(Kind::Refused, |it| it.fork(&two, "three", "go", Inherit::None));
    // A text that is too long.
    world.set("object_bytes_max", "3");
    let long = ambit::PutRequest {
        object: "long".into(),
        text: "four".into(),
        ..ambit::PutRequest::default()
    };
    world.refuses(Kind::Refused, |it| it.put(&ada(), &long));
}
