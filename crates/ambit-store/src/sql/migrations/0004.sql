-- SQLite alone: where a table has no rowid, the upper levels of its tree hold whole rows. Those of the log
-- are long: a tree of a million had many levels, and a read of an old event paid for each.
CREATE TABLE event_anew (
    vault INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    time INTEGER NOT NULL,
    actor INTEGER NOT NULL,
    view INTEGER,
    body TEXT NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (vault, seq)
) STRICT;
INSERT INTO event_anew SELECT vault, seq, time, actor, view, body, hash FROM event;
DROP TABLE event;
ALTER TABLE event_anew RENAME TO event;
