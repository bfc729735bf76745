-- What the audit log held so far is taken over into audit_entry, and so is what the release before this one writes while
-- both run. The trigger comes first: making it waits for whoever writes, and what comes later is taken over by it.
CREATE FUNCTION "take_over_audit_line"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
BEGIN
    INSERT INTO audit_entry ("at", "actor", "issuer", "roles", "action", "target", "account_id", "after", "purpose", "request_id")
    SELECT NEW.at, NEW.actor, '', '{}'::text[], NEW.action, coalesce(NEW.details->>'eventId', NEW.details->>'submissionId', NEW.details->>'endpointId', ''), NEW.account_id, NEW.details, '', NEW.request_id;
    RETURN NULL;
END $$;
CREATE TRIGGER "audit_log_taken_over" AFTER INSERT ON "audit_log"
    FOR EACH ROW EXECUTE FUNCTION "take_over_audit_line"();

INSERT INTO "audit_entry" ("at", "actor", "issuer", "roles", "action", "target", "account_id", "after", "purpose", "request_id")
SELECT l.at, l.actor, '', '{}'::text[], l.action, coalesce(l.details->>'eventId', l.details->>'submissionId', l.details->>'endpointId', ''), l.account_id, l.details, '', l.request_id
  FROM audit_log l ORDER BY l.sequence;
