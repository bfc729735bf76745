-- Calls of staff that named an idempotency key, each written in the transaction of its act. Digests say whose call and which
-- request it was. The answer holds no secret, and is null while an act that other services take part in is under way. Kept
-- for seven days.
CREATE TABLE idempotent_call (
    key_sha256 BYTEA NOT NULL,
    id UUID NOT NULL,
    request_sha256 BYTEA NOT NULL,
    answer BYTEA,
    begun_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT idempotent_call_pkey PRIMARY KEY (key_sha256),
    CONSTRAINT idempotent_call_digests_check CHECK (octet_length(key_sha256) = 32 AND octet_length(request_sha256) = 32)
);
CREATE INDEX idempotent_call_begun_at_idx ON idempotent_call(begun_at);
