-- The first schema. Every table begins with the vault: it is the border of isolation and of order.
-- Written for SQLite; what another database calls differently is replaced in one place.

CREATE TABLE vault (
    vault INTEGER NOT NULL PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    head_seq INTEGER NOT NULL,
    head_hash BLOB NOT NULL,
    time INTEGER NOT NULL,
    next INTEGER NOT NULL,
    main INTEGER NOT NULL,
    scopes INTEGER NOT NULL,
    boundary INTEGER NOT NULL
) STRICT;

-- The log: the only truth. Every other table but content and key follows from it.
CREATE TABLE event (
    vault INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    time INTEGER NOT NULL,
    actor INTEGER NOT NULL,
    view INTEGER,
    body TEXT NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (vault, seq)
) STRICT, WITHOUT ROWID;

-- All user text, by reference. A row with a rowid: texts are long, and stand in order.
CREATE TABLE content (
    vault INTEGER NOT NULL,
    content INTEGER NOT NULL,
    key BLOB NOT NULL,
    salt BLOB NOT NULL,
    digest INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    text BLOB NOT NULL,
    PRIMARY KEY (vault, content)
) STRICT;
CREATE INDEX content_digest ON content (vault, digest);

CREATE TABLE scope (
    vault INTEGER NOT NULL,
    scope INTEGER NOT NULL,
    id TEXT NOT NULL,
    name TEXT,
    parent INTEGER,
    owner INTEGER,
    created_seq INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    head INTEGER NOT NULL,
    next_position INTEGER NOT NULL,
    sum INTEGER NOT NULL,
    messages INTEGER NOT NULL,
    notes INTEGER NOT NULL,
    note_tokens INTEGER NOT NULL,
    boundary INTEGER NOT NULL,
    last_note BLOB,
    PRIMARY KEY (vault, scope)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX scope_name ON scope (vault, name);
CREATE UNIQUE INDEX scope_id ON scope (vault, id);

CREATE TABLE actor (
    vault INTEGER NOT NULL,
    actor INTEGER NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    home INTEGER NOT NULL,
    primary_scope INTEGER,
    view INTEGER,
    view_open INTEGER NOT NULL,
    view_pin INTEGER,
    view_capture INTEGER,
    view_time INTEGER NOT NULL,
    PRIMARY KEY (vault, actor),
    FOREIGN KEY (vault, home) REFERENCES scope (vault, scope)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX actor_name ON actor (vault, name);
CREATE UNIQUE INDEX actor_id ON actor (vault, id);

CREATE TABLE presence (
    vault INTEGER NOT NULL,
    actor INTEGER NOT NULL,
    scope INTEGER NOT NULL,
    entered_seq INTEGER,
    last_time INTEGER,
    boundary INTEGER NOT NULL,
    fold INTEGER NOT NULL,
    fold_seq INTEGER NOT NULL,
    answered INTEGER NOT NULL,
    answered_seq INTEGER NOT NULL,
    PRIMARY KEY (vault, scope, actor),
    FOREIGN KEY (vault, actor) REFERENCES actor (vault, actor),
    FOREIGN KEY (vault, scope) REFERENCES scope (vault, scope)
) STRICT, WITHOUT ROWID;
CREATE INDEX presence_active ON presence (vault, actor, entered_seq)
    WHERE entered_seq IS NOT NULL;

CREATE TABLE item (
    vault INTEGER NOT NULL,
    item INTEGER NOT NULL,
    kind TEXT NOT NULL,
    form TEXT NOT NULL,
    role TEXT NOT NULL,
    author INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    block INTEGER NOT NULL,
    time INTEGER NOT NULL,
    content INTEGER NOT NULL,
    call INTEGER,
    PRIMARY KEY (vault, item)
) STRICT, WITHOUT ROWID;

-- An item shown in a scope, from one event up to another; to_seq is 0 while it is open. Open places
-- come first in the key, so that reading what is shown never walks over what was hidden.
CREATE TABLE place (
    vault INTEGER NOT NULL,
    scope INTEGER NOT NULL,
    position INTEGER NOT NULL,
    item INTEGER NOT NULL,
    kind TEXT NOT NULL,
    anchor INTEGER NOT NULL,
    first INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    sum INTEGER NOT NULL,
    from_seq INTEGER NOT NULL,
    to_seq INTEGER NOT NULL,
    PRIMARY KEY (vault, scope, to_seq, position),
    FOREIGN KEY (vault, item) REFERENCES item (vault, item)
) STRICT, WITHOUT ROWID;
CREATE INDEX place_item ON place (vault, item);
CREATE INDEX place_sum ON place (vault, scope, sum, position) WHERE to_seq = 0;

CREATE TABLE turn (
    vault INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    shape INTEGER NOT NULL,
    PRIMARY KEY (vault, turn)
) STRICT, WITHOUT ROWID;

CREATE TABLE note (
    vault INTEGER NOT NULL,
    scope INTEGER NOT NULL,
    position INTEGER NOT NULL,
    item INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    hash BLOB NOT NULL,
    parent BLOB,
    snapshot INTEGER NOT NULL,
    way TEXT,
    other_scope INTEGER,
    context_frame INTEGER NOT NULL,
    PRIMARY KEY (vault, scope, position),
    FOREIGN KEY (vault, item) REFERENCES item (vault, item)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX note_hash ON note (vault, hash);
CREATE INDEX note_seq ON note (vault, scope, seq);

CREATE TABLE visit (
    vault INTEGER NOT NULL,
    item INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    actor INTEGER NOT NULL,
    PRIMARY KEY (vault, item, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE view (
    vault INTEGER NOT NULL,
    view INTEGER NOT NULL,
    id TEXT NOT NULL,
    actor INTEGER NOT NULL,
    started_seq INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    previous INTEGER,
    ended_seq INTEGER,
    PRIMARY KEY (vault, view)
) STRICT, WITHOUT ROWID;

CREATE TABLE stream (
    vault INTEGER NOT NULL,
    frame INTEGER NOT NULL,
    position INTEGER NOT NULL,
    view INTEGER NOT NULL,
    prev INTEGER,
    PRIMARY KEY (vault, frame, position),
    FOREIGN KEY (vault, view) REFERENCES view (vault, view)
) STRICT, WITHOUT ROWID;

CREATE TABLE frame (
    vault INTEGER NOT NULL,
    scope INTEGER NOT NULL,
    item INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    visits INTEGER NOT NULL,
    PRIMARY KEY (vault, scope, item)
) STRICT, WITHOUT ROWID;

CREATE TABLE open_call (
    vault INTEGER NOT NULL,
    scope INTEGER NOT NULL,
    item INTEGER NOT NULL,
    actor INTEGER NOT NULL,
    anchor INTEGER NOT NULL,
    call_id INTEGER NOT NULL,
    PRIMARY KEY (vault, scope, item)
) STRICT, WITHOUT ROWID;

CREATE TABLE setting (
    vault INTEGER NOT NULL,
    scope INTEGER NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (vault, scope, name)
) STRICT, WITHOUT ROWID;

-- Answers to repeat when a call is repeated. Outside the log, and gone after a week.
CREATE TABLE key (
    vault INTEGER NOT NULL,
    actor INTEGER NOT NULL,
    key TEXT NOT NULL,
    time INTEGER NOT NULL,
    digest BLOB NOT NULL,
    answer TEXT NOT NULL,
    PRIMARY KEY (vault, actor, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX key_time ON key (vault, time);
