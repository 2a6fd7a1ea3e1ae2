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

-- What is kept on a guess: where the vault is as it was left, nobody is at it, and no text that comes
-- anew is there already. Rows that are missed are counted.

-- name: vault_update_if
UPDATE vault SET head_seq = $2, head_hash = $3, time = $4, next = $5, main = $6, scopes = $7,
    boundary = $8
FROM (
    SELECT vault FROM vault
    WHERE vault = $1 AND head_hash = $9 AND rebuilt = $10 AND importing IS NULL
    FOR UPDATE SKIP LOCKED
) AS free
WHERE vault.vault = free.vault
RETURNING 1;

-- name: content_insert_new
INSERT INTO content (vault, content, key, salt, digest, tokens, text)
SELECT CAST($1 AS BIGINT), CAST($2 AS BIGINT), CAST($3 AS BYTEA), CAST($4 AS BYTEA),
    CAST($5 AS BIGINT), CAST($6 AS BIGINT), CAST($7 AS BYTEA)
WHERE NOT EXISTS (
    SELECT 1 FROM content c WHERE c.vault = $1 AND c.digest = $5 AND c.text = $7
)
RETURNING 1;
