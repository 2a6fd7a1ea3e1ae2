-- Statements for PostgreSQL only: the same as in write.sql, for many rows of one vault at once. The
-- first parameter is the vault; each other one is an array with a value for each row.

-- name: event_insert_many
INSERT INTO event (vault, seq, time, actor, view, body, hash)
SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[],
    $7::bytea[]);

-- name: content_insert_many
INSERT INTO content (vault, content, key, salt, digest, tokens, text)
SELECT $1, * FROM unnest($2::bigint[], $3::bytea[], $4::bytea[], $5::bigint[], $6::bigint[],
    $7::bytea[]);

-- name: bag_insert_many
INSERT INTO bag (vault, content, terms)
SELECT $1, * FROM unnest($2::bigint[], $3::bytea[]);

-- name: posting_insert_many
INSERT INTO posting (vault, part, segment, texts)
SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::bytea[]);

-- name: key_insert_many
INSERT INTO key (vault, actor, key, time, digest, answer)
SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::bigint[], $5::bytea[], $6::text[]);

-- The bounds keep the server from scanning all actors of a small vault.

-- name: actor_view_many
UPDATE actor SET view = new.view, view_open = new.view_open,
    view_capture = COALESCE(new.view_capture, actor.view_capture), view_time = new.view_time
FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
    AS new (actor, view, view_open, view_capture, view_time)
WHERE actor.vault = $1 AND actor.actor = new.actor
    AND actor.actor >= (SELECT MIN(number) FROM unnest($2::bigint[]) AS number)
    AND actor.actor <= (SELECT MAX(number) FROM unnest($2::bigint[]) AS number);

-- name: presence_here_many
INSERT INTO presence (vault, actor, scope, entered_seq, last_time, boundary, fold, fold_seq,
    answered, answered_seq)
SELECT $1, actor, scope, NULL, last_time, boundary, fold, fold_seq, answered, answered_seq
FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
    $8::bigint[], $9::bigint[])
    AS new (actor, scope, last_time, boundary, fold, fold_seq, answered, answered_seq)
ON CONFLICT (vault, actor, scope) DO UPDATE SET
    last_time = excluded.last_time,
    boundary = CASE WHEN excluded.boundary > 0 THEN excluded.boundary ELSE presence.boundary END,
    fold = CASE WHEN excluded.fold_seq > 0 THEN excluded.fold ELSE presence.fold END,
    fold_seq = CASE WHEN excluded.fold_seq > 0 THEN excluded.fold_seq ELSE presence.fold_seq END,
    answered = CASE WHEN excluded.answered_seq > 0 THEN excluded.answered
        ELSE presence.answered END,
    answered_seq = CASE WHEN excluded.answered_seq > 0 THEN excluded.answered_seq
        ELSE presence.answered_seq END;

-- name: view_insert_many
INSERT INTO view (vault, view, id, actor, started_seq, started_at, previous, ended_seq, merges,
    fossil_seq)
SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[],
    $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[]);

-- name: stream_insert_many
INSERT INTO stream (vault, frame, position, view, prev)
SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[]);

-- name: turn_insert_many
INSERT INTO turn (vault, turn, shape) SELECT $1, * FROM unnest($2::bigint[], $3::bigint[]);

-- name: item_insert_many
INSERT INTO item (vault, item, kind, form, role, author, turn, block, time, content, call, object)
SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::bigint[],
    $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[]);

-- name: place_insert_many
INSERT INTO place (vault, scope, position, item, kind, anchor, first, tokens, sum, from_seq,
    to_seq, in_window, of_object)
SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::bigint[],
    $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[],
    $13::bigint[]);

-- name: note_insert_many
INSERT INTO note (vault, scope, position, item, seq, hash, parent, snapshot, way, other_scope,
    context_frame)
SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bytea[],
    $7::bytea[], $8::bigint[], $9::text[], $10::bigint[], $11::bigint[]);

-- name: visit_insert_many
INSERT INTO visit (vault, frame, seq, item, actor, own)
SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[]);

-- name: frame_remember_many
INSERT INTO frame (vault, scope, item, last_seq, visits)
SELECT $1, scope, item, last_seq, 1
FROM unnest($2::bigint[], $3::bigint[], $4::bigint[]) AS new (scope, item, last_seq)
ON CONFLICT (vault, scope, item) DO UPDATE SET
    last_seq = excluded.last_seq, visits = frame.visits + 1;

-- name: delta_insert_many
INSERT INTO delta (vault, frame, seq, item)
SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::bigint[]);

-- name: stand_insert_many
INSERT INTO stand (vault, actor, seq, primary_scope, active)
SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::text[]);

-- name: call_insert_many
INSERT INTO open_call (vault, scope, item, actor, anchor, call_id)
SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[]);
