-- no transaction
-- Lists submissions whose billing is pending, in order of receipt.
CREATE INDEX CONCURRENTLY submission_pending_billing_idx ON submission (id) WHERE billing_status = 1 AND (status = ANY (ARRAY[2, 3, 4]));
