//! A story's commands of attention as calls of the library.

use ambit::{
    Engine, GetRequest, HistoryRequest, Inherit, ObjectsRequest, PutRequest, Result, RevertRequest,
    ViewsRequest,
};
use serde_json::{Value, json};

use super::calls::{Asked, data};

pub fn ask(it: &Asked<'_>, engine: &Engine) -> Result<Value> {
    let me = &it.caller;
    Ok(match it.verb {
        "why" => data(&engine.why(me, it.needed("id"))?),
        "related" => data(&engine.related(me, it.needed("id"), it.number("limit"))?),
        "meta" => data(&engine.meta(me, it.needed("id"))?),
        "diff" => {
            let (from, to) = (it.text("from"), it.text("to"));
            data(&engine.diff(me, it.needed("id"), from, to)?)
        }
        "context" => data(&engine.context_of(me, it.text("of"), it.text("at"))?),
        "objects" => {
            let (of_type, within) = (it.owned("type"), it.owned("in"));
            let request = ObjectsRequest { of_type, within, ..ObjectsRequest::default() };
            data(&engine.objects(me, &request)?)
        }
        "views" => {
            let (actor, scope) = (it.owned("by"), it.owned("of"));
            let request = ViewsRequest { actor, scope, ..ViewsRequest::default() };
            data(&engine.views(me, &request)?)
        }
        _ => {
            let request = HistoryRequest {
                named: it.owned("id"),
                actor: it.owned("by"),
                scope: it.owned("of"),
                changes: it.set("changes"),
                ..HistoryRequest::default()
            };
            data(&engine.history(me, &request)?)
        }
    })
}

pub fn attend(it: &Asked<'_>, engine: &Engine) -> Result<Value> {
    let me = &it.caller;
    Ok(match it.verb {
        "put" => {
            let request = PutRequest {
                object: it.text("name").or(it.text("id")).unwrap().into(),
                of_type: it.owned("type"),
                text: it.needed("content").into(),
                into: it.owned("into"),
            };
            data(&engine.put(me, &request)?)
        }
        "get" => {
            let request = GetRequest {
                named: it.needed("id").into(),
                no_visit: it.set("no_visit"),
                ..GetRequest::default()
            };
            data(&engine.get(me, &request)?)
        }
        "place" => {
            let (id, scope) = (it.needed("id"), it.needed("scope"));
            data(&engine.place(me, id, scope, it.set("out"))?)
        }
        "enter" => data(&engine.enter(me, it.needed("scope"))?),
        "leave" => data(&engine.leave(me, it.needed("scope"))?),
        "focus" => data(&engine.focus(me, it.needed("scope"))?),
        "break" => data(&engine.context_break(me)?),
        "fork" => {
            let (name, task) = (it.needed("name"), it.needed("task"));
            let inherit = it.text("inherit").and_then(Inherit::parse).unwrap_or(Inherit::Notes);
            let mut answer = data(&engine.fork(me, name, task, inherit)?);
            // The program says which store it was told to use.
            if let Some(server) = it.place.server() {
                answer["environment"]["AMBIT_STORE"] = json!(server);
            }
            answer
        }
        "rejoin" => {
            let (child, note) = (it.text("child"), it.text("note"));
            data(&engine.rejoin(me, child, note, it.set("deep"))?)
        }
        "abandon" => data(&engine.abandon(me, it.needed("child"), it.set("deep"))?),
        _ => {
            let request = RevertRequest { event: it.number("event"), ..RevertRequest::default() };
            data(&engine.revert(me, &request)?)
        }
    })
}
