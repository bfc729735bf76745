-- no transaction
CREATE INDEX CONCURRENTLY "ledger_entry_statement_idx" ON "ledger_entry"(
    "account_id", (COALESCE("statement_month", date_trunc('month', "occurred_at" AT TIME ZONE 'UTC')::date)), "occurred_at", "id");
