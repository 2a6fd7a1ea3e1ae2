//! Events about objects.

use serde::{Deserialize, Serialize};

use super::{Change, ObjectRow, VersionRow};
use crate::log::{Capture, Fact, Target};
use crate::{
    Changes, ContentRef, Delta, Event, FrameChange, ItemKind, ItemNo, ItemRow, PlaceRow, ScopeNo,
    ScopeTotals, item, scope,
};

/// An object was created, or got its next version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObjectPut {
    pub object: ItemNo,
    /// The item with this version's text: for the first version, the object itself.
    pub item: ItemNo,
    pub version: i64,
    pub text: ContentRef,
    /// Set if the object is new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub named: Option<Named>,
    /// The place of a new object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<NewPlace>,
    /// The event of the previous version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<i64>,
    /// The change that this one reverts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverts: Option<i64>,
    pub delta: Delta,
}

/// The id, name and type of a new object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Named {
    pub id: String,
    pub name: String,
    #[serde(rename = "type")]
    pub kind: String,
}

/// The place of an object in a scope. Objects are not shown, so it adds nothing to the sum.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewPlace {
    pub scope: ScopeNo,
    pub position: i64,
    pub sum: i64,
}

impl Fact for ObjectPut {
    fn word(&self) -> &'static str {
        "put"
    }

    fn target(&self) -> Target<'_> {
        Target::Item(self.object, None)
    }

    fn highest_number(&self) -> i64 {
        self.item.0.max(self.text.content.0)
    }

    fn changes(&self, at: &Event, out: &mut Changes) {
        let seq = at.seq;
        let ObjectPut { object, item, version, .. } = *self;
        let row = ItemRow::single(at, item, ItemKind::Object, self.text.content);
        out.push(item::Change::Made(ItemRow { object: Some(object), ..row }));
        if let Some(named) = &self.named {
            out.push(Change::Created(ObjectRow {
                item: object,
                id: named.id.clone(),
                name: named.name.clone(),
                kind: named.kind.clone(),
                created_seq: seq,
                versions: 1,
                latest: item,
                latest_seq: seq,
            }));
        }
        out.push(Change::Version(VersionRow { object, version, seq, item }));
        if let Some(place) = &self.place {
            placed(at, object, place, out);
        }
    }

    fn capture(&self) -> Option<Capture<'_>> {
        Some(self.delta.capture(self.object))
    }

    fn visit(&self) -> Option<(ItemNo, &[FrameChange])> {
        Some((self.object, &self.delta.visited))
    }

    fn texts(&self) -> Vec<&ContentRef> {
        vec![&self.text]
    }

    fn items(&self) -> Vec<ItemNo> {
        vec![self.item]
    }
}

/// An object joined a scope.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Placed {
    pub object: ItemNo,
    pub place: NewPlace,
    pub delta: Delta,
}

impl Fact for Placed {
    fn word(&self) -> &'static str {
        "placed"
    }

    fn target(&self) -> Target<'_> {
        Target::Item(self.object, Some(self.place.scope))
    }

    fn highest_number(&self) -> i64 {
        0
    }

    fn changes(&self, at: &Event, out: &mut Changes) {
        placed(at, self.object, &self.place, out);
    }

    fn capture(&self) -> Option<Capture<'_>> {
        Some(self.delta.capture(self.object))
    }

    fn visit(&self) -> Option<(ItemNo, &[FrameChange])> {
        Some((self.object, &self.delta.visited))
    }
}

/// An object was taken out of a scope.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Displaced {
    pub object: ItemNo,
    pub scope: ScopeNo,
    pub position: i64,
    pub delta: Delta,
}

impl Fact for Displaced {
    fn word(&self) -> &'static str {
        "displaced"
    }

    fn target(&self) -> Target<'_> {
        Target::Item(self.object, Some(self.scope))
    }

    fn highest_number(&self) -> i64 {
        0
    }

    fn changes(&self, at: &Event, out: &mut Changes) {
        let (scope, position, seq) = (self.scope, self.position, at.seq);
        out.push(item::Change::Unplaced { scope, position, seq });
        out.push(scope::Change::Head { scope, seq });
    }

    fn capture(&self) -> Option<Capture<'_>> {
        Some(self.delta.capture(self.object))
    }

    fn visit(&self) -> Option<(ItemNo, &[FrameChange])> {
        Some((self.object, &self.delta.visited))
    }
}

fn placed(at: &Event, object: ItemNo, place: &NewPlace, out: &mut Changes) {
    let NewPlace { scope, position, sum } = *place;
    let row = PlaceRow::open(at, scope, position, object, ItemKind::Object);
    out.push(item::Change::Placed(PlaceRow { sum, ..row }));
    let totals = ScopeTotals { places: 1, ..ScopeTotals::of(scope, at.seq, sum) };
    out.push(scope::Change::Totals(totals));
}
