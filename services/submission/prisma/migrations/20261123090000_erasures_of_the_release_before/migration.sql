-- The release before erases beside this one for a while, and knows nothing of what this one keeps and removes besides: what
-- people wrote, and the match keys of a promotion. They go with the submission, whoever erases it. To be dropped by the
-- release after this one.
CREATE FUNCTION "erase_own_words"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW."request_id" := NULL;
    NEW."decision_reason" := NULL;
    RETURN NEW;
END $$;
CREATE TRIGGER "submission_erase_own_words" BEFORE UPDATE OF "erased_at" ON "submission"
    FOR EACH ROW WHEN (NEW."erased_at" IS NOT NULL) EXECUTE FUNCTION "erase_own_words"();

-- With the rights of the tables' owner: those of the release before do not reach as far.
CREATE FUNCTION "erase_along"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
BEGIN
    DELETE FROM promoted_keys WHERE submission_id = NEW.id;
    UPDATE application SET close_reason = NULL WHERE submission_id = NEW.id AND close_reason IS NOT NULL;
    RETURN NULL;
END $$;
CREATE TRIGGER "submission_erase_along" AFTER UPDATE OF "erased_at" ON "submission"
    FOR EACH ROW WHEN (NEW."erased_at" IS NOT NULL) EXECUTE FUNCTION "erase_along"();
