-- Statements for SQLite only. They override the shared ones.

-- Deleting a row of content lets neighbouring rows move between pages, and a partly emptied page
-- keeps copies of them that no later deletion overwrites. Shrinking a row moves nothing. The
-- remaining empty row belongs to no vault.

-- name: content_forget
UPDATE content SET vault = 0, content = random(), key = x'', salt = x'', digest = 0, tokens = 0,
    text = x''
WHERE vault = $1 AND content = $2;

-- name: all_content_delete
UPDATE content SET vault = 0, content = random(), key = x'', salt = x'', digest = 0, tokens = 0,
    text = x''
WHERE vault = $1;

-- name: bag_forget
UPDATE bag SET vault = 0, content = random(), terms = x'' WHERE vault = $1 AND content = $2;

-- name: all_bag_delete
UPDATE bag SET vault = 0, content = random(), terms = x'' WHERE vault = $1;

-- name: all_posting_delete
UPDATE posting SET vault = 0, segment = random(), texts = x'' WHERE vault = $1;

-- Before a table is analysed, SQLite considers an index on vault as good as one on vault and item.

-- name: item_places
SELECT scope, position, tokens FROM place INDEXED BY place_item
WHERE vault = $1 AND item = $2 AND to_seq = 0;

-- name: items_with
SELECT item FROM item INDEXED BY item_content
WHERE vault = $1 AND content = $2 ORDER BY item DESC LIMIT 4;

-- name: object_places
SELECT p.scope, p.position, p.from_seq FROM place p INDEXED BY place_item
JOIN scope s ON s.vault = $1 AND s.scope = p.scope
WHERE p.vault = $1 AND p.item = $2 AND p.to_seq = 0 AND s.closed_seq IS NULL
ORDER BY p.from_seq, p.scope;

-- name: children
SELECT actor, id, name, kind, home, primary_scope, view, view_open, view_pin, view_capture,
    view_time, break_seq, parent, forked_from, forked_into, depth, fate, fate_seq
FROM actor INDEXED BY actor_parent WHERE vault = $1 AND parent = $2 ORDER BY actor;

-- name: note_hash
SELECT hash FROM note INDEXED BY note_item WHERE vault = $1 AND item = $2;
