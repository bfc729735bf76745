-- no transaction
DROP INDEX CONCURRENTLY "ledger_entry_account_id_occurred_at_idx";
