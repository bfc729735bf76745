-- no transaction
CREATE INDEX CONCURRENTLY "document_waiting_idx" ON "document"("finalized_at", "id")
    WHERE "state" = 'finalized' AND "scan_status" = 'pending_scan';
