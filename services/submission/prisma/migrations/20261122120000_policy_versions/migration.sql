-- The rules by which leads are decided and pre-underwritten, version by version, and which version was put in force when
-- and by whom. Rows are only ever added: a stored version never changes, and the latest activation of a kind counts.
-- Kinds are the numbers of supplier.submission.v1.PolicyKind.
CREATE TABLE "policy_version" (
    "sequence" BIGSERIAL NOT NULL,
    "kind" SMALLINT NOT NULL,
    "version" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    "sha256" TEXT NOT NULL,
    "author" TEXT NOT NULL,
    "issuer" TEXT NOT NULL,
    "note" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "policy_version_pkey" PRIMARY KEY ("kind", "version")
);
CREATE UNIQUE INDEX "policy_version_sequence_key" ON "policy_version"("sequence");

CREATE TABLE "policy_activation" (
    "sequence" BIGSERIAL NOT NULL,
    "kind" SMALLINT NOT NULL,
    "version" TEXT NOT NULL,
    "activated_at" TIMESTAMPTZ(3) NOT NULL,
    "actor" TEXT NOT NULL,
    "issuer" TEXT NOT NULL,
    CONSTRAINT "policy_activation_pkey" PRIMARY KEY ("kind", "sequence"),
    CONSTRAINT "policy_activation_version_fkey" FOREIGN KEY ("kind", "version")
        REFERENCES "policy_version"("kind", "version") ON DELETE RESTRICT ON UPDATE RESTRICT
);
CREATE INDEX "policy_activation_version_idx" ON "policy_activation"("kind", "version", "sequence");

CREATE TRIGGER "policy_version_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "policy_version"
    FOR EACH STATEMENT EXECUTE FUNCTION "refuse_audit_change"();
CREATE TRIGGER "policy_activation_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "policy_activation"
    FOR EACH STATEMENT EXECUTE FUNCTION "refuse_audit_change"();
