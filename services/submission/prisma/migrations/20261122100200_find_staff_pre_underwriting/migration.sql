-- no transaction
CREATE INDEX CONCURRENTLY "application_staff_idx" ON "application"("pre_underwriting_at", "submission_id")
    WHERE "pre_underwriting" = 1 AND "pre_underwriting_at" IS NOT NULL;
