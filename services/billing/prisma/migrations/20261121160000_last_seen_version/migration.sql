-- Expand: "last_seen_version" takes over from "heard_version". While a version that knows only the old column runs beside
-- one that knows only the new one, a trigger keeps both at the greater of the two. No row is rewritten here: 0 in a row
-- that has not been written since means that the old column has the value, and the row's next write brings it over.
--
-- Contract, in a later release, once no process of a version before this one runs:
--   UPDATE "lead" SET "last_seen_version" = "heard_version" WHERE "last_seen_version" < "heard_version"; (in batches)
--   DROP TRIGGER "lead_last_seen_version" ON "lead";
--   DROP FUNCTION "keep_last_seen_version"();
--   ALTER TABLE "lead" DROP COLUMN "heard_version", ALTER COLUMN "last_seen_version" DROP DEFAULT;
ALTER TABLE "lead" ADD COLUMN "last_seen_version" BIGINT NOT NULL DEFAULT 0;

CREATE FUNCTION "keep_last_seen_version"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW."last_seen_version" := GREATEST(NEW."last_seen_version", NEW."heard_version");
    NEW."heard_version" := NEW."last_seen_version";
    RETURN NEW;
END $$;
CREATE TRIGGER "lead_last_seen_version" BEFORE INSERT OR UPDATE ON "lead"
    FOR EACH ROW WHEN (NEW."heard_version" IS DISTINCT FROM NEW."last_seen_version")
    EXECUTE FUNCTION "keep_last_seen_version"();
