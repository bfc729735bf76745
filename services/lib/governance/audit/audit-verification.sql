-- What those runs of verify-audit found that were to be recorded; the service's metrics tell of it. Rows are only ever added.
CREATE TABLE audit_verification (
    sequence BIGSERIAL NOT NULL,
    verified_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    -- Up to where the log was good: `position:hash`.
    head TEXT NOT NULL,
    -- The first finding, as a sentence; null where there was none.
    broken TEXT,
    CONSTRAINT audit_verification_pkey PRIMARY KEY (sequence)
);
