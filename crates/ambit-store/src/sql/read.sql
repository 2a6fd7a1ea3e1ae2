-- Statements that read.

-- name: vaults
SELECT name, head_seq, time FROM vault WHERE importing IS NULL ORDER BY name;

-- name: vault
SELECT vault, head_seq, head_hash, time, next, main, scopes, boundary, importing, name,
    rebuilt
FROM vault WHERE name = $1;

-- name: vault_number
SELECT vault FROM vault WHERE name = $1;

-- name: vault_locked
SELECT vault, head_seq, head_hash, time, next, main, scopes, boundary, importing, name,
    rebuilt
FROM vault WHERE vault = $1 FOR UPDATE;

-- name: vault_if_free
SELECT vault, head_seq, head_hash, time, next, main, scopes, boundary, importing, name,
    rebuilt
FROM vault WHERE vault = $1 FOR UPDATE SKIP LOCKED;

-- name: vault_to_rebuild
SELECT name, importing FROM vault WHERE vault = $1 FOR UPDATE;

-- name: vault_last
SELECT vault FROM vault ORDER BY vault DESC LIMIT 1;

-- name: actor_by_name
SELECT actor, id, name, kind, home, primary_scope, view, view_open, view_pin, view_capture,
    view_time, break_seq, parent, forked_from, forked_into, depth, fate, fate_seq
FROM actor WHERE vault = $1 AND name = $2;

-- name: actor_by_id
SELECT actor, id, name, kind, home, primary_scope, view, view_open, view_pin, view_capture,
    view_time, break_seq, parent, forked_from, forked_into, depth, fate, fate_seq
FROM actor WHERE vault = $1 AND id = $2;

-- name: author
SELECT actor, name, kind FROM actor WHERE vault = $1 AND actor = $2;

-- name: presence_active
SELECT actor, scope, entered_seq, last_time, boundary, fold, fold_seq, answered, answered_seq
FROM presence WHERE vault = $1 AND actor = $2 AND entered_seq > 0;

-- name: presence
SELECT actor, scope, entered_seq, last_time, boundary, fold, fold_seq, answered, answered_seq
FROM presence WHERE vault = $1 AND actor = $2 AND scope = $3;

-- name: presences
SELECT actor, scope, entered_seq, last_time, boundary, fold, fold_seq, answered, answered_seq
FROM presence WHERE vault = $1 AND scope = $2;

-- name: scope
SELECT scope, id, name, parent, owner, created_seq, created_at, head, next_position, sum,
    messages, notes, note_tokens, boundary, last_note, inherit, closed_seq
FROM scope WHERE vault = $1 AND scope = $2;

-- name: scope_by_name
SELECT scope, id, name, parent, owner, created_seq, created_at, head, next_position, sum,
    messages, notes, note_tokens, boundary, last_note, inherit, closed_seq
FROM scope WHERE vault = $1 AND name = $2;

-- name: scope_by_id
SELECT scope, id, name, parent, owner, created_seq, created_at, head, next_position, sum,
    messages, notes, note_tokens, boundary, last_note, inherit, closed_seq
FROM scope WHERE vault = $1 AND id = $2 AND name IS NOT NULL;

-- name: scopes
SELECT scope, id, name, parent, owner, created_seq, created_at, head, next_position, sum,
    messages, notes, note_tokens, boundary, last_note, inherit, closed_seq
FROM scope WHERE vault = $1 AND name IS NOT NULL ORDER BY scope;

-- name: scopes_active
SELECT s.scope, s.id, s.name, s.parent, s.owner, s.created_seq, s.created_at, s.head,
    s.next_position, s.sum, s.messages, s.notes, s.note_tokens, s.boundary, s.last_note,
    s.inherit, s.closed_seq
FROM presence p
JOIN scope s ON s.vault = $1 AND s.scope = p.scope
WHERE p.vault = $1 AND p.actor = $2 AND p.entered_seq > 0;

-- name: event_hash
SELECT hash FROM event WHERE vault = $1 AND seq = $2;

-- name: settings
SELECT scope, name, value FROM setting WHERE vault = $1 AND scope = $2;

