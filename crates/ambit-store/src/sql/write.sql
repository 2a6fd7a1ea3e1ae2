-- Statements that write.

-- name: vault_insert
INSERT INTO vault (vault, name, head_seq, head_hash, time, next, main, scopes, boundary)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9);

-- name: vault_update
UPDATE vault SET head_seq = $2, head_hash = $3, time = $4, next = $5, main = $6, scopes = $7,
    boundary = $8
WHERE vault = $1;

-- name: event_insert
INSERT INTO event (vault, seq, time, actor, view, body, hash) VALUES ($1, $2, $3, $4, $5, $6, $7);

-- name: content_insert
INSERT INTO content (vault, content, key, salt, digest, tokens, text)
VALUES ($1, $2, $3, $4, $5, $6, $7);

-- name: key_insert
INSERT INTO key (vault, actor, key, time, digest, answer) VALUES ($1, $2, $3, $4, $5, $6);

-- name: key_expire
DELETE FROM key WHERE vault = $1 AND time < $2;

-- name: scope_shows
UPDATE scope SET head = $3, next_position = next_position + $4, sum = $5,
    messages = messages + $6, notes = notes + $7, note_tokens = note_tokens + $8
WHERE vault = $1 AND scope = $2;

-- name: scope_head
UPDATE scope SET head = $3 WHERE vault = $1 AND scope = $2;

-- name: scope_boundary
UPDATE scope SET boundary = $3 WHERE vault = $1 AND scope = $2;

-- name: scope_last_note
UPDATE scope SET last_note = $3 WHERE vault = $1 AND scope = $2;

-- name: actor_focus
UPDATE actor SET primary_scope = $3 WHERE vault = $1 AND actor = $2;

-- name: actor_unfocus
UPDATE actor SET primary_scope = NULL WHERE vault = $1 AND actor = $2 AND primary_scope = $3;

-- name: actor_view
UPDATE actor SET view = $3, view_open = $4, view_capture = COALESCE($5, view_capture),
    view_time = $6
WHERE vault = $1 AND actor = $2;

-- name: actor_view_opened
UPDATE actor SET view = $3, view_open = $4, view_capture = $5, view_time = $6, view_pin = $7
WHERE vault = $1 AND actor = $2;

-- name: presence_enter
INSERT INTO presence (vault, actor, scope, entered_seq, last_time, boundary, fold, fold_seq,
    answered, answered_seq)
VALUES ($1, $2, $3, $4, NULL, 0, 0, 0, 0, 0)
ON CONFLICT (vault, actor, scope) DO UPDATE SET entered_seq = excluded.entered_seq;

-- name: presence_known
INSERT INTO presence (vault, actor, scope, entered_seq, last_time, boundary, fold, fold_seq,
    answered, answered_seq)
VALUES ($1, $2, $3, NULL, NULL, 0, 0, 0, 0, 0)
ON CONFLICT (vault, actor, scope) DO NOTHING;

-- name: presence_leave
INSERT INTO presence (vault, actor, scope, entered_seq, last_time, boundary, fold, fold_seq,
    answered, answered_seq)
VALUES ($1, $2, $3, NULL, NULL, 0, 0, 0, 0, 0)
ON CONFLICT (vault, actor, scope) DO UPDATE SET entered_seq = NULL;

-- name: presence_here
INSERT INTO presence (vault, actor, scope, entered_seq, last_time, boundary, fold, fold_seq,
    answered, answered_seq)
VALUES ($1, $2, $3, NULL, $4, $5, $6, $7, $8, $9)
ON CONFLICT (vault, actor, scope) DO UPDATE SET
    last_time = excluded.last_time,
    boundary = CASE WHEN excluded.boundary > 0 THEN excluded.boundary ELSE presence.boundary END,
    fold = CASE WHEN excluded.fold_seq > 0 THEN excluded.fold ELSE presence.fold END,
    fold_seq = CASE WHEN excluded.fold_seq > 0 THEN excluded.fold_seq ELSE presence.fold_seq END,
    answered = CASE WHEN excluded.answered_seq > 0 THEN excluded.answered
        ELSE presence.answered END,
    answered_seq = CASE WHEN excluded.answered_seq > 0 THEN excluded.answered_seq
        ELSE presence.answered_seq END;

-- name: presence_others_boundary
UPDATE presence SET boundary = $4 WHERE vault = $1 AND scope = $2 AND actor <> $3;

