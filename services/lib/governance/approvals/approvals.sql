-- Acts that a second person is to approve: what exactly and upon what, who asked, who decided, and when it was done. Never a secret and
-- never an applicant's data. What was asked for never changes; a row is decided once and used once.
CREATE TABLE approval (
    sequence BIGSERIAL NOT NULL,
    id UUID NOT NULL,
    action TEXT NOT NULL,
    target TEXT NOT NULL,
    arguments TEXT NOT NULL,
    purpose TEXT NOT NULL,
    requested_by TEXT NOT NULL,
    requested_issuer TEXT NOT NULL,
    requested_at TIMESTAMPTZ(3) NOT NULL,
    expires_at TIMESTAMPTZ(3) NOT NULL,
    decided_by TEXT,
    decided_issuer TEXT,
    decided_at TIMESTAMPTZ(3),
    refusal_reason TEXT,
    used_at TIMESTAMPTZ(3),
    reasons TEXT[],
    lines TEXT,
    sha256 TEXT,
    CONSTRAINT approval_pkey PRIMARY KEY (id),
    CONSTRAINT approval_two_people_check CHECK (decided_at IS NULL OR refusal_reason IS NOT NULL
        OR (decided_by, decided_issuer) IS DISTINCT FROM (requested_by, requested_issuer)),
    CONSTRAINT approval_used_check CHECK (used_at IS NULL
        OR (decided_at IS NOT NULL AND refusal_reason IS NULL))
);
CREATE UNIQUE INDEX approval_sequence_key ON approval(sequence);

CREATE FUNCTION keep_approval() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.id, NEW.action, NEW.target, NEW.arguments, NEW.requested_by, NEW.requested_issuer, NEW.expires_at, NEW.reasons,
        NEW.lines, NEW.sha256)
        IS DISTINCT FROM
        (OLD.id, OLD.action, OLD.target, OLD.arguments, OLD.requested_by, OLD.requested_issuer, OLD.expires_at, OLD.reasons,
        OLD.lines, OLD.sha256)
        OR OLD.used_at IS NOT NULL
        OR (OLD.decided_at IS NOT NULL AND (NEW.decided_at, NEW.decided_by, NEW.decided_issuer, NEW.refusal_reason)
            IS DISTINCT FROM (OLD.decided_at, OLD.decided_by, OLD.decided_issuer, OLD.refusal_reason))
    THEN
        RAISE EXCEPTION 'an approval is decided once and used once' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER approval_kept BEFORE UPDATE ON approval FOR EACH ROW EXECUTE FUNCTION keep_approval();