-- name: frame
SELECT item, last_seq, visits FROM frame WHERE vault = $1 AND scope = $2 ORDER BY last_seq DESC;

-- name: stream_last
SELECT view FROM stream WHERE vault = $1 AND frame = $2
ORDER BY position DESC, view DESC LIMIT 1;

-- name: calls
SELECT scope, actor, anchor, item, call_id FROM open_call
WHERE vault = $1 AND scope = $2 AND actor = $3 ORDER BY item;

-- name: calls_of_all
SELECT scope, actor, anchor, item, call_id FROM open_call
WHERE vault = $1 AND scope = $2 ORDER BY item;

-- name: chain
SELECT item, position, tokens, first FROM place
WHERE vault = $1 AND scope = $2 AND position >= $3 AND anchor = $3 AND to_seq = 0
ORDER BY position;

-- name: turn_position
SELECT p.position FROM place p
WHERE p.vault = $1 AND p.item = $2 AND p.scope = $3 AND p.to_seq = 0 AND p.in_window = 1;

-- name: hidden_after
SELECT CAST(COALESCE(SUM(first), 0) AS BIGINT), CAST(COALESCE(SUM(tokens), 0) AS BIGINT)
FROM place
WHERE vault = $1 AND scope = $2 AND position > $3 AND anchor > $3 AND to_seq = 0
    AND in_window = 1;

-- name: content_equal
SELECT content, key, tokens FROM content WHERE vault = $1 AND digest = $2 AND text = $3;

-- name: key
SELECT digest, answer FROM key WHERE vault = $1 AND actor = $2 AND key = $3 AND time >= $4;

-- name: sum_before
SELECT sum FROM place
WHERE vault = $1 AND scope = $2 AND position < $3 AND to_seq = 0
ORDER BY position DESC LIMIT 1;

-- name: place_at
SELECT position FROM place
WHERE vault = $1 AND scope = $2 AND sum > $3 AND to_seq = 0
ORDER BY sum, position LIMIT 1;

-- name: messages
SELECT p.position, p.anchor, p.tokens, i.item, i.form, i.role, i.author, i.turn, i.block, i.time,
    i.call, c.text, c.tokens, c.key, CASE WHEN i.block = 0 THEN s.text END, i.content, t.shape,
    i.kind
FROM place p
JOIN item i ON i.vault = $1 AND i.item = p.item
LEFT JOIN content c ON c.vault = $1 AND c.content = i.content
LEFT JOIN turn t ON t.vault = $1 AND t.turn = i.turn
LEFT JOIN content s ON s.vault = $1 AND s.content = t.shape
WHERE p.vault = $1 AND p.scope = $2 AND p.position >= $3 AND p.position < $4
    AND p.to_seq = 0 AND p.in_window = 1
ORDER BY p.position LIMIT $5;

-- name: messages_at
SELECT p.position, p.anchor, p.tokens, i.item, i.form, i.role, i.author, i.turn, i.block, i.time,
    i.call, c.text, c.tokens, c.key, CASE WHEN i.block = 0 THEN s.text END, i.content, t.shape,
    i.kind
FROM (
    SELECT position, anchor, tokens, item FROM place
    WHERE vault = $1 AND scope = $2 AND to_seq = 0 AND position < $4 AND from_seq <= $3
        AND in_window = 1
    UNION ALL
    SELECT position, anchor, tokens, item FROM place
    WHERE vault = $1 AND scope = $2 AND to_seq > $3 AND position < $4 AND from_seq <= $3
        AND in_window = 1
) AS p
JOIN item i ON i.vault = $1 AND i.item = p.item
LEFT JOIN content c ON c.vault = $1 AND c.content = i.content
LEFT JOIN turn t ON t.vault = $1 AND t.turn = i.turn
LEFT JOIN content s ON s.vault = $1 AND s.content = t.shape
ORDER BY p.position;

-- name: item
SELECT CAST(0 AS BIGINT), CAST(0 AS BIGINT), CAST(0 AS BIGINT), i.item, i.form, i.role, i.author, i.turn, i.block, i.time,
    i.call, c.text, c.tokens, c.key, CASE WHEN i.block = 0 THEN s.text END, i.content, t.shape,
    i.kind
