-- no transaction
-- Billing is no longer compared with a service. The columns stay for the previous release, and go with the next one.
DROP INDEX CONCURRENTLY submission_unbilled_idx;
