ALTER TABLE "document"
    -- Scans since the last result that were begun and not known to have failed for a reason outside the document.
    ADD COLUMN "scan_tries" INTEGER NOT NULL DEFAULT 0,
    -- Since when no scanner tries it any more: staff have to ask for the next scan.
    ADD COLUMN "scan_parked_at" TIMESTAMPTZ(3),
    DROP CONSTRAINT "document_scan_waits_or_is_leased";
-- The version before neither parks nor clears: outside of a pending scan the new column may have any value.
ALTER TABLE "document"
    ADD CONSTRAINT "document_scan_waits_or_is_leased"
        CHECK (CASE WHEN "state" = 'finalized' AND "scan_status" = 'pending_scan'
                 THEN num_nonnulls("scan_due_at", "scan_lease_until", "scan_parked_at") = 1
                 ELSE num_nonnulls("scan_due_at", "scan_lease_until") = 0
               END);
-- Whose turn it is: the accounts that wait, and of each the document that waits longest.
CREATE INDEX "document_scan_turn_idx" ON "document"("account_id", "environment", "scan_due_at")
    WHERE "scan_due_at" IS NOT NULL;
CREATE INDEX "document_scan_parked_idx" ON "document"("scan_parked_at") WHERE "scan_parked_at" IS NOT NULL;
