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

CREATE TYPE "account_state" AS ENUM ('active', 'suspended');
CREATE TYPE "environment" AS ENUM ('sandbox', 'production');
CREATE TYPE "scope" AS ENUM ('create_basic', 'create_application', 'read', 'correct', 'promote');

-- Suppliers. The revision rises by one with every event of the account.
CREATE TABLE "account" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "state" "account_state" NOT NULL,
    "permitted_scopes" "scope"[] NOT NULL,
    "terms" JSONB NOT NULL,
    "writes_per_minute" INTEGER,
    "reads_per_minute" INTEGER,
    "revision" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "account_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "account_writes_per_minute_check" CHECK ("writes_per_minute" > 0),
    CONSTRAINT "account_reads_per_minute_check" CHECK ("reads_per_minute" > 0),
    CONSTRAINT "account_revision_check" CHECK ("revision" > 0)
);

-- Keys of accounts. Of the secret there is only a SHA-256.
CREATE TABLE "credential" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "environment" "environment" NOT NULL,
    "public_id" TEXT NOT NULL,
    "secret_hash" BYTEA NOT NULL,
    "scopes" "scope"[] NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    CONSTRAINT "credential_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "credential_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id")
        ON DELETE RESTRICT ON UPDATE RESTRICT,
    CONSTRAINT "credential_public_id_check" CHECK (length("public_id") = 16),
    CONSTRAINT "credential_secret_hash_check" CHECK (octet_length("secret_hash") = 32)
);
CREATE UNIQUE INDEX "credential_public_id_key" ON "credential"("public_id");
CREATE INDEX "credential_account_id_created_at_idx" ON "credential"("account_id", "created_at");

-- A credential that has ended never comes back to life.
CREATE FUNCTION "refuse_revival"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a revoked credential stays revoked' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER "credential_stays_revoked" BEFORE UPDATE OF "revoked_at" ON "credential" FOR EACH ROW
    WHEN (OLD."revoked_at" IS NOT NULL AND NEW."revoked_at" IS DISTINCT FROM OLD."revoked_at")
    EXECUTE FUNCTION "refuse_revival"();

-- Who did what, when, and because of which request.
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
