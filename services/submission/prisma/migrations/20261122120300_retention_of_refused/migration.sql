-- no transaction
CREATE INDEX CONCURRENTLY "submission_refused_retention_idx" ON "submission"("decided_at", "id")
    WHERE "erased_at" IS NULL AND "status" IN (3, 4);
