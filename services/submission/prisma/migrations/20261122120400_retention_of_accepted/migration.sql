-- no transaction
CREATE INDEX CONCURRENTLY "submission_accepted_retention_idx" ON "submission"("decided_at", "id")
    WHERE "erased_at" IS NULL AND "status" IN (2, 5);
