-- Events wait here, written in the transaction of the change they tell of, until the relay has published them.
-- Published rows stay for the retention time, so that a lost stream can be refilled.
CREATE TABLE "outbox" (
    "seq" BIGSERIAL NOT NULL,
    "event_id" UUID NOT NULL,
    "aggregate_id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "envelope" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "published_at" TIMESTAMPTZ(3),
    "generation" INTEGER NOT NULL DEFAULT 0,
    "stream_seq" BIGINT,
    CONSTRAINT "outbox_pkey" PRIMARY KEY ("seq")
);
CREATE UNIQUE INDEX "outbox_event_id_key" ON "outbox"("event_id");
CREATE INDEX "outbox_aggregate_id_idx" ON "outbox"("aggregate_id");
CREATE INDEX "outbox_created_at_idx" ON "outbox"("created_at");
CREATE INDEX "outbox_unpublished_idx" ON "outbox"("seq") WHERE "published_at" IS NULL;

CREATE FUNCTION "notify_outbox"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('outbox', '');
    RETURN NULL;
END $$;
CREATE TRIGGER "outbox_notify" AFTER INSERT ON "outbox" FOR EACH STATEMENT EXECUTE FUNCTION "notify_outbox"();

-- What the relay last knew of its stream: a stream with another birth, or one that has become shorter, lost events.
CREATE TABLE "outbox_stream" (
    "stream" TEXT NOT NULL,
    "born" TEXT NOT NULL,
    "last_seq" BIGINT NOT NULL,
    CONSTRAINT "outbox_stream_pkey" PRIMARY KEY ("stream")
);

-- Events that a consumer has applied, written in the transaction of their effect. Kept longer than any outbox.
CREATE TABLE "inbox" (
    "consumer" TEXT NOT NULL,
    "event_id" UUID NOT NULL,
    "applied_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "inbox_pkey" PRIMARY KEY ("consumer", "event_id")
);
CREATE INDEX "inbox_applied_at_idx" ON "inbox"("applied_at");

CREATE TYPE "environment" AS ENUM ('sandbox', 'production');
CREATE TYPE "event_change" AS ENUM ('decided', 'billing_decided', 'returned', 'handoff_available', 'test', 'redelivery');
CREATE TYPE "event_state" AS ENUM ('pending', 'delivered', 'exhausted', 'superseded', 'expired', 'dropped');
CREATE TYPE "attempt_error" AS ENUM ('status', 'timeout', 'dns', 'connect', 'tls', 'address_refused', 'reset', 'interrupted');

CREATE TABLE "endpoint" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "environment" "environment" NOT NULL,
    "url" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL,
    "sealed_secret" BYTEA NOT NULL,
    "key_fingerprint" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "endpoint_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "endpoint_url_bounded" CHECK (char_length("url") BETWEEN 1 AND 2048),
    CONSTRAINT "endpoint_key_fingerprint_form" CHECK ("key_fingerprint" ~ '^[0-9a-f]{8}$')
);
CREATE UNIQUE INDEX "endpoint_account_id_environment_key" ON "endpoint"("account_id", "environment");

CREATE TABLE "endpoint_activity" (
    "endpoint_id" UUID NOT NULL,
    "active_from" TIMESTAMPTZ(3) NOT NULL,
    "active_until" TIMESTAMPTZ(3),
    CONSTRAINT "endpoint_activity_pkey" PRIMARY KEY ("endpoint_id", "active_from"),
    CONSTRAINT "endpoint_activity_endpoint_id_fkey" FOREIGN KEY ("endpoint_id") REFERENCES "endpoint"("id") ON DELETE RESTRICT ON UPDATE RESTRICT,
    CONSTRAINT "endpoint_activity_forward" CHECK ("active_until" >= "active_from")
);
CREATE UNIQUE INDEX "endpoint_activity_one_open" ON "endpoint_activity"("endpoint_id") WHERE "active_until" IS NULL;

