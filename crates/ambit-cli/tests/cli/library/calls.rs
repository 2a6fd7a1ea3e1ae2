//! A story's commands as calls of the library.

use std::fs::File;
use std::io::Cursor;
use std::path::Path;

use ambit::{
    ActorKind, Caller, Engine, Error, Format, Location, Part, Request, Result, SearchRequest,
    Selection, Via, check_export, check_request,
};
use serde::Serialize;
use serde_json::{Value, json};

use super::attention;
use crate::mcp::stories::Call;
use crate::place::Place;
use crate::stories::Command;

/// A program that uses the library where the story's commands would be given.
pub struct Library {
    pub place: Place,
}

/// One command, as a program would have it.
pub struct Asked<'a> {
    pub place: &'a Place,
    pub verb: &'a str,
    input: &'a str,
    call: Call,
    pub caller: Caller,
}

impl Library {
    pub fn new(place: Place) -> Library {
        Library { place }
    }

    /// What the library answers, or how it fails. None where it has no such call.
    pub fn answer(&self, command: &Command) -> Option<Value> {
        let call = Call::of(command);
        let global = |name: &str| {
            let at = call.globals.iter().position(|word| word == name)?;
            call.globals.get(at + 1).cloned()
        };
        let mut caller = Caller::new(global("--as").unwrap_or("ada".into()));
        caller.vault = global("--vault").unwrap_or(caller.vault);
        caller.scope = global("--scope");
        if let Some(kind) = global("--kind").as_deref().and_then(ActorKind::parse) {
            caller.kind = kind;
        }
        // As on the command line, so that the logs are the same.
        caller.via = Via::Cli;
        let asked = Asked {
            place: &self.place,
            verb: &command.words[0],
            input: &command.input,
            call,
            caller,
        };
        match asked.answer() {
            Ok(result) => result.map(|result| json!({"result": result})),
            Err(error) => Some(json!({"error": told(&error)})),
        }
    }

    /// All that happened; None where there is no store.
    pub fn log(&self) -> Option<Value> {
        let engine = match store(&self.place, None).and_then(|store| Engine::open(&store)) {
            Err(Error::NoStore | Error::NoStoreAt(_)) => return None,
            engine => engine.unwrap_or_else(|error| panic!("{error}")),
        };
        Some(data(&engine.log(&Caller::new("ada"), Some(0), 1_000).unwrap()))
    }
}

fn told(error: &Error) -> Value {
    let hint = ambit_verbs::hint(error, ambit_verbs::Interface::CommandLine);
    json!({"code": error.kind(), "message": error.to_string(), "hint": hint})
}

pub fn data(answer: &impl Serialize) -> Value {
    serde_json::from_str(&serde_json::to_string(answer).unwrap()).unwrap()
}

/// The store that is named, or the one at hand.
fn store(place: &Place, named: Option<&str>) -> Result<Location> {
    match named.or(place.server()) {
        None => Location::find(place.path()),
        Some(named) => Ok(match Location::parse(named)? {
            Location::Sqlite(path) => Location::Sqlite(place.path().join(path)),
            server => server,
        }),
    }
}

