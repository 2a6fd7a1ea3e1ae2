-- Tables whose rows follow from the log: how each is written, read and deleted as a whole. Only the
-- statements named all_ read or delete everything that a vault holds.

-- name: scope_insert
INSERT INTO scope (vault, scope, id, name, parent, owner, created_seq, created_at, head,
    next_position, sum, messages, notes, note_tokens, boundary, last_note, inherit, closed_seq)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18);

-- name: all_scopes
SELECT scope, id, name, parent, owner, created_seq, created_at, head, next_position, sum,
    messages, notes, note_tokens, boundary, last_note, inherit, closed_seq
FROM scope WHERE vault = $1;

-- name: all_scope_delete
DELETE FROM scope WHERE vault = $1;

-- name: actor_insert
INSERT INTO actor (vault, actor, id, name, kind, home, primary_scope, view, view_open, view_pin,
    view_capture, view_time, break_seq, parent, forked_from, forked_into, depth, fate, fate_seq)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19);

-- name: all_actors
SELECT actor, id, name, kind, home, primary_scope, view, view_open, view_pin, view_capture,
    view_time, break_seq, parent, forked_from, forked_into, depth, fate, fate_seq
FROM actor WHERE vault = $1;

-- name: all_actor_delete
DELETE FROM actor WHERE vault = $1;

-- name: presence_insert
INSERT INTO presence (vault, actor, scope, entered_seq, last_time, boundary, fold, fold_seq,
    answered, answered_seq)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);

-- name: all_presences
SELECT actor, scope, entered_seq, last_time, boundary, fold, fold_seq, answered, answered_seq
FROM presence WHERE vault = $1;

-- name: all_presence_delete
DELETE FROM presence WHERE vault = $1;

-- name: item_insert
INSERT INTO item (vault, item, kind, form, role, author, turn, block, time, content, call, object)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12);

-- name: all_items
SELECT item, kind, form, role, author, turn, block, time, content, call, object FROM item
WHERE vault = $1;

-- name: all_item_delete
DELETE FROM item WHERE vault = $1;

-- name: place_insert
INSERT INTO place (vault, scope, position, item, kind, anchor, first, tokens, sum, from_seq,
    to_seq, in_window, of_object)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13);

-- name: all_places
SELECT scope, position, item, kind, anchor, first, tokens, sum, from_seq, to_seq, in_window,
    of_object
FROM place WHERE vault = $1;

-- name: all_place_delete
DELETE FROM place WHERE vault = $1;

-- name: turn_insert
INSERT INTO turn (vault, turn, shape) VALUES ($1, $2, $3);

-- name: all_turns
SELECT turn, shape FROM turn WHERE vault = $1;

-- name: all_turn_delete
DELETE FROM turn WHERE vault = $1;

-- name: note_insert
INSERT INTO note (vault, scope, position, item, seq, hash, parent, snapshot, way, other_scope,
    context_frame)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11);

-- name: all_notes
SELECT scope, position, item, seq, hash, parent, snapshot, way, other_scope, context_frame
FROM note WHERE vault = $1;

-- name: all_note_delete
DELETE FROM note WHERE vault = $1;

-- name: object_insert
INSERT INTO object (vault, item, id, name, kind, created_seq, versions, latest, latest_seq)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9);

-- name: all_objects
SELECT item, id, name, kind, created_seq, versions, latest, latest_seq FROM object
WHERE vault = $1;

-- name: all_object_delete
DELETE FROM object WHERE vault = $1;

-- name: version_insert
INSERT INTO version (vault, object, version, seq, item) VALUES ($1, $2, $3, $4, $5);

-- name: all_versions
SELECT object, version, seq, item FROM version WHERE vault = $1;

-- name: all_version_delete
DELETE FROM version WHERE vault = $1;

-- name: visit_insert
INSERT INTO visit (vault, frame, seq, item, actor, own) VALUES ($1, $2, $3, $4, $5, $6);

