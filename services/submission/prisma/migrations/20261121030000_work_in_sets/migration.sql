-- Work is claimed from these rows, oldest first: deciding, minting, pre-underwriting. A row that failed alone is due again
-- later, and is parked for staff after several failures.
ALTER TABLE "submission"
    ADD COLUMN "work_due_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    ADD COLUMN "work_attempts" SMALLINT NOT NULL DEFAULT 0,
    ADD COLUMN "work_failure" TEXT,
    ADD COLUMN "work_parked_at" TIMESTAMPTZ(3),
    -- When billing that is still pending is compared with the billing service next, and how often it has been.
    ADD COLUMN "billing_due_at" TIMESTAMPTZ(3),
    ADD COLUMN "billing_checks" SMALLINT NOT NULL DEFAULT 0,
    -- The request that made the submission: events that follow from it carry both on.
    ADD COLUMN "request_id" TEXT,
    ADD COLUMN "trace_parent" TEXT,
    ADD CONSTRAINT "submission_work_attempts_check" CHECK ("work_attempts" >= 0);
UPDATE "submission" SET "work_due_at" = "received_at" WHERE "status" = 1 OR "application_reference" IS NULL;
UPDATE "submission" SET "billing_due_at" = "changed_at" WHERE "billing_status" = 1 AND "status" IN (2, 3, 4);

DROP INDEX "submission_undecided_idx";
CREATE INDEX "submission_undecided_idx" ON "submission"("work_due_at", "id")
    WHERE "status" = 1 AND NOT "awaits_staff" AND "work_parked_at" IS NULL;
DROP INDEX "submission_unminted_idx";
CREATE INDEX "submission_unminted_idx" ON "submission"("work_due_at", "id")
    WHERE "level" = 1 AND "status" = 2 AND "application_minting" = 1 AND "application_reference" IS NULL
        AND "enquiry" IS NOT NULL AND "work_parked_at" IS NULL;
DROP INDEX "application_pending_idx";
CREATE INDEX "application_unassessed_idx" ON "application"("created_at")
    WHERE "pre_underwriting" = 1 AND "pre_underwriting_at" IS NULL;
DROP INDEX "submission_unbilled_idx";
CREATE INDEX "submission_unbilled_idx" ON "submission"("billing_due_at", "id")
    WHERE "billing_status" = 1 AND "status" IN (2, 3, 4);
CREATE INDEX "submission_parked_idx" ON "submission"("work_parked_at", "id") WHERE "work_parked_at" IS NOT NULL;

-- A return ends a pre-underwriting that never ran.
UPDATE "application" a SET "pre_underwriting" = 3, "pre_underwriting_at" = s."returned_at"
  FROM "submission" s WHERE s."id" = a."submission_id" AND s."status" = 5 AND a."pre_underwriting" = 1;

-- Looking for duplicates: what was accepted by each key, and what is still undecided.
DROP INDEX "submission_company_hash_idx";
DROP INDEX "submission_telephone_hash_idx";
DROP INDEX "submission_email_hash_idx";
CREATE INDEX "submission_accepted_company_idx" ON "submission"("company_hash", "environment", "received_at")
    WHERE "company_hash" IS NOT NULL AND "status" IN (2, 5);
CREATE INDEX "submission_accepted_telephone_idx" ON "submission"("telephone_hash", "environment", "received_at")
    WHERE "telephone_hash" IS NOT NULL AND "status" IN (2, 5);
CREATE INDEX "submission_accepted_email_idx" ON "submission"("email_hash", "environment", "received_at")
    WHERE "email_hash" IS NOT NULL AND "status" IN (2, 5);
CREATE INDEX "submission_undecided_company_idx" ON "submission"("company_hash", "environment", "received_at")
    WHERE "company_hash" IS NOT NULL AND "status" = 1;
CREATE INDEX "submission_undecided_telephone_idx" ON "submission"("telephone_hash", "environment", "received_at")
    WHERE "telephone_hash" IS NOT NULL AND "status" = 1;
CREATE INDEX "submission_undecided_email_idx" ON "submission"("email_hash", "environment", "received_at")
    WHERE "email_hash" IS NOT NULL AND "status" = 1;

-- How many an account has had accepted on a day (UTC): caps are checked by a few rows, however high they are. Several
-- rows a day, so that transactions side by side seldom wait for each other's.
CREATE TABLE "acceptance_count" (
    "account_id" UUID NOT NULL,
    "environment" SMALLINT NOT NULL,
    "day" DATE NOT NULL,
    "slot" SMALLINT NOT NULL,
    "accepted" INTEGER NOT NULL,
    CONSTRAINT "acceptance_count_pkey" PRIMARY KEY ("account_id", "environment", "day", "slot"),
    CONSTRAINT "acceptance_count_accepted_check" CHECK ("accepted" > 0)
);
INSERT INTO "acceptance_count" ("account_id", "environment", "day", "slot", "accepted")
SELECT "account_id", "environment", ("decided_at" AT TIME ZONE 'UTC')::date, 0, count(*)
  FROM "submission" WHERE "status" IN (2, 5) AND "decided_at" >= CURRENT_TIMESTAMP - interval '32 days'
 GROUP BY 1, 2, 3;
DROP INDEX "submission_accepted_idx";
