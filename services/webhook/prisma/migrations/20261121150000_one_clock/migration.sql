-- The attempt under way is part of its event. Its row is written when it has ended, once, instead of being made and then
-- changed; the number is spent before it begins all the same, by the count on the event.
ALTER TABLE "event" ADD COLUMN "attempt_started_at" TIMESTAMPTZ(3),
    ADD COLUMN "attempt_key_fingerprint" TEXT;

-- Whose turn a task is that one replica does for all, and how far it has come.
CREATE TABLE "task_turn" (
    "task" TEXT NOT NULL,
    "next_at" TIMESTAMPTZ(3) NOT NULL,
    "done_until" TIMESTAMPTZ(3),
    CONSTRAINT "task_turn_pkey" PRIMARY KEY ("task")
);

-- Submissions that reconciliation has had restated, so that it does not do so again and again.
CREATE TABLE "restatement" (
    "submission_id" UUID NOT NULL,
    "restated_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "restatement_pkey" PRIMARY KEY ("submission_id")
);
CREATE INDEX "restatement_restated_at_idx" ON "restatement"("restated_at");
