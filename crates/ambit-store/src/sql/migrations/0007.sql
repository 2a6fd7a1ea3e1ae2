-- Changes are told by every frame in whose stream they stand, and found by what they changed.
CREATE INDEX visit_seq ON visit (vault, seq);
INSERT INTO delta (vault, frame, seq, item)
SELECT v.vault, v.frame, v.seq, d.item
FROM delta d
JOIN visit v ON v.vault = d.vault AND v.seq = d.seq
WHERE v.frame <> d.frame;
DROP INDEX visit_seq;
CREATE INDEX delta_item ON delta (vault, item, seq);

-- Every actor with a view in a scope's stream has a presence there.
INSERT INTO presence (vault, actor, scope, entered_seq, last_time, boundary, fold, fold_seq,
    answered, answered_seq)
SELECT DISTINCT s.vault, v.actor, s.frame, CAST(NULL AS BIGINT), CAST(NULL AS BIGINT), 0, 0, 0, 0, 0
FROM stream s
JOIN view v ON v.vault = s.vault AND v.view = s.view
JOIN actor a ON a.vault = v.vault AND a.actor = v.actor
LEFT JOIN presence p ON p.vault = s.vault AND p.actor = v.actor AND p.scope = s.frame
WHERE v.merges IS NULL AND s.frame <> a.home AND p.actor IS NULL;

-- What a scope showed at an earlier moment, and what of it was taken away since.
CREATE INDEX place_closed ON place (vault, scope, position) WHERE to_seq > 0;

-- Merges are never summarised.
DROP INDEX view_whole;
CREATE INDEX view_whole ON view (vault, view) WHERE fossil_seq IS NULL AND merges IS NULL;
