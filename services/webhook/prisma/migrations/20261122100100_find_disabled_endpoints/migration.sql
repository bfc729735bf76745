-- no transaction
CREATE INDEX CONCURRENTLY "endpoint_disabled_idx" ON "endpoint"("id") WHERE NOT "enabled";
