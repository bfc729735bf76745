-- The release before erases beside this one for a while, and keeps no erased references. Of the documents that it erases
-- their references are kept by this: at the commit, when the audit log says whether they were erased or only deleted. To be
-- dropped by the release after this one.
-- With the rights of the tables' owner: those of the release before do not reach as far.
CREATE FUNCTION "keep_erased_reference"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
BEGIN
    INSERT INTO erased_reference (account_id, environment, external_reference, erased_at)
    SELECT NEW.account_id, NEW.environment, NEW.external_reference, NEW.deleted_at
     WHERE EXISTS (SELECT FROM audit_entry WHERE target = NEW.id::text AND action = 'EraseDocuments')
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER "document_erased_reference" AFTER UPDATE OF "state" ON "document"
    DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW."state" = 'deleted' AND OLD."state" <> 'deleted') EXECUTE FUNCTION "keep_erased_reference"();
