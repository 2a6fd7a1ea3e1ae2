-- What each text is found by: its terms as short hashes, with their counts. No word stands here.
CREATE TABLE bag (
    vault INTEGER NOT NULL,
    content INTEGER NOT NULL,
    terms BLOB NOT NULL,
    PRIMARY KEY (vault, content)
) STRICT;

-- The same turned round, once a run of texts is complete: the texts of all terms that share their
-- first bits. Part -1 holds how long each text of the segment is.
CREATE TABLE posting (
    vault INTEGER NOT NULL,
    part INTEGER NOT NULL,
    segment INTEGER NOT NULL,
    texts BLOB NOT NULL,
    PRIMARY KEY (vault, part, segment)
) STRICT;

-- Texts that were there before the index was, and are still to be put into it: those after the one
-- named, below the bound. The row goes when there are none.
CREATE TABLE unindexed (
    vault INTEGER NOT NULL PRIMARY KEY,
    content INTEGER NOT NULL,
    bound INTEGER NOT NULL
) STRICT;
INSERT INTO unindexed (vault, content, bound) SELECT vault, 0, next FROM vault;
