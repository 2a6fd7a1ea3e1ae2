-- Which items and turns bear a text: it is forgotten with the last of them. What bore a forgotten one
-- holds the sequence of the event that forgot it, negated. Few turns have a shape.
CREATE INDEX item_content ON item (vault, content);
CREATE INDEX turn_shape ON turn (vault, shape) WHERE shape > 0;

-- Keys are kept as hashes from here on, for a key may hold a text that is to be forgotten.
DELETE FROM key;
