-- no transaction
CREATE INDEX CONCURRENTLY "submission_account_idx" ON "submission"("account_id", "environment", "id");
