-- The keys that values of this database may be under: a process whose key ring lacks one does not start.
CREATE TABLE "key_in_use" (
    "purpose" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    -- Equal for equal keys; null until the first process with the key has started.
    "check_value" BYTEA,
    "since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "key_in_use_pkey" PRIMARY KEY ("purpose", "key_id"),
    CONSTRAINT "key_in_use_purpose_check" CHECK ("purpose" IN ('seal', 'digest'))
);
-- Rows of the version before are under the one digest key that it knows.
INSERT INTO "key_in_use" ("purpose", "key_id") SELECT 'digest', 'd1' WHERE EXISTS (SELECT FROM "submission");

-- Under which key the digests are. The default is for the version before.
-- The fingerprints are sealed: what the digests of bodies are made from, and kept nowhere else.
ALTER TABLE "submission"
    ADD COLUMN "match_digest_key" TEXT NOT NULL DEFAULT 'd1',
    ADD COLUMN "body_digest_key" TEXT NOT NULL DEFAULT 'd1',
    ADD COLUMN "body_fingerprint" BYTEA;
ALTER TABLE "operation_key"
    ADD COLUMN "body_digest_key" TEXT NOT NULL DEFAULT 'd1',
    ADD COLUMN "body_fingerprint" BYTEA;
ALTER TABLE "journey_link" ADD COLUMN "token_digest_key" TEXT NOT NULL DEFAULT 'd1';

-- A correction stays what it was: it may be erased, or sealed under another key. What a value was sealed under is how it
-- begins: a byte for the format, the length of the key's id, the id. None is shorter than its nonce and its tag.
CREATE FUNCTION "sealing_key"("sealed" BYTEA) RETURNS BYTEA LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN octet_length("sealed") > 30 THEN substring("sealed" FROM 3 FOR get_byte("sealed", 1)) END
$$;
CREATE OR REPLACE FUNCTION "allow_erasure_only"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW."submission_id", NEW."revision", NEW."corrected_at")
        IS NOT DISTINCT FROM (OLD."submission_id", OLD."revision", OLD."corrected_at")
        AND (NEW."contact" IS NULL OR sealing_key(NEW."contact") <> sealing_key(OLD."contact")) THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'rows of % are only ever added', TG_TABLE_NAME;
END $$;