FROM item i
LEFT JOIN content c ON c.vault = $1 AND c.content = i.content
LEFT JOIN turn t ON t.vault = $1 AND t.turn = i.turn
LEFT JOIN content s ON s.vault = $1 AND s.content = t.shape
WHERE i.vault = $1 AND i.item = $2;

-- name: item_alone
SELECT CAST(0 AS BIGINT), CAST(0 AS BIGINT), CAST(0 AS BIGINT), i.item, i.form, i.role, i.author, i.turn, i.block, i.time,
    i.call, c.text, c.tokens, c.key, CAST(NULL AS BYTEA), i.content, CAST(NULL AS BIGINT),
    i.kind
FROM item i
LEFT JOIN content c ON c.vault = $1 AND c.content = i.content
WHERE i.vault = $1 AND i.item = $2;

-- name: notes
SELECT n.scope, n.position, n.seq, p.tokens, n.hash, n.parent, n.snapshot, n.way, o.name, c.text,
    c.key, i.author, i.time, i.content
FROM note n
JOIN place p ON p.vault = $1 AND p.scope = n.scope AND p.to_seq = 0
    AND p.position = n.position
JOIN item i ON i.vault = $1 AND i.item = n.item
LEFT JOIN content c ON c.vault = $1 AND c.content = i.content
LEFT JOIN scope o ON o.vault = $1 AND o.scope = n.other_scope
WHERE n.vault = $1 AND n.scope = $2 AND n.position >= $3 AND n.position < $4
ORDER BY n.position DESC LIMIT $5;

-- A note has one place, open or closed. An insight that was retracted later was still open then.

-- name: notes_before
SELECT n.scope, n.position, n.seq, p.tokens, n.hash, n.parent, n.snapshot, n.way, o.name, c.text,
    c.key, i.author, i.time, i.content
FROM note n
JOIN place p ON p.vault = $1 AND p.item = n.item AND p.scope = n.scope
    AND p.position = n.position AND (p.to_seq = 0 OR p.to_seq >= $3)
JOIN item i ON i.vault = $1 AND i.item = n.item
LEFT JOIN content c ON c.vault = $1 AND c.content = i.content
LEFT JOIN scope o ON o.vault = $1 AND o.scope = n.other_scope
WHERE n.vault = $1 AND n.scope = $2 AND n.seq < $3 ORDER BY n.seq DESC LIMIT $4;

-- name: notes_by_hash
SELECT n.scope, n.position, n.seq,
    (SELECT p.tokens FROM place p
        WHERE p.vault = $1 AND p.item = n.item AND p.scope = n.scope AND p.to_seq >= 0
            AND p.position = n.position),
    n.hash, n.parent, n.snapshot, n.way, o.name, c.text, c.key, i.author, i.time, i.content
FROM note n
JOIN item i ON i.vault = $1 AND i.item = n.item
LEFT JOIN content c ON c.vault = $1 AND c.content = i.content
LEFT JOIN scope o ON o.vault = $1 AND o.scope = n.other_scope
WHERE n.vault = $1 AND n.hash >= $2 AND n.hash <= $3 ORDER BY n.hash LIMIT 2;

-- name: events
SELECT seq, time, actor, view, body, hash FROM event
WHERE vault = $1 AND seq > $2 ORDER BY seq LIMIT $3;

-- name: keys_expired
SELECT COUNT(*), CAST(COALESCE(SUM(OCTET_LENGTH(key) + OCTET_LENGTH(answer)), 0) AS BIGINT)
FROM key WHERE vault = $1 AND time < $2;

-- name: items_in
SELECT item FROM place WHERE vault = $1 AND scope = $2;

-- name: item_row
SELECT item, kind, form, role, author, turn, block, time, content, call, object FROM item
WHERE vault = $1 AND item = $2;

-- name: turn_row
SELECT turn, shape FROM turn WHERE vault = $1 AND turn = $2;

-- name: item_places
SELECT scope, position, tokens FROM place WHERE vault = $1 AND item = $2 AND to_seq = 0;

-- name: scope_full
SELECT scope FROM scope WHERE vault = $1 AND inherit = 'full' AND closed_seq IS NULL LIMIT 1;

