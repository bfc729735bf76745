-- The one-time code that a used link forwards to the journey application, by its digest.
ALTER TABLE "journey_link"
    ADD COLUMN "code_digest" BYTEA,
    ADD COLUMN "code_expires_at" TIMESTAMPTZ(3),
    ADD COLUMN "code_used_at" TIMESTAMPTZ(3),
    ADD CONSTRAINT "journey_link_code_digest_check" CHECK ("code_digest" IS NULL OR octet_length("code_digest") = 32) NOT VALID,
    ADD CONSTRAINT "journey_link_code_check"
        CHECK (("code_digest" IS NULL) = ("code_expires_at" IS NULL) AND ("code_digest" IS NULL OR "used_at" IS NOT NULL)) NOT VALID,
    ADD CONSTRAINT "journey_link_code_used_at_check" CHECK ("code_used_at" IS NULL OR "code_digest" IS NOT NULL) NOT VALID;
ALTER TABLE "journey_link" VALIDATE CONSTRAINT "journey_link_code_digest_check";
ALTER TABLE "journey_link" VALIDATE CONSTRAINT "journey_link_code_check";
ALTER TABLE "journey_link" VALIDATE CONSTRAINT "journey_link_code_used_at_check";
CREATE UNIQUE INDEX "journey_link_code_digest_key" ON "journey_link"("code_digest");
