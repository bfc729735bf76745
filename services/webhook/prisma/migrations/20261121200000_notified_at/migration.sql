-- "notified_at" replaces "told_at": when operators were notified that an endpoint is failing.
-- Expand: both columns exist, so that the version before can run beside this one and after a rollback. Each version
-- writes its own column, and a trigger copies it to the other.
-- Contract, in a migration of the next release, when no process of the version before is left:
--     DROP TRIGGER "endpoint_health_told_at" ON "endpoint_health";
--     DROP FUNCTION "copy_told_at"();
--     ALTER TABLE "endpoint_health" DROP COLUMN "told_at";
-- With the column go "endpoint_health_told_while_failing" and "endpoint_health_untold_idx".
ALTER TABLE "endpoint_health" ADD COLUMN "notified_at" TIMESTAMPTZ(3);
UPDATE "endpoint_health" SET "notified_at" = "told_at" WHERE "told_at" IS NOT NULL;

CREATE FUNCTION "copy_told_at"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        NEW."notified_at" := COALESCE(NEW."notified_at", NEW."told_at");
        NEW."told_at" := NEW."notified_at";
    ELSIF NEW."told_at" IS DISTINCT FROM OLD."told_at" THEN
        NEW."notified_at" := NEW."told_at";
    ELSE
        NEW."told_at" := NEW."notified_at";
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER "endpoint_health_told_at" BEFORE INSERT OR UPDATE ON "endpoint_health"
    FOR EACH ROW EXECUTE FUNCTION "copy_told_at"();

ALTER TABLE "endpoint_health" ADD CONSTRAINT "endpoint_health_notified_while_failing" CHECK ("notified_at" IS NULL OR "failing_since" IS NOT NULL);
CREATE INDEX "endpoint_health_unnotified_idx" ON "endpoint_health"("failing_since") WHERE "failing_since" IS NOT NULL AND "notified_at" IS NULL;