-- name: view_end
UPDATE view SET ended_seq = $3 WHERE vault = $1 AND view = $2;

-- name: places_close
UPDATE place SET to_seq = $5
WHERE vault = $1 AND scope = $2 AND position >= $3 AND anchor >= $3 AND anchor <= $4
    AND to_seq = 0 AND in_window = 1;

-- name: place_close
UPDATE place SET to_seq = $4 WHERE vault = $1 AND scope = $2 AND position = $3 AND to_seq = 0;

-- name: places_resum
UPDATE place SET sum = sub.sum
FROM (
    SELECT position, CAST($4 AS BIGINT) + CAST(SUM(tokens) OVER (ORDER BY position) AS BIGINT) AS sum
    FROM place
    WHERE vault = $1 AND scope = $2 AND position > $3 AND to_seq = 0
) AS sub
WHERE place.vault = $1 AND place.scope = $2 AND place.to_seq = 0
    AND place.position = sub.position;

-- name: frame_remember
INSERT INTO frame (vault, scope, item, last_seq, visits) VALUES ($1, $2, $3, $4, 1)
ON CONFLICT (vault, scope, item) DO UPDATE SET
    last_seq = excluded.last_seq, visits = frame.visits + 1;

-- name: frame_drop
DELETE FROM frame WHERE vault = $1 AND scope = $2;

-- name: actor_break
UPDATE actor SET break_seq = $3, view = NULL WHERE vault = $1 AND actor = $2;

-- name: actor_fate
UPDATE actor SET fate = $3, fate_seq = $4 WHERE vault = $1 AND actor = $2;

-- name: actor_last_view
UPDATE actor SET view = $3, view_open = 0 WHERE vault = $1 AND actor = $2;

-- name: view_fossil
UPDATE view SET fossil_seq = $3, ended_seq = COALESCE(ended_seq, $4)
WHERE vault = $1 AND view = $2;

-- name: scope_close
UPDATE scope SET closed_seq = $3 WHERE vault = $1 AND scope = $2;

-- An actor that was active in a scope that is closed.

-- name: actor_out
UPDATE actor SET view_open = 0,
    primary_scope = CASE WHEN primary_scope = $3 THEN NULL ELSE primary_scope END
WHERE vault = $1 AND actor = $2;

-- name: presences_leave
UPDATE presence SET entered_seq = NULL WHERE vault = $1 AND scope = $2;

-- name: object_next
UPDATE object SET versions = $3, latest = $4, latest_seq = $5 WHERE vault = $1 AND item = $2;

-- name: frame_evict
DELETE FROM frame WHERE vault = $1 AND scope = $2 AND item = $3;

-- name: call_answered
DELETE FROM open_call WHERE vault = $1 AND scope = $2 AND item = $3;

-- name: calls_give_up
DELETE FROM open_call WHERE vault = $1 AND scope = $2 AND actor = $3;

-- name: calls_close
DELETE FROM open_call WHERE vault = $1 AND scope = $2 AND anchor >= $3 AND anchor <= $4;

-- name: setting_unset
DELETE FROM setting WHERE vault = $1 AND scope = $2 AND name = $3;

-- name: item_forget
UPDATE item SET content = $3 WHERE vault = $1 AND item = $2;

-- name: turn_forget
UPDATE turn SET shape = $3 WHERE vault = $1 AND turn = $2;

-- name: content_forget
DELETE FROM content WHERE vault = $1 AND content = $2;

-- name: place_mark
UPDATE place SET tokens = $4 WHERE vault = $1 AND scope = $2 AND position = $3 AND to_seq = 0;

-- name: vault_importing
UPDATE vault SET importing = $2 WHERE vault = $1;

-- name: vault_remove
DELETE FROM vault WHERE vault = $1;

-- Invalidates the caches of other processes: the vault's rows were rebuilt, or the outcome of a
-- commit is unknown.

-- name: vault_changed
UPDATE vault SET rebuilt = rebuilt + 1 WHERE vault = $1;

-- Rebuild: inserts whole rows.

-- name: bag_insert
INSERT INTO bag (vault, content, terms) VALUES ($1, $2, $3);

-- name: bag_forget
DELETE FROM bag WHERE vault = $1 AND content = $2;

-- name: posting_insert
INSERT INTO posting (vault, part, segment, texts) VALUES ($1, $2, $3, $4);

-- name: posting_update
UPDATE posting SET texts = $4 WHERE vault = $1 AND part = $2 AND segment = $3;
