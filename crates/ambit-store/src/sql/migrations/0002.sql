-- A vault's name is kept unique by how vaults are created, not by an index: every unique index then
-- begins with the vault, so that vaults can be spread over servers. A vault can be under import; and
-- how often its rows were rebuilt tells other processes that what they remember may not hold.

CREATE TABLE vault_anew (
    vault INTEGER NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    head_seq INTEGER NOT NULL,
    head_hash BLOB NOT NULL,
    time INTEGER NOT NULL,
    next INTEGER NOT NULL,
    main INTEGER NOT NULL,
    scopes INTEGER NOT NULL,
    boundary INTEGER NOT NULL,
    importing TEXT,
    rebuilt INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO vault_anew (vault, name, head_seq, head_hash, time, next, main, scopes, boundary)
SELECT vault, name, head_seq, head_hash, time, next, main, scopes, boundary FROM vault;
DROP TABLE vault;
ALTER TABLE vault_anew RENAME TO vault;
CREATE INDEX vault_name ON vault (name);

-- Which items and turns bear a text: it is forgotten with the last of them. What bore a forgotten one
-- holds the sequence of the event that forgot it, negated.
CREATE INDEX item_content ON item (vault, content);
CREATE INDEX turn_shape ON turn (vault, shape);
