-- Expand only: the version before leaves the columns out, and does not read the table.
-- Since when the body has no link any more, or is gone: the person was erased.
ALTER TABLE "event" ADD COLUMN "body_erased_at" TIMESTAMPTZ(3);
-- Since when the answer is not kept, not even one that comes in late.
ALTER TABLE "attempt" ADD COLUMN "answer_erased_at" TIMESTAMPTZ(3);
-- Submissions whose person was erased: no body of theirs gets a link any more, and no answer is kept.
CREATE TABLE "erased_submission" (
    "submission_id" UUID NOT NULL,
    "erased_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "erased_submission_pkey" PRIMARY KEY ("submission_id")
);
