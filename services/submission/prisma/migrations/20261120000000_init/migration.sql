CREATE TABLE "submission" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "environment" SMALLINT NOT NULL,
    "external_reference" TEXT NOT NULL,
    "level" SMALLINT NOT NULL,
    "status" SMALLINT NOT NULL,
    "awaits_staff" BOOLEAN NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL,
    "decided_at" TIMESTAMPTZ(3),
    "decision_policy" TEXT,
    "decision_rule" TEXT,
    "decision_reason" TEXT,
    "application_reference" TEXT,
    "application_created_at" TIMESTAMPTZ(3),
    "billing_model" SMALLINT NOT NULL,
    "billing_status" SMALLINT NOT NULL,
    "billable_at" TIMESTAMPTZ(3),
    "not_billable_reason" SMALLINT NOT NULL,
    "return_reason" SMALLINT,
    "returned_at" TIMESTAMPTZ(3),
    "changed_at" TIMESTAMPTZ(3) NOT NULL,
    "version" BIGINT NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 0,
    "body_digest" BYTEA,
    "terms" BYTEA NOT NULL,
    "enquiry" BYTEA,
    "company_hash" BYTEA,
    "telephone_hash" BYTEA,
    "email_hash" BYTEA,
    CONSTRAINT "submission_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "submission_environment_check" CHECK ("environment" BETWEEN 1 AND 2),
    CONSTRAINT "submission_level_check" CHECK ("level" BETWEEN 1 AND 2),
    CONSTRAINT "submission_status_check" CHECK ("status" BETWEEN 1 AND 5),
    CONSTRAINT "submission_decided_check" CHECK (("status" = 1) = ("decided_at" IS NULL)),
    CONSTRAINT "submission_returned_check" CHECK (("status" = 5) = ("returned_at" IS NOT NULL)),
    CONSTRAINT "submission_application_check"
        CHECK (("application_reference" IS NULL) = ("application_created_at" IS NULL)),
    CONSTRAINT "submission_billing_check" CHECK (
        ("billing_status" = 2) = ("billable_at" IS NOT NULL) AND ("billing_status" = 3) = ("not_billable_reason" <> 0)),
    CONSTRAINT "submission_sandbox_check" CHECK (("environment" = 1) = ("not_billable_reason" = 3))
);
CREATE UNIQUE INDEX "submission_account_id_environment_external_reference_key"
    ON "submission"("account_id", "environment", "external_reference");
-- Looking for duplicates: by each key, newest first.
CREATE INDEX "submission_company_hash_idx" ON "submission"("company_hash", "environment", "received_at")
    WHERE "company_hash" IS NOT NULL;
CREATE INDEX "submission_telephone_hash_idx" ON "submission"("telephone_hash", "environment", "received_at")
    WHERE "telephone_hash" IS NOT NULL;
CREATE INDEX "submission_email_hash_idx" ON "submission"("email_hash", "environment", "received_at")
    WHERE "email_hash" IS NOT NULL;
-- Counting what an account has had accepted.
CREATE INDEX "submission_accepted_idx" ON "submission"("account_id", "environment", "decided_at")
    WHERE "status" IN (2, 5);
-- Finding work that stands still.
CREATE INDEX "submission_undecided_idx" ON "submission"("received_at") WHERE "status" = 1 AND NOT "awaits_staff";
CREATE INDEX "submission_unbilled_idx" ON "submission"("changed_at") WHERE "billing_status" = 1 AND "status" IN (2, 3, 4);

CREATE TABLE "application" (
    "id" UUID NOT NULL,
    "submission_id" UUID NOT NULL,
    "reference" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "snapshot" BYTEA,
    "pre_underwriting" SMALLINT NOT NULL,
    "pre_underwriting_at" TIMESTAMPTZ(3),
    "pre_underwriting_policy" TEXT,
    "pre_underwriting_reasons" TEXT[],
    CONSTRAINT "application_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "application_pre_underwriting_check" CHECK ("pre_underwriting" BETWEEN 1 AND 3),
    CONSTRAINT "application_submission_id_fkey" FOREIGN KEY ("submission_id") REFERENCES "submission"("id")
        ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "application_submission_id_key" ON "application"("submission_id");
CREATE UNIQUE INDEX "application_reference_key" ON "application"("reference");
CREATE INDEX "application_pending_idx" ON "application"("created_at") WHERE "pre_underwriting" = 1;

CREATE TABLE "audit_log" (
    "id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "actor" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "subject" UUID NOT NULL,
    "request_id" TEXT NOT NULL,
    CONSTRAINT "audit_log_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "audit_log_subject_idx" ON "audit_log"("subject");
CREATE FUNCTION "refuse_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'rows of % are only ever added', TG_TABLE_NAME;
END $$;
CREATE TRIGGER "audit_log_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_log"
    FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();

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
