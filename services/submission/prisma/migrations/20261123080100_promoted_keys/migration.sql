-- By what later submissions are recognised as the customer of a promotion, besides what its submission was received with.
CREATE TABLE "promoted_keys" (
    "submission_id" UUID NOT NULL,
    -- Of its submission: with the time, what the indexes are probed by.
    "environment" SMALLINT NOT NULL,
    "promoted_at" TIMESTAMPTZ(3) NOT NULL,
    -- Sealed: what the hashes are made from.
    "stated" BYTEA NOT NULL,
    "match_digest_key" TEXT NOT NULL,
    "match_rule" TEXT NOT NULL,
    "company_hash" BYTEA,
    "telephone_hash" BYTEA,
    "email_hash" BYTEA,
    CONSTRAINT "promoted_keys_pkey" PRIMARY KEY ("submission_id"),
    CONSTRAINT "promoted_keys_submission_id_fkey" FOREIGN KEY ("submission_id") REFERENCES "submission"("id")
        ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE INDEX "promoted_keys_company_idx" ON "promoted_keys"("company_hash", "environment", "promoted_at")
    WHERE "company_hash" IS NOT NULL;
CREATE INDEX "promoted_keys_telephone_idx" ON "promoted_keys"("telephone_hash", "environment", "promoted_at")
    WHERE "telephone_hash" IS NOT NULL;
CREATE INDEX "promoted_keys_email_idx" ON "promoted_keys"("email_hash", "environment", "promoted_at")
    WHERE "email_hash" IS NOT NULL;
