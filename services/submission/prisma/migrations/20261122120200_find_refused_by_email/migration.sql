-- no transaction
CREATE INDEX CONCURRENTLY "submission_refused_email_idx" ON "submission"("email_hash")
    WHERE "email_hash" IS NOT NULL AND "status" IN (3, 4);
