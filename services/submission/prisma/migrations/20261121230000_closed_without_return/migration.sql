-- Why staff ended a pre-underwriting, not cleared, of a lead whose return window had passed.
ALTER TABLE "application"
    ADD COLUMN "close_reason" TEXT,
    ADD CONSTRAINT "application_close_reason_check"
        CHECK ("close_reason" IS NULL OR ("pre_underwriting" = 3 AND length("close_reason") BETWEEN 1 AND 200)) NOT VALID;
ALTER TABLE "application" VALIDATE CONSTRAINT "application_close_reason_check";
