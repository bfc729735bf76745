-- no transaction
-- Finds submissions that the previous release decided and left to the billing service; nothing else is in it.
CREATE INDEX CONCURRENTLY submission_unsettled_billing_idx ON submission (work_due_at, id)
  WHERE billing_status = 1 AND (status IN (3, 4) OR status = 2 AND (billing_model = 1 OR application_reference IS NOT NULL))
    AND work_parked_at IS NULL;
