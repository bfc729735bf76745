-- How an endpoint has been doing since its last success. Apart from the endpoint, which staff change: this row changes
-- with attempts.
CREATE TABLE "endpoint_health" (
    "endpoint_id" UUID NOT NULL,
    "failing_since" TIMESTAMPTZ(3),
    "failed_attempts" BIGINT NOT NULL DEFAULT 0,
    -- When EndpointFailing was told, so that it is told once.
    "told_at" TIMESTAMPTZ(3),
    CONSTRAINT "endpoint_health_pkey" PRIMARY KEY ("endpoint_id"),
    CONSTRAINT "endpoint_health_endpoint_id_fkey" FOREIGN KEY ("endpoint_id") REFERENCES "endpoint"("id") ON DELETE RESTRICT ON UPDATE RESTRICT,
    CONSTRAINT "endpoint_health_failing_counts" CHECK (("failing_since" IS NULL) = ("failed_attempts" = 0)),
    CONSTRAINT "endpoint_health_told_while_failing" CHECK ("told_at" IS NULL OR "failing_since" IS NOT NULL)
);
CREATE INDEX "endpoint_health_untold_idx" ON "endpoint_health"("failing_since") WHERE "failing_since" IS NOT NULL AND "told_at" IS NULL;

-- The event that stands in for this one since staff had it redelivered.
ALTER TABLE "event" ADD COLUMN "redelivered_as" UUID,
    ADD CONSTRAINT "event_redelivered_undelivered" CHECK ("redelivered_as" IS NULL OR "state" IN ('exhausted', 'expired'));

-- The endpoint's events as staff list them.
CREATE INDEX "event_endpoint_id_recorded_at_idx" ON "event"("endpoint_id", "recorded_at", "id");
-- What can still be redelivered.
CREATE INDEX "event_undelivered_idx" ON "event"("endpoint_id", "settled_at") WHERE "state" IN ('exhausted', 'expired') AND "redelivered_as" IS NULL;
-- What retention deletes.
CREATE INDEX "event_settled_at_idx" ON "event"("settled_at") WHERE "settled_at" IS NOT NULL;
