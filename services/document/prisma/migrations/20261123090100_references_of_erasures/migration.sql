-- The references of what the release before has erased until its statements were completed.
INSERT INTO "erased_reference" ("account_id", "environment", "external_reference", "erased_at")
SELECT d."account_id", d."environment", d."external_reference", min(e."at")
  FROM "audit_entry" e JOIN "document" d ON d."id"::text = e."target"
 WHERE e."action" = 'EraseDocuments' AND d."state" = 'deleted'
 GROUP BY 1, 2, 3
ON CONFLICT DO NOTHING;
