-- Expand: thresholds and caps that hold for an account from a time on. Readers work out what holds; what has come into
-- effect is taken over into the account's row soon after, and stays here as its history.
CREATE TABLE "scheduled_terms" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "effective_from" TIMESTAMPTZ(3) NOT NULL,
    "thresholds" JSONB NOT NULL,
    "caps" JSONB NOT NULL,
    "purpose" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "applied_at" TIMESTAMPTZ(3),
    "cancelled_at" TIMESTAMPTZ(3),
    CONSTRAINT "scheduled_terms_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "scheduled_terms_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE RESTRICT,
    CONSTRAINT "scheduled_terms_ended_once" CHECK ("applied_at" IS NULL OR "cancelled_at" IS NULL)
);
CREATE INDEX "scheduled_terms_account_id_idx" ON "scheduled_terms"("account_id", "id");
-- Of one account and time at most one waits; what of an account is due and what comes next is found by it, too.
CREATE UNIQUE INDEX "scheduled_terms_waiting_key" ON "scheduled_terms"("account_id", "effective_from")
    WHERE "applied_at" IS NULL AND "cancelled_at" IS NULL;
CREATE INDEX "scheduled_terms_due_idx" ON "scheduled_terms"("effective_from")
    WHERE "applied_at" IS NULL AND "cancelled_at" IS NULL;
