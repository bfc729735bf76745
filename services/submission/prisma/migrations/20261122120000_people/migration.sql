-- Since when nothing of the applicant is left in this service.
ALTER TABLE "submission" ADD COLUMN "erased_at" TIMESTAMPTZ(3);

-- By what a person is found besides the enquiry as it was received: what corrections and promotions have stated. Duplicates
-- are not looked for in here.
CREATE TABLE "other_contact" (
    "submission_id" UUID NOT NULL,
    -- The correction's; 0 for the promotion.
    "revision" INTEGER NOT NULL,
    -- Sealed: what the hashes are made from.
    "contact" BYTEA NOT NULL,
    "match_digest_key" TEXT NOT NULL,
    "telephone_hash" BYTEA,
    "email_hash" BYTEA,
    CONSTRAINT "other_contact_pkey" PRIMARY KEY ("submission_id", "revision"),
    CONSTRAINT "other_contact_revision_check" CHECK ("revision" >= 0),
    CONSTRAINT "other_contact_submission_id_fkey" FOREIGN KEY ("submission_id") REFERENCES "submission"("id")
        ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE INDEX "other_contact_telephone_idx" ON "other_contact"("telephone_hash") WHERE "telephone_hash" IS NOT NULL;
CREATE INDEX "other_contact_email_idx" ON "other_contact"("email_hash") WHERE "email_hash" IS NOT NULL;

-- What nobody may erase.
CREATE TABLE "legal_hold" (
    "submission_id" UUID NOT NULL,
    "held_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "legal_hold_pkey" PRIMARY KEY ("submission_id"),
    CONSTRAINT "legal_hold_submission_id_fkey" FOREIGN KEY ("submission_id") REFERENCES "submission"("id")
        ON DELETE RESTRICT ON UPDATE CASCADE
);

CREATE TABLE "erasure" (
    "id" UUID NOT NULL,
    "requested_at" TIMESTAMPTZ(3) NOT NULL,
    "requested_by" TEXT NOT NULL,
    "reason" SMALLINT NOT NULL,
    "purpose" TEXT NOT NULL,
    "request_id" TEXT NOT NULL,
    CONSTRAINT "erasure_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "erasure_reason_check" CHECK ("reason" BETWEEN 1 AND 2)
);

-- How far the erasure of each submission is, and what it has removed: its part of the certificate.
CREATE TABLE "erasure_submission" (
    "erasure_id" UUID NOT NULL,
    "submission_id" UUID NOT NULL,
    "step" SMALLINT NOT NULL DEFAULT 1,
    "removed" JSONB NOT NULL DEFAULT '[]',
    "completed_at" TIMESTAMPTZ(3),
    -- When the next attempt is due. An attempt puts it off while it lasts, so that it is made again if its process dies.
    "due_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    -- Counts attempts: only the latest may say what came of it.
    "claims" INTEGER NOT NULL DEFAULT 0,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "waiting_since" TIMESTAMPTZ(3),
    "waiting_for" TEXT,
    CONSTRAINT "erasure_submission_pkey" PRIMARY KEY ("erasure_id", "submission_id"),
    CONSTRAINT "erasure_submission_step_check" CHECK ("step" BETWEEN 1 AND 4),
    CONSTRAINT "erasure_submission_completed_check" CHECK (("step" = 4) = ("completed_at" IS NOT NULL)),
    CONSTRAINT "erasure_submission_waiting_check" CHECK (("waiting_since" IS NULL) = ("waiting_for" IS NULL)),
    CONSTRAINT "erasure_submission_erasure_id_fkey" FOREIGN KEY ("erasure_id") REFERENCES "erasure"("id")
        ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT "erasure_submission_submission_id_fkey" FOREIGN KEY ("submission_id") REFERENCES "submission"("id")
        ON DELETE RESTRICT ON UPDATE CASCADE
);
-- One at a time for a submission.
CREATE UNIQUE INDEX "erasure_submission_in_progress_key" ON "erasure_submission"("submission_id") WHERE "completed_at" IS NULL;
CREATE INDEX "erasure_submission_due_idx" ON "erasure_submission"("due_at") WHERE "completed_at" IS NULL;

-- The link of an erased submission has neither its token nor what it was found by.
ALTER TABLE "journey_link" ALTER COLUMN "token_digest" DROP NOT NULL;
