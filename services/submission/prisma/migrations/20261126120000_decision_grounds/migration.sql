-- What a decision compared, beside the enquiry and the terms: the submission it matched and by which key, and how many
-- leads of a capped account had been accepted. And what staff should check in the contact. The release before writes none.
ALTER TABLE submission
  ADD COLUMN duplicate_of uuid,
  ADD COLUMN duplicate_key smallint,
  ADD COLUMN accepted_today integer,
  ADD COLUMN accepted_this_month integer,
  ADD COLUMN contact_checks smallint NOT NULL DEFAULT 0;