CREATE TABLE "event" (
    "id" UUID NOT NULL,
    "submission_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "environment" "environment" NOT NULL,
    "endpoint_id" UUID,
    "change" "event_change" NOT NULL,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL,
    "recorded_at" TIMESTAMPTZ(3) NOT NULL,
    "sealed_body" BYTEA,
    "state" "event_state" NOT NULL,
    "superseded_by" UUID,
    "attempt_count" SMALLINT NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3),
    "lease_until" TIMESTAMPTZ(3),
    "settled_at" TIMESTAMPTZ(3),
    CONSTRAINT "event_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "event_endpoint_id_fkey" FOREIGN KEY ("endpoint_id") REFERENCES "endpoint"("id") ON DELETE RESTRICT ON UPDATE RESTRICT,
    CONSTRAINT "event_whole_unless_dropped" CHECK ("state" = 'dropped' OR ("endpoint_id" IS NOT NULL AND "sealed_body" IS NOT NULL)),
    CONSTRAINT "event_superseded_by_one" CHECK (("state" = 'superseded') = ("superseded_by" IS NOT NULL)),
    -- Changes are merged only while nothing has been attempted.
    CONSTRAINT "event_superseded_unattempted" CHECK ("state" <> 'superseded' OR "attempt_count" = 0),
    CONSTRAINT "event_attempts_bounded" CHECK ("attempt_count" BETWEEN 0 AND 8),
    -- A pending event either waits for its next attempt or is leased for one; every other is at rest.
    CONSTRAINT "event_waits_or_is_leased" CHECK (num_nonnulls("next_attempt_at", "lease_until") = CASE WHEN "state" = 'pending' THEN 1 ELSE 0 END),
    CONSTRAINT "event_settled_once" CHECK (("state" = 'pending') = ("settled_at" IS NULL))
);
CREATE INDEX "event_submission_id_occurred_at_idx" ON "event"("submission_id", "occurred_at");
-- What is due, per endpoint: a claim never reads past another endpoint's backlog.
CREATE INDEX "event_due_idx" ON "event"("endpoint_id", "next_attempt_at") WHERE "next_attempt_at" IS NOT NULL;
CREATE INDEX "event_leased_idx" ON "event"("lease_until") WHERE "lease_until" IS NOT NULL;

CREATE TABLE "attempt" (
    "event_id" UUID NOT NULL,
    "number" SMALLINT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "key_fingerprint" TEXT NOT NULL,
    "status_code" SMALLINT,
    "error_class" "attempt_error",
    "dns_ms" REAL,
    "connect_ms" REAL,
    "tls_ms" REAL,
    "status_ms" REAL,
    "resolved_ip" INET,
    "tls_version" TEXT,
    "sealed_answer_head" BYTEA,
    CONSTRAINT "attempt_pkey" PRIMARY KEY ("event_id", "number"),
    CONSTRAINT "attempt_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "event"("id") ON DELETE CASCADE ON UPDATE RESTRICT,
    CONSTRAINT "attempt_number_bounded" CHECK ("number" BETWEEN 1 AND 8),
    CONSTRAINT "attempt_open_has_no_outcome" CHECK ("ended_at" IS NOT NULL OR num_nonnulls("status_code", "error_class") = 0),
    CONSTRAINT "attempt_ended_has_outcome" CHECK ("ended_at" IS NULL OR num_nonnulls("status_code", "error_class") > 0),
    CONSTRAINT "attempt_answer_head_bounded" CHECK (octet_length("sealed_answer_head") <= 1280)
);

CREATE TABLE "audit_log" (
    "sequence" BIGSERIAL NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "actor" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "account_id" UUID NOT NULL,
    "details" JSONB NOT NULL,
    "request_id" TEXT NOT NULL,
    CONSTRAINT "audit_log_pkey" PRIMARY KEY ("sequence")
);
CREATE INDEX "audit_log_account_id_sequence_idx" ON "audit_log"("account_id", "sequence");

CREATE FUNCTION "refuse_rewriting"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'lines of % are only ever added', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER "audit_log_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_log"
    FOR EACH STATEMENT EXECUTE FUNCTION "refuse_rewriting"();