-- name: all_visits
SELECT frame, seq, item, actor, own FROM visit WHERE vault = $1;

-- name: all_visit_delete
DELETE FROM visit WHERE vault = $1;

-- name: delta_insert
INSERT INTO delta (vault, frame, seq, item) VALUES ($1, $2, $3, $4);

-- name: all_deltas
SELECT frame, seq, item FROM delta WHERE vault = $1;

-- name: all_delta_delete
DELETE FROM delta WHERE vault = $1;

-- name: stand_insert
INSERT INTO stand (vault, actor, seq, primary_scope, active) VALUES ($1, $2, $3, $4, $5);

-- name: all_stands
SELECT actor, seq, primary_scope, active FROM stand WHERE vault = $1;

-- name: all_stand_delete
DELETE FROM stand WHERE vault = $1;

-- name: view_insert
INSERT INTO view (vault, view, id, actor, started_seq, started_at, previous, ended_seq, merges,
    fossil_seq)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);

-- name: all_views
SELECT view, id, actor, started_seq, started_at, previous, ended_seq, merges, fossil_seq
FROM view WHERE vault = $1;

-- name: all_view_delete
DELETE FROM view WHERE vault = $1;

-- name: stream_insert
INSERT INTO stream (vault, frame, position, view, prev) VALUES ($1, $2, $3, $4, $5);

-- name: all_streams
SELECT frame, position, view, prev FROM stream WHERE vault = $1;

-- name: all_stream_delete
DELETE FROM stream WHERE vault = $1;

-- name: frame_insert
INSERT INTO frame (vault, scope, item, last_seq, visits) VALUES ($1, $2, $3, $4, $5);

-- name: all_frames
SELECT scope, item, last_seq, visits FROM frame WHERE vault = $1;

-- name: all_frame_delete
DELETE FROM frame WHERE vault = $1;

-- name: call_insert
INSERT INTO open_call (vault, scope, item, actor, anchor, call_id)
VALUES ($1, $2, $3, $4, $5, $6);

-- name: all_calls
SELECT scope, actor, anchor, item, call_id FROM open_call WHERE vault = $1;

-- name: all_open_call_delete
DELETE FROM open_call WHERE vault = $1;

-- name: setting_set
INSERT INTO setting (vault, scope, name, value) VALUES ($1, $2, $3, $4)
ON CONFLICT (vault, scope, name) DO UPDATE SET value = excluded.value;

-- name: all_settings
SELECT scope, name, value FROM setting WHERE vault = $1;

-- name: all_setting_delete
DELETE FROM setting WHERE vault = $1;

-- Tables beside the log: texts, their index, and idempotency keys.

-- name: all_contents
SELECT content, key, salt, digest, tokens, text FROM content
WHERE vault = $1 AND content > $2 ORDER BY content LIMIT $3;

-- name: all_content_sizes
SELECT content, CAST(OCTET_LENGTH(text) AS BIGINT) FROM content
WHERE vault = $1 AND content > $2 ORDER BY content LIMIT $3;

-- name: all_content_delete
DELETE FROM content WHERE vault = $1;

-- name: all_key_delete
DELETE FROM key WHERE vault = $1;

-- name: all_event_delete
DELETE FROM event WHERE vault = $1;

-- name: all_unindexed
SELECT vault FROM unindexed ORDER BY vault LIMIT 1;

-- name: all_postings
SELECT part, texts FROM posting WHERE vault = $1 AND segment = $2;

-- name: all_bag_delete
DELETE FROM bag WHERE vault = $1;

-- name: all_posting_delete
DELETE FROM posting WHERE vault = $1;

-- name: all_unindexed_delete
DELETE FROM unindexed WHERE vault = $1;

-- name: all_unindexed_of
SELECT content, bound FROM unindexed WHERE vault = $1;

-- name: all_unindexed_update
UPDATE unindexed SET content = $2 WHERE vault = $1;