-- name: text_use
SELECT c.content, c.tokens,
    (SELECT COUNT(*) FROM
        (SELECT 1 AS one FROM item i WHERE i.vault = $1 AND i.content = $2 LIMIT $3) AS sub)
    + (SELECT COUNT(*) FROM
        (SELECT 1 AS one FROM turn t WHERE t.vault = $1 AND t.shape = $2 AND t.shape > 0 LIMIT $3) AS sub)
FROM content c WHERE c.vault = $1 AND c.content = $2;

-- name: bags
SELECT content, terms FROM bag WHERE vault = $1 AND content >= $2 AND content < $3
ORDER BY content;

-- name: bag_next
SELECT content FROM bag WHERE vault = $1 AND content >= $2 ORDER BY content LIMIT 1;

-- name: segment_last
SELECT segment FROM posting WHERE vault = $1 AND part = -1 ORDER BY segment DESC LIMIT 1;

-- name: postings
SELECT segment, texts FROM posting WHERE vault = $1 AND part = $2;

-- name: posting
SELECT part, texts FROM posting WHERE vault = $1 AND part = $2 AND segment = $3;

-- If many items hold the text, the last few.

-- name: items_with
SELECT item FROM item WHERE vault = $1 AND content = $2 ORDER BY item DESC LIMIT 4;

-- name: bearer
SELECT sub.item, sub.kind, sub.form, sub.role, sub.author, sub.turn, sub.block, sub.time,
    sub.content, sub.call, sub.object, sub.scope, sub.to_seq, b.item, b.content, a.item, a.content,
    (SELECT COUNT(*) FROM (
        SELECT 1 AS one FROM visit v
        WHERE v.vault = $1 AND v.item = $2 AND v.own = 1 LIMIT 1000) AS sub)
FROM (
    SELECT i.item, i.kind, i.form, i.role, i.author, i.turn, i.block, i.time, i.content,
        i.call, i.object, p.scope, p.to_seq,
        (SELECT q.item FROM place q
            WHERE q.vault = $1 AND q.scope = p.scope AND q.to_seq = p.to_seq
                AND q.position < p.position AND q.in_window = 1
            ORDER BY q.position DESC LIMIT 1) AS before,
        (SELECT q.item FROM place q
            WHERE q.vault = $1 AND q.scope = p.scope AND q.to_seq = p.to_seq
                AND q.position > p.position AND q.in_window = 1
            ORDER BY q.position LIMIT 1) AS after
    FROM item i
    JOIN place p ON p.vault = $1 AND p.item = COALESCE(i.object, i.item)
    WHERE i.vault = $1 AND i.item = $2
) AS sub
LEFT JOIN item b ON b.vault = $1 AND b.item = sub.before
LEFT JOIN item a ON a.vault = $1 AND a.item = sub.after;

-- name: shape_turns
SELECT turn FROM turn WHERE vault = $1 AND shape = $2 AND shape > 0 ORDER BY turn DESC LIMIT 4;

-- Objects, their versions and places.

-- name: object_by_name
SELECT item, id, name, kind, created_seq, versions, latest, latest_seq FROM object
WHERE vault = $1 AND name = $2;

-- name: object_by_id
SELECT item, id, name, kind, created_seq, versions, latest, latest_seq FROM object
WHERE vault = $1 AND id = $2;

-- name: object
SELECT item, id, name, kind, created_seq, versions, latest, latest_seq FROM object
WHERE vault = $1 AND item = $2;

-- name: objects
SELECT item, id, name, kind, created_seq, versions, latest, latest_seq FROM object
WHERE vault = $1 AND item > $2 ORDER BY item LIMIT $3;

-- name: objects_of_kind
SELECT item, id, name, kind, created_seq, versions, latest, latest_seq FROM object
WHERE vault = $1 AND kind = $4 AND item > $2 ORDER BY item LIMIT $3;

-- name: object_ids
SELECT item, id FROM object WHERE vault = $1 AND item IN ($2, $3, $4, $5, $6, $7, $8, $9);

