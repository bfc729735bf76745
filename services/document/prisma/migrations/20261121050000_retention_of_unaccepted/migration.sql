ALTER TABLE "document"
    -- True once the submission service has said that the submission was accepted; unknown before.
    ADD COLUMN "submission_accepted" BOOLEAN;
CREATE INDEX "document_unclear_retention_idx" ON "document"("finalized_at")
    WHERE "state" = 'finalized' AND "submission_accepted" IS NULL;