impl Asked<'_> {
    pub fn text(&self, name: &str) -> Option<&str> {
        self.call.arguments.get(name).map(|it| it.as_str().unwrap())
    }

    pub fn owned(&self, name: &str) -> Option<String> {
        self.text(name).map(str::to_string)
    }

    pub fn needed(&self, name: &str) -> &str {
        self.text(name).unwrap()
    }

    pub fn number(&self, name: &str) -> Option<i64> {
        self.call.arguments.get(name).map(|it| it.as_i64().unwrap())
    }

    pub fn set(&self, name: &str) -> bool {
        self.call.arguments.contains_key(name)
    }

    fn store(&self) -> Result<Location> {
        let named = self.call.globals.iter().position(|word| word == "--store");
        store(self.place, named.map(|at| self.call.globals[at + 1].as_str()))
    }

    fn engine(&self) -> Result<Engine> {
        Engine::open(&self.store()?)
    }

    fn answer(&self) -> Result<Option<Value>> {
        let answer = match self.verb {
            "init" => self.init()?,
            "check" => {
                let format = self.text("format").and_then(Format::parse);
                data(&check_request(self.input.as_bytes(), format)?)
            }
            "import" => self.import()?,
            "export" => {
                let path = self.place.path().join(self.needed("file"));
                // To write over no file is the program's own care.
                if path.exists() {
                    return Ok(None);
                }
                self.export(&path)?
            }
            "backup" => {
                let path = self.place.path().join(self.needed("file"));
                data(&self.engine()?.backup(&path, self.set("force"), &|_, _| {})?)
            }
            "verify" | "rebuild" | "gc" | "forget" | "settings" => self.keep(&self.engine()?)?,
            "where" | "scopes" | "notes" | "insights" | "read" | "search" | "compose" => {
                self.look(&self.engine()?)?
            }
            "why" | "history" | "related" | "views" | "diff" | "meta" | "context" | "objects" => {
                attention::ask(self, &self.engine()?)?
            }
            "put" | "get" | "place" | "enter" | "leave" | "focus" | "break" | "fork" | "rejoin"
            | "abandon" | "revert" => attention::attend(self, &self.engine()?)?,
            _ => self.change(&self.engine()?)?,
        };
        Ok(Some(answer))
    }

    fn init(&self) -> Result<Value> {
        let location = match self.place.server() {
            Some(server) => Location::parse(server)?,
            None => Location::within(self.place.path()),
        };
        let (engine, created) = Engine::create(&location)?;
        let vault_created = engine.create_vault(&self.caller.vault)?;
        Ok(json!({
            "store": location.to_string(),
            "vault": self.caller.vault,
            "created": created,
            "vault_created": vault_created,
        }))
    }

    fn export(&self, path: &Path) -> Result<Value> {
        let mut file = File::create(path).unwrap();
        let mut answer = data(&self.engine()?.export(&self.caller, &mut file, &|_, _| {})?);
        answer["file"] = json!(path);
        Ok(answer)
    }

    fn import(&self) -> Result<Value> {
        let bytes = match self.needed("file") {
            "-" => self.input.as_bytes().to_vec(),
            file => std::fs::read(self.place.path().join(file)).unwrap(),
        };
        let mut source = Cursor::new(bytes);
        let checked = check_export(&mut source, &|_| {})?;
        Ok(data(&self.engine()?.import(&self.caller.vault, &checked, &mut source, &|_| {})?))
    }

    fn keep(&self, engine: &Engine) -> Result<Value> {
        let me = &self.caller;
        Ok(match self.verb {
            "verify" if self.set("quick") => data(&engine.verify_chain(me, &|_| {})?),
            "verify" => data(&engine.verify(me, &|_| {})?),
            "rebuild" => data(&engine.rebuild(me, &|_, _| {})?),
            "gc" => data(&engine.gc(me, self.set("dry_run"), self.set("vacuum"), &|_| {})?),
            "settings" => data(&engine.set(me, self.needed("name"), self.text("value"))?),
            _ => {
                let names = self.call.arguments.get("names").cloned().unwrap_or(json!([]));
                let selection = Selection {
                    names: serde_json::from_value(names).unwrap(),
                    within: self.owned("in"),
                    by: self.owned("by"),
                    containing: self.owned("containing"),
                    search: self.owned("search"),
                };
                data(&match self.set("yes") {
                    true => engine.forget(me, &selection, &|_| {})?,
                    false => engine.forget_preview(me, &selection, &|_| {})?,
                })
            }
        })
    }

    fn look(&self, engine: &Engine) -> Result<Value> {
        let me = &self.caller;
        Ok(match self.verb {
            "where" => data(&engine.where_am_i(me)?),
            "scopes" => data(&engine.scopes(me)?),
            "notes" => data(&engine.notes(me, self.text("name"))?),
            "insights" => data(&engine.insights(me)?),
            "read" => data(&engine.read_part(me, self.needed("handle"), &Part::Start)?),
            "compose" => {
                let request = Request { budget: self.number("budget"), ..Request::default() };
                data(&engine.compose(me, &request)?)
            }
            _ => {
                let request = SearchRequest {
                    query: self.needed("query").into(),
                    within: self.owned("in"),
                    only: self.owned("only"),
                    ..SearchRequest::default()
                };
                data(&engine.search(me, &request)?)
            }
        })
    }

    fn change(&self, engine: &Engine) -> Result<Value> {
        let me = &self.caller;
        Ok(match self.verb {
            "scope" => data(&engine.scope(me, self.needed("name"), self.needed("note"))?),
            "goto" => data(&engine.goto(me, self.needed("name"), self.needed("note"))?),
            "note" => data(&engine.note(me, self.needed("message"))?),
            "insight" => data(&match self.text("retract") {
                Some(hash) => engine.retract(me, hash)?,
                None => engine.insight(me, self.needed("message"))?,
            }),
            "rewind" => data(&engine.rewind(me, self.needed("to").parse().unwrap())?),
            "append" => {
                let messages = &self.call.arguments["messages"];
                let (first, more) = messages.as_array().unwrap().split_first().unwrap();
                let plain = first.as_object().unwrap().keys().eq(["role", "content"]);
                data(&match (plain && more.is_empty(), &first["role"], &first["content"]) {
                    (true, Value::String(role), Value::String(text)) => {
                        engine.append_text(me, role, text)?
                    }
                    _ => engine.append_json(me, &messages.to_string())?,
                })
            }
            verb => panic!("no call is known for {verb}"),
        })
    }
}
