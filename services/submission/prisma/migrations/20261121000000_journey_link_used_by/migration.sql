-- The call that used a link up, so that the same call, made again after its answer was lost, gets the same answer.
ALTER TABLE "journey_link"
    ADD COLUMN "used_by" UUID,
    ADD CONSTRAINT "journey_link_used_by_check" CHECK ("used_by" IS NULL OR "used_at" IS NOT NULL) NOT VALID;
ALTER TABLE "journey_link" VALIDATE CONSTRAINT "journey_link_used_by_check";
