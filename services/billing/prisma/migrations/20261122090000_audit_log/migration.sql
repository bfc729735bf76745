-- Who did what, when, and because of which request. Lines are only ever added.
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
CREATE TRIGGER "audit_log_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_log"
    FOR EACH STATEMENT EXECUTE FUNCTION "refuse_rewriting"();
