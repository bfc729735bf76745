-- What the audit log held so far is taken over into audit_entry, and so is what the release before this one writes while
-- both run. The trigger comes first: making it waits for whoever writes, and what comes later is taken over by it.
CREATE FUNCTION "take_over_audit_line"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
BEGIN
    INSERT INTO audit_entry ("at", "actor", "issuer", "roles", "action", "target", "account_id", "after", "purpose", "request_id")
    SELECT NEW.at, NEW.actor, '', '{}'::text[], NEW.action, NEW.subject::text, s.account_id, NULL::jsonb, '', NEW.request_id
      FROM (SELECT NEW.subject) AS line LEFT JOIN submission s ON s.id = line.subject;
    RETURN NULL;
END $$;
CREATE TRIGGER "audit_log_taken_over" AFTER INSERT ON "audit_log"
    FOR EACH ROW EXECUTE FUNCTION "take_over_audit_line"();

INSERT INTO "audit_entry" ("at", "actor", "issuer", "roles", "action", "target", "account_id", "after", "purpose", "request_id")
SELECT l.at, l.actor, '', '{}'::text[], l.action, l.subject::text, s.account_id, NULL::jsonb, '', l.request_id
  FROM audit_log l LEFT JOIN submission s ON s.id = l.subject ORDER BY l.at, l.id;
