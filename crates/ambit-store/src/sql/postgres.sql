-- What PostgreSQL is told in its own words.

-- Who locks a vault learns in the same breath what the server calls the transaction.

-- name: vault_locked
SELECT vault, head_seq, head_hash, time, next, main, scopes, boundary, importing, name,
    rebuilt, CAST(pg_current_xact_id() AS TEXT)
FROM vault WHERE name = $1 FOR UPDATE;

-- name: vault_if_free
SELECT vault, head_seq, head_hash, time, next, main, scopes, boundary, importing, name,
    rebuilt, CAST(pg_current_xact_id() AS TEXT)
FROM vault WHERE name = $1 FOR UPDATE SKIP LOCKED;
