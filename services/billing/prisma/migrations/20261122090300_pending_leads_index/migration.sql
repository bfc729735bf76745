-- no transaction
CREATE INDEX CONCURRENTLY "lead_pending_idx" ON "lead"("submission_id", "account_id") WHERE "billing_status" = 'pending';
