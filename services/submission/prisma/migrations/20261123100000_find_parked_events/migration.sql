-- no transaction
CREATE INDEX CONCURRENTLY "outbox_parked_idx" ON "outbox"("seq") WHERE "parked_at" IS NOT NULL;
