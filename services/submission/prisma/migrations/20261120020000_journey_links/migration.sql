-- Links into the customer journey. A row stays when its link is over, so that its page can say why it no longer works.
CREATE TABLE "journey_link" (
    "id" UUID NOT NULL,
    "submission_id" UUID NOT NULL,
    "kind" SMALLINT NOT NULL,
    "number" INTEGER NOT NULL,
    "token_digest" BYTEA NOT NULL,
    "token" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),
    CONSTRAINT "journey_link_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "journey_link_kind_check" CHECK ("kind" BETWEEN 1 AND 2),
    CONSTRAINT "journey_link_number_check" CHECK ("number" >= 1),
    CONSTRAINT "journey_link_token_digest_check" CHECK (octet_length("token_digest") = 32),
    CONSTRAINT "journey_link_expires_at_check" CHECK ("expires_at" > "created_at"),
    CONSTRAINT "journey_link_used_or_ended_check" CHECK ("used_at" IS NULL OR "ended_at" IS NULL),
    CONSTRAINT "journey_link_submission_id_fkey" FOREIGN KEY ("submission_id") REFERENCES "submission"("id")
        ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "journey_link_token_digest_key" ON "journey_link"("token_digest");
CREATE UNIQUE INDEX "journey_link_submission_id_kind_number_key" ON "journey_link"("submission_id", "kind", "number");
