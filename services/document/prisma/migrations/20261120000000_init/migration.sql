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
CREATE TYPE "document_category" AS ENUM ('bank_statements', 'accounts', 'id');
CREATE TYPE "document_state" AS ENUM ('awaiting_upload', 'finalized', 'deleted');
CREATE TYPE "scan_status" AS ENUM ('pending_scan', 'clean', 'infected', 'scan_failed');

-- Files that customers gave to suppliers. The name of a file may name a person, so it is sealed; the key of the stored
-- object is random and says nothing.
CREATE TABLE "document" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "environment" "environment" NOT NULL,
    "external_reference" TEXT NOT NULL,
    "category" "document_category" NOT NULL,
    "filename" BYTEA NOT NULL,
    "content_type" TEXT NOT NULL,
    "byte_size" BIGINT NOT NULL,
    "object_key" TEXT NOT NULL,
    "state" "document_state" NOT NULL,
    -- Unknown until the upload is finalized.
    "scan_status" "scan_status",
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "finalized_at" TIMESTAMPTZ(3),
    "submission_id" UUID,
    CONSTRAINT "document_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "document_byte_size_check" CHECK ("byte_size" > 0),
    CONSTRAINT "document_finalized_check"
        CHECK ("state" <> 'finalized' OR num_nulls("finalized_at", "submission_id", "scan_status") = 0),
    CONSTRAINT "document_awaiting_upload_check"
        CHECK ("state" <> 'awaiting_upload' OR num_nonnulls("finalized_at", "submission_id", "scan_status") = 0)
);
CREATE UNIQUE INDEX "document_object_key_key" ON "document"("object_key");
-- The documents of one reference are counted before another is admitted.
CREATE INDEX "document_reference_idx" ON "document"("account_id", "environment", "external_reference");
-- Uploads that never came are found by their age.
CREATE INDEX "document_awaiting_upload_idx" ON "document"("created_at") WHERE "state" = 'awaiting_upload';
