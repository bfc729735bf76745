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
CREATE TYPE "billing_model" AS ENUM ('accepted_submission', 'application_created', 'pre_underwriting_cleared');
CREATE TYPE "billing_status" AS ENUM ('pending', 'billable', 'not_billable');
CREATE TYPE "not_billable_reason" AS ENUM ('duplicate', 'rejected', 'sandbox', 'returned');
CREATE TYPE "entry_kind" AS ENUM ('charge', 'credit');

-- The billing state of every submission that billing has heard of.
CREATE TABLE "lead" (
    "submission_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "environment" "environment" NOT NULL,
    "billing_model" "billing_model" NOT NULL,
    "billing_status" "billing_status" NOT NULL,
    "billable_at" TIMESTAMPTZ(3),
    "not_billable_reason" "not_billable_reason",
    -- Version of the newest event of the submission that has been heard here.
    "heard_version" BIGINT NOT NULL,
    -- Version of the last event that billing itself has told of this lead; 0 before the first.
    "version" BIGINT NOT NULL,
    CONSTRAINT "lead_pkey" PRIMARY KEY ("submission_id"),
    CONSTRAINT "lead_billable_at_check" CHECK (("billing_status" = 'billable') = ("billable_at" IS NOT NULL)),
    CONSTRAINT "lead_not_billable_reason_check"
        CHECK (("billing_status" = 'not_billable') = ("not_billable_reason" IS NOT NULL)),
    CONSTRAINT "lead_sandbox_check"
        CHECK (("environment" = 'sandbox') = ("not_billable_reason" IS NOT DISTINCT FROM 'sandbox'))
);

-- What is charged and credited. At most one charge and one credit for a lead.
CREATE TABLE "ledger_entry" (
    "id" UUID NOT NULL,
    "submission_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "kind" "entry_kind" NOT NULL,
    "billing_model" "billing_model" NOT NULL,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL,
    "event_id" UUID NOT NULL,
    "entered_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "ledger_entry_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "ledger_entry_submission_id_fkey" FOREIGN KEY ("submission_id") REFERENCES "lead"("submission_id")
        ON DELETE RESTRICT ON UPDATE RESTRICT
);
CREATE UNIQUE INDEX "ledger_entry_submission_id_kind_key" ON "ledger_entry"("submission_id", "kind");
CREATE INDEX "ledger_entry_account_id_occurred_at_idx" ON "ledger_entry"("account_id", "occurred_at");

CREATE FUNCTION "refuse_rewriting"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'lines of % are only ever added', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER "ledger_entry_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "ledger_entry"
    FOR EACH STATEMENT EXECUTE FUNCTION "refuse_rewriting"();
