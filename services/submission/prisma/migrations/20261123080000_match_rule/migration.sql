-- By which rule the hashes of a row were made. Rows of the release before, which knows one rule and writes no name, have its
-- name by default; `renew-match-keys` makes their hashes anew.
ALTER TABLE "submission" ADD COLUMN "match_rule" TEXT NOT NULL DEFAULT '1';
ALTER TABLE "other_contact" ADD COLUMN "match_rule" TEXT NOT NULL DEFAULT '1';
