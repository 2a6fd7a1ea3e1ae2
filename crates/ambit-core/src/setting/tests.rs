//! Tests of the decisions and changes of settings.

use super::{Change, ChangeSetting, Key, SettingSet};
use crate::testing::{World, changes_of, check, note, refuses};
use crate::{Command, ScopeNo, SettingRefusal, SettingRow, What, scope};

fn set(name: &str, value: Option<&str>) -> Command {
    let (name, value) = (name.to_string(), value.map(str::to_string));
    Command::Set(ChangeSetting { name, value })
}

#[test]
fn a_setting_holds_until_it_goes_back_to_its_default() {
    let given = [note("hi")];
    let world = check(&given, &set("frame_size", Some("3")), &["set"]);
    assert_eq!(world.state.settings.get(ScopeNo(1), Key::FrameSize), 3);
    let given = [note("hi"), set("frame_size", Some("3"))];
    check(&given, &set("frame_size", Some("3")), &[]);
    let world = check(&given, &set("frame_size", None), &["set"]);
    let default = World::new().state.settings.get(ScopeNo(1), Key::FrameSize);
    assert_eq!(world.state.settings.get(ScopeNo(1), Key::FrameSize), default);
}

#[test]
fn an_unknown_setting_is_refused() {
    refuses(&[], &set("colour", Some("red")), SettingRefusal::Missing { name: "colour".into() });
}

#[test]
fn a_setting_of_a_scope_moves_its_head_and_may_be_a_boundary() {
    let (scope, seq, name) = (ScopeNo(1), 9, "budget".to_string());
    let value = Some("100".to_string());
    let what = SettingSet { scope: Some(scope), name: name.clone(), value, boundary: true };
    let expected = [
        Change::Set(SettingRow { scope, name, value: "100".into() }).into(),
        scope::Change::Head { scope, seq }.into(),
        scope::Change::Boundary { scope, seq }.into(),
    ];
    assert_eq!(changes_of(What::Set(what)), expected);
}

#[test]
fn the_state_has_no_settings_of_other_scopes() {
    let mut world = World::given(&[note("hi")]);
    let before = world.state.settings.clone();
    let (scope, name, value) = (ScopeNo(99), "frame_size".to_string(), "3".to_string());
    world.state.change_setting_row(Change::Set(SettingRow { scope, name, value }));
    assert_eq!(world.state.settings, before);
}
