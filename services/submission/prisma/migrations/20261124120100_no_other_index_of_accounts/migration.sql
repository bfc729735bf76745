-- no transaction
DROP INDEX CONCURRENTLY submission_account_idx;
