-- no transaction
CREATE INDEX CONCURRENTLY "document_abandoned_idx" ON "document"("deleted_at") WHERE "state" = 'deleted' AND "finalized_at" IS NULL;
