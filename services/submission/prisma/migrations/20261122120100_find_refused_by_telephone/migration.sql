-- no transaction
CREATE INDEX CONCURRENTLY "submission_refused_telephone_idx" ON "submission"("telephone_hash")
    WHERE "telephone_hash" IS NOT NULL AND "status" IN (3, 4);