-- name: objects_in
SELECT item FROM place
WHERE vault = $1 AND scope = $4 AND to_seq = 0 AND of_object = 1 AND item > $2
ORDER BY item LIMIT $3;

-- name: object_places
SELECT p.scope, p.position, p.from_seq FROM place p
JOIN scope s ON s.vault = $1 AND s.scope = p.scope
WHERE p.vault = $1 AND p.item = $2 AND p.to_seq = 0 AND s.closed_seq IS NULL
ORDER BY p.from_seq, p.scope;

-- name: item_content
SELECT content FROM item WHERE vault = $1 AND item = $2;

-- name: version
SELECT object, version, seq, item FROM version WHERE vault = $1 AND object = $2 AND version = $3;

-- name: version_at
SELECT object, version, seq, item FROM version
WHERE vault = $1 AND object = $2 AND seq <= $3 ORDER BY seq DESC LIMIT 1;

-- name: versions
SELECT object, version, seq, item FROM version
WHERE vault = $1 AND object = $2 AND version < $3 ORDER BY version DESC LIMIT $4;

-- The text and the name of an item: a note is named by its hash.

-- name: item_text
SELECT i.item, i.kind, i.author, i.time, i.object, i.content, c.text
FROM item i
LEFT JOIN content c ON c.vault = $1 AND c.content = i.content
WHERE i.vault = $1 AND i.item = $2;

-- name: note_hash
SELECT hash FROM note WHERE vault = $1 AND item = $2;

-- Visits, streams, views and changes, from an event backwards or forwards.

-- name: visits_before
SELECT frame, seq, item, actor, own FROM visit
WHERE vault = $1 AND frame = $2 AND seq < $3 ORDER BY seq DESC LIMIT $4;

-- name: visits_after
SELECT frame, seq, item, actor, own FROM visit
WHERE vault = $1 AND frame = $2 AND seq > $3 ORDER BY seq LIMIT $4;

-- name: visits_of
SELECT frame, seq, item, actor, own FROM visit
WHERE vault = $1 AND item = $2 AND own = 1 AND seq < $3 ORDER BY seq DESC LIMIT $4;

-- name: stream_before
SELECT frame, position, view, prev FROM stream
WHERE vault = $1 AND frame = $2 AND position < $3
ORDER BY position DESC, view DESC LIMIT $4;

-- name: stream_after
SELECT frame, position, view, prev FROM stream
WHERE vault = $1 AND frame = $2 AND position > $3
ORDER BY position, view LIMIT $4;

-- name: view
SELECT view, id, actor, started_seq, started_at, previous, ended_seq, merges, fossil_seq
FROM view WHERE vault = $1 AND view = $2;

-- name: view_by_id
SELECT view, id, actor, started_seq, started_at, previous, ended_seq, merges, fossil_seq
FROM view WHERE vault = $1 AND id = $2;

-- name: views_whole
SELECT view, id, actor, started_seq, started_at, previous, ended_seq, merges, fossil_seq
FROM view WHERE vault = $1 AND view > $2 AND fossil_seq IS NULL AND merges IS NULL
ORDER BY view LIMIT $3;

-- name: view_events
SELECT seq, time, actor, view, body, hash FROM event
WHERE vault = $1 AND view = $2 AND seq > $3 ORDER BY seq LIMIT $4;

-- name: view_events_before
SELECT seq, time, actor, view, body, hash FROM event
WHERE vault = $1 AND view = $2 AND seq < $3 ORDER BY seq DESC LIMIT $4;

-- name: changes_in
SELECT seq FROM delta
WHERE vault = $1 AND frame = $2 AND seq < $3 ORDER BY seq DESC LIMIT $4;

-- name: changes_of
SELECT DISTINCT seq FROM delta
WHERE vault = $1 AND item = $2 AND seq < $3 ORDER BY seq DESC LIMIT $4;

-- name: stand_at
SELECT actor, seq, primary_scope, active FROM stand
WHERE vault = $1 AND actor = $2 AND seq <= $3 ORDER BY seq DESC LIMIT 1;

-- Closed places within a range of positions, with the closing event: the last, and the first.

-- name: closed_last
SELECT position, to_seq FROM place
WHERE vault = $1 AND scope = $2 AND to_seq > 0 AND position >= $3 AND position < $4
ORDER BY position DESC LIMIT $5;

