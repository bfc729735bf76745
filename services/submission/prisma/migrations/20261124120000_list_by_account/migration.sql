-- no transaction
-- Lists the submissions of an account. Only for statements that say level > 0, which is always so: without statistics the
-- planner takes an index of accounts for as good as the one of references, and reads all of an account to find one.
CREATE INDEX CONCURRENTLY submission_of_account_idx ON submission (account_id, environment, id) WHERE level > 0;
