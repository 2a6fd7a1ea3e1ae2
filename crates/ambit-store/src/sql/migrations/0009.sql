-- What statements need to know about a kind is in columns of their own, written from the table of
-- policies: whether a place is part of the conversation, and whether it is a place of an object.
ALTER TABLE place ADD COLUMN in_window INTEGER NOT NULL DEFAULT 0;
ALTER TABLE place ADD COLUMN of_object INTEGER NOT NULL DEFAULT 0;
UPDATE place SET in_window = 1 WHERE kind = 'message';
UPDATE place SET of_object = 1 WHERE kind = 'object';
DROP INDEX place_object;
CREATE INDEX place_object ON place (vault, scope, item) WHERE of_object = 1 AND to_seq = 0;

-- The object that a version belongs to: the item of its first version. It was in "call", where that
-- was another item.
ALTER TABLE item ADD COLUMN object INTEGER;
UPDATE item SET object = COALESCE(call, item), call = NULL WHERE kind = 'object';
