-- no transaction
CREATE INDEX CONCURRENTLY "endpoint_health_failing_idx" ON "endpoint_health"("endpoint_id") WHERE "failing_since" IS NOT NULL;
