-- The submission service decides what is billable, and this one keeps the ledger: a line needs no row in lead. The previous
-- release still writes that table while both run; the next release drops it, with the types that only it uses.
ALTER TABLE ledger_entry DROP CONSTRAINT ledger_entry_submission_id_fkey;
