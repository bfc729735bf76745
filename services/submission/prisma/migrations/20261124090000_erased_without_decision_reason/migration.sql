-- What staff wrote of a submission goes with its applicant, whichever release erases it. Not validated here: that reads the
-- whole table, and this waits for everybody who uses it.
ALTER TABLE submission
    ADD CONSTRAINT submission_erased_reason_check CHECK (erased_at IS NULL OR decision_reason IS NULL) NOT VALID;