-- name: closed_first
SELECT position, to_seq FROM place
WHERE vault = $1 AND scope = $2 AND to_seq > 0 AND position >= $3 AND position < $4
ORDER BY position LIMIT $5;

-- The next events after another one that closed a place.

-- name: closings
WITH RECURSIVE sub (seq, number) AS (
    SELECT MIN(to_seq), CAST(1 AS BIGINT) FROM place
    WHERE vault = $1 AND scope = $2 AND to_seq > $3
    UNION ALL
    SELECT (SELECT MIN(p.to_seq) FROM place p
        WHERE p.vault = $1 AND p.scope = $2 AND p.to_seq > sub.seq), sub.number + 1
    FROM sub WHERE sub.seq IS NOT NULL AND sub.number < $4
)
SELECT seq FROM sub WHERE seq IS NOT NULL ORDER BY seq;

-- name: shown_last
SELECT p.position, p.anchor, p.tokens, i.item, i.form, i.role, i.author, i.turn, i.block, i.time,
    i.call, c.text, c.tokens, c.key, CASE WHEN i.block = 0 THEN s.text END, i.content, t.shape,
    i.kind
FROM place p
JOIN item i ON i.vault = $1 AND i.item = p.item
LEFT JOIN content c ON c.vault = $1 AND c.content = i.content
LEFT JOIN turn t ON t.vault = $1 AND t.turn = i.turn
LEFT JOIN content s ON s.vault = $1 AND s.content = t.shape
WHERE p.vault = $1 AND p.scope = $2 AND p.to_seq = $3 AND p.position >= $4 AND p.position < $5
    AND p.in_window = 1
ORDER BY p.position DESC LIMIT $6;

-- name: shown_first
SELECT p.position, p.anchor, p.tokens, i.item, i.form, i.role, i.author, i.turn, i.block, i.time,
    i.call, c.text, c.tokens, c.key, CASE WHEN i.block = 0 THEN s.text END, i.content, t.shape,
    i.kind
FROM place p
JOIN item i ON i.vault = $1 AND i.item = p.item
LEFT JOIN content c ON c.vault = $1 AND c.content = i.content
LEFT JOIN turn t ON t.vault = $1 AND t.turn = i.turn
LEFT JOIN content s ON s.vault = $1 AND s.content = t.shape
WHERE p.vault = $1 AND p.scope = $2 AND p.to_seq = $3 AND p.position >= $4 AND p.position < $5
    AND p.in_window = 1
ORDER BY p.position LIMIT $6;

-- name: place_from
SELECT position, from_seq FROM place
WHERE vault = $1 AND scope = $2 AND to_seq = 0 AND position >= $3 ORDER BY position LIMIT 1;

-- name: place_closed_from
SELECT position, from_seq FROM place
WHERE vault = $1 AND scope = $2 AND to_seq > 0 AND position >= $3 ORDER BY position LIMIT 1;

-- name: actor
SELECT actor, id, name, kind, home, primary_scope, view, view_open, view_pin, view_capture,
    view_time, break_seq, parent, forked_from, forked_into, depth, fate, fate_seq
FROM actor WHERE vault = $1 AND actor = $2;

-- name: actors_after
SELECT actor, id, name, kind, home, primary_scope, view, view_open, view_pin, view_capture,
    view_time, break_seq, parent, forked_from, forked_into, depth, fate, fate_seq
FROM actor WHERE vault = $1 AND actor > $2 ORDER BY actor LIMIT $3;

-- name: children
SELECT actor, id, name, kind, home, primary_scope, view, view_open, view_pin, view_capture,
    view_time, break_seq, parent, forked_from, forked_into, depth, fate, fate_seq
FROM actor WHERE vault = $1 AND parent = $2 ORDER BY actor;

-- name: elsewhere
SELECT scope FROM presence WHERE vault = $1 AND actor = $2 AND entered_seq > 0
UNION ALL
SELECT scope FROM open_call WHERE vault = $1 AND actor = $2;

-- name: event_time
SELECT time FROM event WHERE vault = $1 AND seq = $2;
