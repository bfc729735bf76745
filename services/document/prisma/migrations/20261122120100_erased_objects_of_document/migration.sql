-- no transaction
CREATE INDEX CONCURRENTLY "object_removal_document_idx" ON "object_removal"("document_id") WHERE "document_id" IS NOT NULL;
