//! Objects: `put`, `get`, `meta`, `diff`, `place` and `objects`.

pub(crate) mod diff;
pub(crate) mod frames;

use ambit_core::{
    Answer, Captured, Command, ItemKind, ItemNo, Millis, Needs, ObjectRow, Place, Put, ScopeNo,
    Visit, rfc3339,
};
use ambit_store::{Objects, Snapshot, Which};

use self::diff::{diff, unified};
use crate::conversation::reading::author;
use crate::engine::{counted, read_state, unexpected};
use crate::lookup::{Found, find, no_such};
use crate::names::{Names, first_words, missing, time_of};
use crate::time_travel::{event_at, invalid_moment};
use crate::{
    Caller, DeltaLine, DiffAnswer, Engine, GetAnswer, MetaAnswer, ObjectLine, ObjectsAnswer,
    PlaceLine, PutLine, QuestionRefusal, Result, VersionLine, VisitLine,
};

/// A new object, or a new version of an object.
#[derive(Clone, Debug, Default)]
pub struct PutRequest {
    /// The object's id, or its name, which may be new.
    pub object: String,
    /// The object's type; `artifact` is the default for a new object.
    pub of_type: Option<String>,
    pub text: String,
    /// The scope for a new object, instead of the primary one.
    pub into: Option<String>,
}

/// What to get.
#[derive(Clone, Debug, Default)]
pub struct GetRequest {
    /// An object's id or name, or a note's hash.
    pub named: String,
    /// An object's version; the latest by default.
    pub version: Option<i64>,
    /// The event or time at which to read the object.
    pub at: Option<String>,
    /// Reads without a visit.
    pub no_visit: bool,
}

/// Which objects to list.
#[derive(Clone, Debug, Default)]
pub struct ObjectsRequest {
    pub of_type: Option<String>,
    pub within: Option<String>,
    /// The id after which the page begins.
    pub after: Option<String>,
    pub limit: Option<i64>,
}

const LIMIT: i64 = 50;
const LIMIT_MAX: i64 = 1_000;

/// The number of versions that `meta` lists.
const VERSIONS_SHOWN: i64 = 20;

/// Returns the page size, or refuses one that is out of range.
pub(crate) fn limit(asked: Option<i64>, default: i64) -> Result<i64> {
    match asked.unwrap_or(default) {
        limit @ 1..=LIMIT_MAX => Ok(limit),
        limit => Err(QuestionRefusal::Limit { limit, max: LIMIT_MAX }.into()),
    }
}

impl Engine {
    /// Creates an object or its next version, and captures the frame.
    ///
    /// ```
    /// # use ambit::{Caller, Engine, GetRequest, PutRequest};
    /// # let (engine, me) = (Engine::memory()?, Caller::new("ada"));
    /// let put = |name: &str, text: &str| {
    ///     let (object, text) = (name.into(), text.into());
    ///     engine.put(&me, &PutRequest { object, text, ..PutRequest::default() })
    /// };
    /// let plan = put("plan.md", "1. look")?;
    /// let code = put("login.rs", "fn login() {}")?;
    /// // The frame when the code was written:
    /// assert_eq!(code.delta.unwrap().context, [plan.id.as_str()]);
    /// assert_eq!(put("plan.md", "1. look\n2. fix")?.version, 2);
    /// # Ok::<(), ambit::Error>(())
    /// ```
    pub fn put(&self, caller: &Caller, request: &PutRequest) -> Result<PutLine> {
        let PutRequest { object, of_type, text, into } = request.clone();
        let put = Put { object, kind: of_type, text: counted(&text), scope: into };
        let (answer, mut warnings) = match self.run_texts(caller, Command::Put(put))? {
            (Answer::Put(answer), warnings) => (answer, warnings),
            (other, _) => return Err(unexpected(&other)),
        };
        let delta = self.delta_line(caller, &answer.delta, answer.parent, &mut warnings);
        Ok(PutLine {
            id: answer.id,
            name: answer.name,
            of_type: answer.kind,
            version: answer.version,
            event: answer.event,
            delta,
            warnings,
        })
    }

