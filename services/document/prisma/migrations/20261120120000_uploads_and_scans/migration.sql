CREATE TYPE "scan_reason" AS ENUM ('malware', 'content_mismatch', 'encrypted', 'limits_exceeded', 'object_changed');
CREATE TYPE "store_area" AS ENUM ('incoming', 'held', 'clean');

-- Nothing was ever stored before this: uploads were not offered.
ALTER TABLE "document"
    -- Until when the upload URL admits the object.
    ADD COLUMN "upload_expires_at" TIMESTAMPTZ(3) NOT NULL,
    -- The object as it was when the upload was finalized: its key out of the uploader's reach, and its ETag.
    ADD COLUMN "held_key" TEXT,
    ADD COLUMN "etag" TEXT,
    -- Where those bytes lie now.
    ADD COLUMN "area" "store_area",
    -- Rises when a scan is claimed, and fences what a scanner that comes back late has to say.
    ADD COLUMN "scan_attempt" INTEGER NOT NULL DEFAULT 0,
    -- Set exactly while the document waits for a scan.
    ADD COLUMN "scan_due_at" TIMESTAMPTZ(3),
    -- Set exactly while a scan is under way: until then nobody else may claim it.
    ADD COLUMN "scan_lease_until" TIMESTAMPTZ(3),
    ADD COLUMN "scan_reason" "scan_reason",
    ADD COLUMN "signature" TEXT,
    ADD COLUMN "scanned_at" TIMESTAMPTZ(3),
    ADD COLUMN "deleted_at" TIMESTAMPTZ(3),
    -- Domain events of the document so far.
    ADD COLUMN "version" BIGINT NOT NULL DEFAULT 0,
    ADD CONSTRAINT "document_held_check"
        CHECK ("state" <> 'finalized' OR (num_nulls("held_key", "etag") = 0 AND "area" IN ('held', 'clean'))),
    ADD CONSTRAINT "document_clean_area_check" CHECK ("scan_status" IS DISTINCT FROM 'clean' OR "area" = 'clean'),
    ADD CONSTRAINT "document_infected_area_check" CHECK ("scan_status" IS DISTINCT FROM 'infected' OR "area" = 'held'),
    ADD CONSTRAINT "document_scan_waits_or_is_leased"
        CHECK (num_nonnulls("scan_due_at", "scan_lease_until")
             = CASE WHEN "state" = 'finalized' AND "scan_status" = 'pending_scan' THEN 1 ELSE 0 END),
    ADD CONSTRAINT "document_scan_reason_check"
        CHECK (CASE "scan_status"
                 WHEN 'infected' THEN "scan_reason" = 'malware' AND "signature" IS NOT NULL
                 WHEN 'scan_failed' THEN "scan_reason" IS NOT NULL AND "scan_reason" <> 'malware'
                 ELSE "scan_reason" IS NULL AND "signature" IS NULL
               END),
    ADD CONSTRAINT "document_deleted_check" CHECK (("state" = 'deleted') = ("deleted_at" IS NOT NULL));
CREATE UNIQUE INDEX "document_held_key_key" ON "document"("held_key");
CREATE INDEX "document_submission_idx" ON "document"("submission_id") WHERE "submission_id" IS NOT NULL;
CREATE INDEX "document_scan_due_idx" ON "document"("scan_due_at") WHERE "scan_due_at" IS NOT NULL;
CREATE INDEX "document_scan_leased_idx" ON "document"("scan_lease_until") WHERE "scan_lease_until" IS NOT NULL;
CREATE INDEX "document_finalized_idx" ON "document"("finalized_at") WHERE "state" = 'finalized';

-- Bytes that an account has reserved or holds. Kept by whoever adds or deletes a document, in the same transaction.
CREATE TABLE "account_usage" (
    "account_id" UUID NOT NULL,
    "environment" "environment" NOT NULL,
    "bytes" BIGINT NOT NULL,
    CONSTRAINT "account_usage_pkey" PRIMARY KEY ("account_id", "environment"),
    CONSTRAINT "account_usage_not_negative" CHECK ("bytes" >= 0)
);

-- Objects that nothing refers to any longer, written in the transaction that let go of them. The store is asked to
-- remove each until it has: removing what is gone is no error.
CREATE TABLE "object_removal" (
    "area" "store_area" NOT NULL,
    "object_key" TEXT NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "object_removal_pkey" PRIMARY KEY ("area", "object_key")
);
CREATE INDEX "object_removal_due_at_idx" ON "object_removal"("due_at");

CREATE TABLE "audit_log" (
    "sequence" BIGSERIAL NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "actor" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "account_id" UUID NOT NULL,
    "details" JSONB NOT NULL,
    "request_id" TEXT NOT NULL,
    CONSTRAINT "audit_log_pkey" PRIMARY KEY ("sequence")
);
CREATE INDEX "audit_log_account_id_sequence_idx" ON "audit_log"("account_id", "sequence");

CREATE FUNCTION "refuse_rewriting"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'lines of % are only ever added', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER "audit_log_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_log"
    FOR EACH STATEMENT EXECUTE FUNCTION "refuse_rewriting"();
