-- Statements for PostgreSQL only: the same as in write.sql and read.sql, for many rows of one vault
-- at once. The first parameter is the vault; each other one is an array with a value for each row.

-- The rows that nearly every command writes. One statement costs less than one for each table; the
-- tables are in the order of their foreign keys. This is for one row in each table, without arrays.

-- name: append
WITH new_content AS (
    INSERT INTO content (vault, content, key, salt, digest, tokens, text)
    VALUES ($1, $2, $3, $4, $5, $6, $7)
), new_bag AS (
    INSERT INTO bag (vault, content, terms)
    VALUES ($1, $8, $9)
), new_event AS (
    INSERT INTO event (vault, seq, time, actor, view, body, hash)
    VALUES ($1, $10, $11, $12, $13, $14, $15)
), shown AS (
    UPDATE scope SET head = $17, next_position = next_position + $18, sum = $19,
        messages = messages + $20, notes = notes + $21, note_tokens = note_tokens + $22
    WHERE vault = $1 AND scope = $16
), viewed AS (
    UPDATE actor SET view = $24, view_open = $25, view_capture = COALESCE($26, view_capture),
        view_time = $27
    WHERE vault = $1 AND actor = $23
), here AS (
    INSERT INTO presence (vault, actor, scope, entered_seq, last_time, boundary, fold, fold_seq,
        answered, answered_seq)
    VALUES ($1, $28, $29, NULL, $30, $31, $32, $33, $34, $35)
    ON CONFLICT (vault, actor, scope) DO UPDATE SET
        last_time = excluded.last_time,
        boundary = CASE WHEN excluded.boundary > 0 THEN excluded.boundary
            ELSE presence.boundary END,
        fold = CASE WHEN excluded.fold_seq > 0 THEN excluded.fold ELSE presence.fold END,
        fold_seq = CASE WHEN excluded.fold_seq > 0 THEN excluded.fold_seq
            ELSE presence.fold_seq END,
        answered = CASE WHEN excluded.answered_seq > 0 THEN excluded.answered
            ELSE presence.answered END,
        answered_seq = CASE WHEN excluded.answered_seq > 0 THEN excluded.answered_seq
            ELSE presence.answered_seq END
), new_item AS (
    INSERT INTO item (vault, item, kind, form, role, author, turn, block, time, content, call,
        object)
    VALUES ($1, $36, $37, $38, $39, $40, $41, $42, $43, $44, $45, $46)
), new_place AS (
    INSERT INTO place (vault, scope, position, item, kind, anchor, first, tokens, sum, from_seq,
        to_seq, in_window, of_object)
    VALUES ($1, $47, $48, $49, $50, $51, $52, $53, $54, $55, $56, $57, $58)
)
UPDATE vault SET head_seq = $59, head_hash = $60, time = $61, next = $62, main = $63,
    scopes = $64, boundary = $65
WHERE vault = $1;

-- The same for any number of rows. An array is empty if its table does not change. Rows to update
-- are sorted by number: the bounds keep the server from reading all scopes or actors of a vault.

