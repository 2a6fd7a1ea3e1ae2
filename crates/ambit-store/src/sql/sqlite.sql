-- Statements of SQLite alone, in place of the shared ones.

-- A row of content that is deleted lets its neighbours move between pages, and pages that were
-- emptied in part keep copies of what stood there, where no later deletion finds them. A row that
-- only shrinks moves nothing. What is left of it belongs to no vault.

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

-- Before a table has been analysed, SQLite takes the vault alone for as good as vault and item.

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
