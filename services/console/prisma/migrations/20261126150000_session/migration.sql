-- Who is logged in, for all replicas of the console. The subject is the staff member's id at the identity
-- provider; roles and tokens are sealed. Unlogged: a crash of the server only logs people out.
CREATE UNLOGGED TABLE session (
    id_digest TEXT COLLATE "C" NOT NULL,
    subject TEXT COLLATE "C" NOT NULL,
    sealed BYTEA NOT NULL,
    used_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    renewing_until TIMESTAMPTZ,
    CONSTRAINT session_pkey PRIMARY KEY (id_digest)
);
CREATE INDEX session_subject_used_at_idx ON session(subject, used_at);
CREATE INDEX session_used_at_idx ON session(used_at);