    /// Returns the captured frame as ids. The change is durable, so a failed read is only a
    /// warning.
    fn delta_line(
        &self,
        caller: &Caller,
        captured: &Captured,
        parent: Option<i64>,
        warnings: &mut Vec<String>,
    ) -> Option<DeltaLine> {
        let read = self.read(caller, &mut |snapshot| {
            Ok(DeltaLine {
                context: snapshot.ids(&captured.context)?,
                context_frame: Names::default().scope(snapshot, captured.context_frame)?.0,
                parent,
            })
        });
        let failed =
            |error| format!("the change was stored; cannot read the captured frame: {error}");
        read.map_err(|error| warnings.push(failed(error))).ok()
    }

    /// Returns the text of an object or a note. This is a visit, unless the request or the type
    /// excludes it.
    pub fn get(&self, caller: &Caller, request: &GetRequest) -> Result<GetAnswer> {
        let context = self.context(caller);
        let needs = Needs::of(&context);
        let (got, ended) = self.read(caller, &mut |snapshot| {
            let state = read_state(snapshot, &needs)?;
            let ended = state.actor.is_some_and(|actor| actor.fate.is_some());
            Ok((read_object_or_note(snapshot, request, context.now)?, ended))
        })?;
        let (mut answer, object, note) = got;
        // An actor that has ended may read, but no longer has a frame.
        if !request.no_visit && !ended {
            match self.run(caller, Command::Visit(Visit { object, note }))? {
                Answer::Visited(visit) => answer.visited = visit.visited,
                other => return Err(unexpected(&other)),
            }
        }
        Ok(answer)
    }

    /// Returns everything about an object or a note except its text. Never a visit.
    pub fn meta(&self, caller: &Caller, named: &str) -> Result<MetaAnswer> {
        let needs = Needs::of(&self.context(caller));
        self.read(caller, &mut |snapshot| {
            let state = read_state(snapshot, &needs)?;
            match find(snapshot, named)? {
                Found::Object(row) => {
                    let substantive = state.settings.is_substantive(&row.kind);
                    object_meta(snapshot, &row, substantive)
                }
                Found::Note(note, item) => Ok(MetaAnswer {
                    id: note.hash.to_hex(),
                    kind: ItemKind::Note.as_str(),
                    name: first_words(&note.text),
                    of_type: "note".into(),
                    substantive: true,
                    created_at: rfc3339(note.time),
                    scopes: note_scopes(snapshot, note.scope)?,
                    versions: 1,
                    latest: vec![VersionLine {
                        version: 1,
                        event: note.seq,
                        author: author(snapshot, note.author)?,
                        timestamp: rfc3339(note.time),
                        forgotten: note.forgotten.is_some(),
                    }],
                    last_visit: last_visit(snapshot, item)?,
                }),
            }
        })
    }

    /// Compares two versions, or the versions at two times. By default compares the latest version
    /// with the one before.
    pub fn diff(
        &self,
        caller: &Caller,
        named: &str,
        from: Option<&str>,
        to: Option<&str>,
    ) -> Result<DiffAnswer> {
        let context = self.context(caller);
        let needs = Needs::of(&context);
        self.read(caller, &mut |snapshot| {
            read_state(snapshot, &needs)?;
            let row = match find(snapshot, named)? {
                Found::Object(row) => row,
                Found::Note(..) => {
                    return Err(QuestionRefusal::NoteVersions { name: named.into() }.into());
                }
            };
            let to = side(snapshot, &row, to, row.versions, context.now)?;
            let from = side(snapshot, &row, from, (to.0 - 1).max(0), context.now)?;
            let hunks = diff(&from.1, &to.1);
            let label = |version: i64| format!("{} (version {version})", row.name);
            let unified = unified(&hunks, &label(from.0), &label(to.0));
            let (id, name) = (row.id.clone(), row.name.clone());
            Ok(DiffAnswer { id, name, from: from.0, to: to.0, hunks, unified })
        })
    }

