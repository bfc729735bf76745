-- Whether the Application of an accepted basic submission comes by itself (1) or with its promotion (2).
ALTER TABLE "submission"
    ADD COLUMN "application_minting" SMALLINT NOT NULL DEFAULT 1,
    ADD COLUMN "contact" BYTEA,
    ADD CONSTRAINT "submission_application_minting_check" CHECK ("application_minting" BETWEEN 1 AND 2),
    ADD CONSTRAINT "submission_revision_check" CHECK ("revision" >= 0);
-- Finding accepted basic submissions whose Application is overdue.
CREATE INDEX "submission_unminted_idx" ON "submission"("decided_at")
    WHERE "level" = 1 AND "status" = 2 AND "application_minting" = 1 AND "application_reference" IS NULL;

-- Keys of operations that were applied: a repeated one is recognised for ever.
CREATE TABLE "operation_key" (
    "account_id" UUID NOT NULL,
    "environment" SMALLINT NOT NULL,
    "operation" SMALLINT NOT NULL,
    "key" TEXT NOT NULL,
    "submission_id" UUID NOT NULL,
    "body_digest" BYTEA,
    "applied_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "operation_key_pkey" PRIMARY KEY ("account_id", "environment", "operation", "key"),
    CONSTRAINT "operation_key_operation_check" CHECK ("operation" BETWEEN 1 AND 2),
    CONSTRAINT "operation_key_submission_id_fkey" FOREIGN KEY ("submission_id") REFERENCES "submission"("id")
        ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE INDEX "operation_key_submission_id_idx" ON "operation_key"("submission_id");

CREATE TABLE "contact_correction" (
    "submission_id" UUID NOT NULL,
    "revision" INTEGER NOT NULL,
    "corrected_at" TIMESTAMPTZ(3) NOT NULL,
    "contact" BYTEA,
    CONSTRAINT "contact_correction_pkey" PRIMARY KEY ("submission_id", "revision"),
    CONSTRAINT "contact_correction_revision_check" CHECK ("revision" >= 1),
    CONSTRAINT "contact_correction_submission_id_fkey" FOREIGN KEY ("submission_id") REFERENCES "submission"("id")
        ON DELETE RESTRICT ON UPDATE CASCADE
);
-- History only grows. The one change it takes is the erasure of the applicant's data.
CREATE FUNCTION "allow_erasure_only"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW."contact" IS NULL AND (NEW."submission_id", NEW."revision", NEW."corrected_at")
        IS NOT DISTINCT FROM (OLD."submission_id", OLD."revision", OLD."corrected_at") THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'rows of % are only ever added', TG_TABLE_NAME;
END $$;
CREATE TRIGGER "contact_correction_erasure_only" BEFORE UPDATE ON "contact_correction"
    FOR EACH ROW EXECUTE FUNCTION "allow_erasure_only"();
CREATE TRIGGER "contact_correction_append_only" BEFORE DELETE OR TRUNCATE ON "contact_correction"
    FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();
