-- Changes are told by every frame in whose stream they stand, and found by what they changed.
CREATE INDEX visit_seq ON visit (vault, seq);
INSERT INTO delta (vault, frame, seq, item)
SELECT v.vault, v.frame, v.seq, d.item
FROM delta d
JOIN visit v ON v.vault = d.vault AND v.seq = d.seq
WHERE v.frame <> d.frame;
DROP INDEX visit_seq;
CREATE INDEX delta_item ON delta (vault, item, seq);

-- What a scope showed at an earlier moment, and what of it was taken away since.
CREATE INDEX place_closed ON place (vault, scope, position) WHERE to_seq > 0;

-- Merges are never summarised.
DROP INDEX view_whole;
CREATE INDEX view_whole ON view (vault, view) WHERE fossil_seq IS NULL AND merges IS NULL;
