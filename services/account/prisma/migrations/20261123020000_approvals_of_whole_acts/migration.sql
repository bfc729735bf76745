-- What is approved is the whole act with everything that it was judged upon, line by line, under a digest. The release
-- before enters neither: what it was asked for cannot be approved any more, and ends within 24 hours.
ALTER TABLE "approval" ADD COLUMN "reasons" TEXT[], ADD COLUMN "lines" TEXT, ADD COLUMN "sha256" TEXT;

CREATE OR REPLACE FUNCTION "keep_approval"() RETURNS trigger LANGUAGE plpgsql AS $$
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