    /// Puts an object into a scope, or takes it out.
    pub fn place(&self, caller: &Caller, named: &str, scope: &str, out: bool) -> Result<PlaceLine> {
        let command = Command::Place(Place { object: named.into(), scope: scope.into(), out });
        let answer = match self.run(caller, command)? {
            Answer::Placed(answer) => answer,
            other => return Err(unexpected(&other)),
        };
        let mut warnings = Vec::new();
        let delta = self.delta_line(caller, &answer.delta, None, &mut warnings);
        let (id, name, scope) = (answer.id, answer.name, answer.scope);
        Ok(PlaceLine { id, name, scope, out, event: answer.event, delta, warnings })
    }

    /// Lists the objects of the vault, of a scope or of a type, in order of creation.
    pub fn objects(&self, caller: &Caller, request: &ObjectsRequest) -> Result<ObjectsAnswer> {
        let context = self.context(caller);
        let mut needs = Needs::of(&context);
        needs.scopes.extend(request.within.clone());
        self.read(caller, &mut |snapshot| {
            let state = read_state(snapshot, &needs)?;
            let scope = match &request.within {
                Some(name) => Some(state.scope_named(name)?.scope),
                None => None,
            };
            let after = match &request.after {
                Some(id) => snapshot.object(id)?.ok_or_else(|| no_such(id))?.item,
                None => ItemNo(0),
            };
            let limit = limit(request.limit, LIMIT)?;
            let kind = request.of_type.clone();
            if let Some(kind) = &kind {
                known_type(snapshot, &state.settings.types(), kind)?;
            }
            let which = Objects { kind, scope, after, limit };
            let rows = snapshot.objects(&which)?;
            let full = rows.len() as i64 == limit;
            let next = rows.last().filter(|_| full).map(|row| row.id.clone());
            let mut objects = Vec::with_capacity(rows.len());
            for row in rows {
                let changed = time_of(snapshot, row.latest_seq)?;
                objects.push(ObjectLine {
                    id: row.id,
                    name: row.name,
                    of_type: row.kind,
                    versions: row.versions,
                    changed_at: rfc3339(changed),
                });
            }
            Ok(ObjectsAnswer { objects, next })
        })
    }
}

/// Refuses an unknown type, which is more likely a typo than a request for an empty list.
fn known_type(snapshot: &mut dyn Snapshot, types: &[String], kind: &str) -> Result<()> {
    let which = Objects { kind: Some(kind.to_string()), limit: 1, ..Objects::default() };
    if types.iter().any(|known| known == kind) || !snapshot.objects(&which)?.is_empty() {
        return Ok(());
    }
    let (of_type, known) = (kind.to_string(), types.to_vec());
    Err(QuestionRefusal::UnknownType { of_type, known }.into())
}

/// Returns the scope of a note. An insight has no scope.
fn note_scopes(snapshot: &mut dyn Snapshot, scope: ScopeNo) -> Result<Vec<String>> {
    match scope {
        ScopeNo::VAULT => Ok(Vec::new()),
        scope => Names::default().scope_names(snapshot, &[scope]),
    }
}

type Got = (GetAnswer, Option<String>, Option<ItemNo>);

fn read_object_or_note(
    snapshot: &mut dyn Snapshot,
    request: &GetRequest,
    now: Millis,
) -> Result<Got> {
    if request.version.is_some() && request.at.is_some() {
        let (one, other) = ("a version", "a moment");
        return Err(QuestionRefusal::Both { one, other }.into());
    }
    match find(snapshot, &request.named)? {
        Found::Note(note, item) => {
            let name = first_words(&note.text);
            let answer = GetAnswer {
                id: note.hash.to_hex(),
                kind: ItemKind::Note.as_str(),
                name,
                of_type: "note".into(),
                version: 1,
                versions: 1,
                author: author(snapshot, note.author)?,
                timestamp: rfc3339(note.time),
                event: note.seq,
                scopes: note_scopes(snapshot, note.scope)?,
                text: note.text,
                visited: false,
            };
            Ok((answer, None, Some(item)))
        }
        Found::Object(row) => {
            let which = match (&request.at, request.version) {
                (Some(at), _) => Which::At(event_at(snapshot, at, now)?),
                (None, version) => Which::Number(version.unwrap_or(row.versions)),
            };
            let answer = read_version(snapshot, &row, which)?;
            Ok((answer, Some(row.id), None))
        }
    }
}

