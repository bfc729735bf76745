-- no transaction
CREATE INDEX CONCURRENTLY "submission_staff_decision_idx" ON "submission"("received_at", "id")
    WHERE "status" = 1 AND "awaits_staff";
