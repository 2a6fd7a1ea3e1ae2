-- Whether anybody inherits messages.
CREATE INDEX scope_inherit ON scope (vault, inherit, closed_seq);

-- Where an actor waits for replies.
CREATE INDEX open_call_actor ON open_call (vault, actor, scope);
