-- What is in mind, at any moment. A visit is a row for each frame that saw it; the actor's own frame
-- sees every visit of its actor once.
CREATE TABLE visit_anew (
    vault INTEGER NOT NULL,
    frame INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    item INTEGER NOT NULL,
    actor INTEGER NOT NULL,
    own INTEGER NOT NULL,
    PRIMARY KEY (vault, frame, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX event_view ON event (vault, view, seq);
CREATE INDEX visit_seq ON visit (vault, seq);
INSERT INTO visit_anew (vault, frame, seq, item, actor, own)
SELECT s.vault, s.frame, v.seq, v.item, v.actor, CASE WHEN s.frame = a.home THEN 1 ELSE 0 END
FROM stream s
JOIN event e ON e.vault = s.vault AND e.view = s.view
JOIN visit v ON v.vault = e.vault AND v.seq = e.seq
JOIN actor a ON a.vault = v.vault AND a.actor = v.actor;
DROP TABLE visit;
ALTER TABLE visit_anew RENAME TO visit;
CREATE INDEX visit_item ON visit (vault, item, seq) WHERE own = 1;

-- Two views can begin with one event: one of its actor's own, and the merge that it brings.
CREATE TABLE stream_anew (
    vault INTEGER NOT NULL,
    frame INTEGER NOT NULL,
    position INTEGER NOT NULL,
    view INTEGER NOT NULL,
    prev INTEGER,
    PRIMARY KEY (vault, frame, position, view),
    FOREIGN KEY (vault, view) REFERENCES view (vault, view)
) STRICT, WITHOUT ROWID;
INSERT INTO stream_anew SELECT vault, frame, position, view, prev FROM stream;
DROP TABLE stream;
ALTER TABLE stream_anew RENAME TO stream;

ALTER TABLE view ADD COLUMN merges INTEGER;
ALTER TABLE view ADD COLUMN fossil_seq INTEGER;
CREATE UNIQUE INDEX view_id ON view (vault, id);
CREATE INDEX view_whole ON view (vault, view) WHERE fossil_seq IS NULL;

ALTER TABLE scope ADD COLUMN inherit TEXT NOT NULL DEFAULT 'notes';
ALTER TABLE scope ADD COLUMN closed_seq INTEGER;

ALTER TABLE actor ADD COLUMN break_seq INTEGER NOT NULL DEFAULT 0;
ALTER TABLE actor ADD COLUMN parent INTEGER;
ALTER TABLE actor ADD COLUMN forked_from INTEGER;
ALTER TABLE actor ADD COLUMN forked_into INTEGER;
ALTER TABLE actor ADD COLUMN depth INTEGER NOT NULL DEFAULT 0;
ALTER TABLE actor ADD COLUMN fate TEXT;
ALTER TABLE actor ADD COLUMN fate_seq INTEGER;
CREATE INDEX actor_parent ON actor (vault, parent) WHERE parent IS NOT NULL;

-- What has versions. It goes by the item of its first one.
CREATE TABLE object (
    vault INTEGER NOT NULL,
    item INTEGER NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    created_seq INTEGER NOT NULL,
    versions INTEGER NOT NULL,
    latest INTEGER NOT NULL,
    latest_seq INTEGER NOT NULL,
    PRIMARY KEY (vault, item),
    FOREIGN KEY (vault, item) REFERENCES item (vault, item)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX object_id ON object (vault, id);
CREATE UNIQUE INDEX object_name ON object (vault, name);
CREATE INDEX object_kind ON object (vault, kind, item);

CREATE TABLE version (
    vault INTEGER NOT NULL,
    object INTEGER NOT NULL,
    version INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    item INTEGER NOT NULL,
    PRIMARY KEY (vault, object, version),
    FOREIGN KEY (vault, item) REFERENCES item (vault, item)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX version_seq ON version (vault, object, seq);

-- Changes by the frame that each was captured from.
CREATE TABLE delta (
    vault INTEGER NOT NULL,
    frame INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    item INTEGER NOT NULL,
    PRIMARY KEY (vault, frame, seq)
) STRICT, WITHOUT ROWID;
INSERT INTO delta (vault, frame, seq, item) SELECT vault, context_frame, seq, item FROM note;

-- Where an actor stood after each event that moved it.
CREATE TABLE stand (
    vault INTEGER NOT NULL,
    actor INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    primary_scope INTEGER,
    active TEXT NOT NULL,
    PRIMARY KEY (vault, actor, seq)
) STRICT, WITHOUT ROWID;
INSERT INTO stand (vault, actor, seq, primary_scope, active)
SELECT a.vault, a.actor, e.seq, v.main, '' || v.main
FROM event e
JOIN actor a ON a.vault = e.vault AND a.actor = e.actor
JOIN vault v ON v.vault = e.vault
WHERE e.view IS NULL AND e.seq > 1;

-- The objects of a scope stand among its messages.
CREATE INDEX place_object ON place (vault, scope, item) WHERE kind = 'object' AND to_seq = 0;

-- A note goes by its hash where it is in mind.
CREATE INDEX note_item ON note (vault, item);
