-- Where all gateways count together. Not logged: counts are worth a minute, and a crash of the server only empties the
-- table. Half-filled pages leave space for a row's next version beside it. A gateway of an earlier version has made it.
CREATE UNLOGGED TABLE IF NOT EXISTS limit_window (
    key TEXT COLLATE "C" NOT NULL,
    newest BIGINT NOT NULL,
    counts INTEGER[] NOT NULL,
    used INTEGER NOT NULL,
    granted INTEGER NOT NULL,
    most INTEGER NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL,
    CONSTRAINT limit_window_pkey PRIMARY KEY (key)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX IF NOT EXISTS limit_window_expires_at_idx ON limit_window(expires_at);