-- name: append_many
WITH new_content AS (
    INSERT INTO content (vault, content, key, salt, digest, tokens, text)
    SELECT $1, unnest($2::bigint[]), unnest($3::bytea[]), unnest($4::bytea[]),
        unnest($5::bigint[]), unnest($6::bigint[]), unnest($7::bytea[])
), new_bag AS (
    INSERT INTO bag (vault, content, terms)
    SELECT $1, unnest($8::bigint[]), unnest($9::bytea[])
), new_event AS (
    INSERT INTO event (vault, seq, time, actor, view, body, hash)
    SELECT $1, unnest($10::bigint[]), unnest($11::bigint[]), unnest($12::bigint[]),
        unnest($13::bigint[]), unnest($14::text[]), unnest($15::bytea[])
), shown AS (
    UPDATE scope SET head = ($17::bigint[])[array_position($16::bigint[], scope)],
        next_position = next_position
            + ($18::bigint[])[array_position($16::bigint[], scope)],
        sum = ($19::bigint[])[array_position($16::bigint[], scope)],
        messages = messages + ($20::bigint[])[array_position($16::bigint[], scope)],
        notes = notes + ($21::bigint[])[array_position($16::bigint[], scope)],
        note_tokens = note_tokens + ($22::bigint[])[array_position($16::bigint[], scope)]
    WHERE vault = $1 AND scope = ANY ($16::bigint[])
        AND scope >= ($16::bigint[])[1] AND scope <= ($16::bigint[])[cardinality($16::bigint[])]
), viewed AS (
    UPDATE actor SET view = ($24::bigint[])[array_position($23::bigint[], actor)],
        view_open = ($25::bigint[])[array_position($23::bigint[], actor)],
        view_capture =
            COALESCE(($26::bigint[])[array_position($23::bigint[], actor)], view_capture),
        view_time = ($27::bigint[])[array_position($23::bigint[], actor)]
    WHERE vault = $1 AND actor = ANY ($23::bigint[])
        AND actor >= ($23::bigint[])[1] AND actor <= ($23::bigint[])[cardinality($23::bigint[])]
), here AS (
    INSERT INTO presence (vault, actor, scope, entered_seq, last_time, boundary, fold, fold_seq,
        answered, answered_seq)
    SELECT $1, unnest($28::bigint[]), unnest($29::bigint[]), NULL, unnest($30::bigint[]),
        unnest($31::bigint[]), unnest($32::bigint[]), unnest($33::bigint[]), unnest($34::bigint[]),
        unnest($35::bigint[])
    ON CONFLICT (vault, actor, scope) DO UPDATE SET
        last_time = excluded.last_time,
        boundary = CASE WHEN excluded.boundary > 0 THEN excluded.boundary
            ELSE presence.boundary END,
        fold = CASE WHEN excluded.fold_seq > 0 THEN excluded.fold ELSE presence.fold END,
        fold_seq = CASE WHEN excluded.fold_seq > 0 THEN excluded.fold_seq
            ELSE presence.fold_seq END,
        answered = CASE WHEN excluded.answered_seq > 0 THEN excluded.answered
            ELSE presence.answered END,
        answered_seq = CASE WHEN excluded.answered_seq > 0 THEN excluded.answered_seq
            ELSE presence.answered_seq END
), new_item AS (
    INSERT INTO item (vault, item, kind, form, role, author, turn, block, time, content, call,
        object)
    SELECT $1, unnest($36::bigint[]), unnest($37::text[]), unnest($38::text[]),
        unnest($39::text[]), unnest($40::bigint[]), unnest($41::bigint[]), unnest($42::bigint[]),
        unnest($43::bigint[]), unnest($44::bigint[]), unnest($45::bigint[]), unnest($46::bigint[])
), new_place AS (
    INSERT INTO place (vault, scope, position, item, kind, anchor, first, tokens, sum, from_seq,
        to_seq, in_window, of_object)
    SELECT $1, unnest($47::bigint[]), unnest($48::bigint[]), unnest($49::bigint[]),
        unnest($50::text[]), unnest($51::bigint[]), unnest($52::bigint[]), unnest($53::bigint[]),
        unnest($54::bigint[]), unnest($55::bigint[]), unnest($56::bigint[]), unnest($57::bigint[]),
        unnest($58::bigint[])
)
UPDATE vault SET head_seq = ($59::bigint[])[1], head_hash = ($60::bytea[])[1],
    time = ($61::bigint[])[1], next = ($62::bigint[])[1], main = ($63::bigint[])[1],
    scopes = ($64::bigint[])[1], boundary = ($65::bigint[])[1]
WHERE vault = $1 AND cardinality($59::bigint[]) > 0;

-- The texts are looked up one by one: a join could read all texts of a vault.

-- name: content_equal_many
SELECT found.content, found.key, found.tokens, asked.number
FROM unnest($2::bigint[], $3::bytea[]) WITH ORDINALITY AS asked (digest, text, number)
CROSS JOIN LATERAL (
    SELECT content, key, tokens FROM content
    WHERE vault = $1 AND digest = asked.digest AND text = asked.text
    LIMIT 1
) AS found;

-- name: posting_insert_many
INSERT INTO posting (vault, part, segment, texts)
SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::bytea[]);

-- name: key_insert_many
INSERT INTO key (vault, actor, key, time, digest, answer)
SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::bigint[], $5::bytea[], $6::text[]);

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