fn read_version(snapshot: &mut dyn Snapshot, row: &ObjectRow, which: Which) -> Result<GetAnswer> {
    let version = snapshot.version(row.item, which)?.ok_or_else(|| no_version(row, which))?;
    let thing = snapshot.things(&[version.item])?.pop();
    let thing = thing.ok_or_else(|| missing("item", version.item))?;
    if let Some(seq) = thing.forgotten {
        let (name, version) = (row.name.clone(), version.version);
        return Err(QuestionRefusal::VersionForgotten { name, version, event: seq }.into());
    }
    let places: Vec<_> =
        snapshot.object_places(row.item)?.into_iter().map(|place| place.scope).collect();
    Ok(GetAnswer {
        id: row.id.clone(),
        kind: ItemKind::Object.as_str(),
        name: row.name.clone(),
        of_type: row.kind.clone(),
        version: version.version,
        versions: row.versions,
        author: author(snapshot, thing.author)?,
        timestamp: rfc3339(thing.time),
        event: version.seq,
        scopes: Names::default().scope_names(snapshot, &places)?,
        text: thing.text,
        visited: false,
    })
}

fn no_version(row: &ObjectRow, which: Which) -> QuestionRefusal {
    let name = row.name.clone();
    match which {
        Which::Number(version) => {
            QuestionRefusal::NoVersion { name, version, versions: row.versions }
        }
        Which::At(event) => QuestionRefusal::ObjectNotYet { name, event, created: row.created_seq },
    }
}

/// Resolves one side of a diff: a version's number, or the version at a time.
fn side(
    snapshot: &mut dyn Snapshot,
    row: &ObjectRow,
    asked: Option<&str>,
    otherwise: i64,
    now: Millis,
) -> Result<(i64, String)> {
    let which = match asked {
        // Before the first version the text is empty.
        None if otherwise == 0 => return Ok((0, String::new())),
        None => Which::Number(otherwise),
        Some(text) => match text.parse() {
            Ok(0) => return Ok((0, String::new())),
            Ok(number) => Which::Number(number),
            Err(_) if ambit_core::moment(text, now).is_none() => {
                return Err(invalid_moment(text).into());
            }
            Err(_) => match event_at(snapshot, text, now)? {
                at if at < row.created_seq => return Ok((0, String::new())),
                at => Which::At(at),
            },
        },
    };
    let got = read_version(snapshot, row, which)?;
    Ok((got.version, got.text))
}

fn object_meta(
    snapshot: &mut dyn Snapshot,
    row: &ObjectRow,
    substantive: bool,
) -> Result<MetaAnswer> {
    let mut latest = Vec::new();
    for version in snapshot.versions(row.item, i64::MAX, VERSIONS_SHOWN)? {
        let thing = snapshot.things(&[version.item])?.pop();
        let thing = thing.ok_or_else(|| missing("item", version.item))?;
        latest.push(VersionLine {
            version: version.version,
            event: version.seq,
            author: author(snapshot, thing.author)?,
            timestamp: rfc3339(thing.time),
            forgotten: thing.forgotten.is_some(),
        });
    }
    let places: Vec<_> =
        snapshot.object_places(row.item)?.into_iter().map(|place| place.scope).collect();
    Ok(MetaAnswer {
        id: row.id.clone(),
        kind: ItemKind::Object.as_str(),
        name: row.name.clone(),
        of_type: row.kind.clone(),
        substantive,
        created_at: rfc3339(time_of(snapshot, row.created_seq)?),
        scopes: Names::default().scope_names(snapshot, &places)?,
        versions: row.versions,
        latest,
        last_visit: last_visit(snapshot, row.item)?,
    })
}

fn last_visit(snapshot: &mut dyn Snapshot, item: ItemNo) -> Result<Option<VisitLine>> {
    let Some(visit) = snapshot.visits_of(item, i64::MAX, 1)?.pop() else {
        return Ok(None);
    };
    let time = time_of(snapshot, visit.seq)?;
    let actor = author(snapshot, visit.actor)?;
    Ok(Some(VisitLine { event: visit.seq, actor, timestamp: rfc3339(time) }))
}
