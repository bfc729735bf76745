-- What erasures of the release before have left until its statements were completed. Apart from that, so that nobody waits
-- for the table while it is read.
UPDATE "submission" SET "request_id" = NULL, "decision_reason" = NULL
 WHERE "erased_at" IS NOT NULL AND num_nonnulls("request_id", "decision_reason") > 0;
UPDATE "application" a SET "close_reason" = NULL
  FROM "submission" w
 WHERE w."id" = a."submission_id" AND w."erased_at" IS NOT NULL AND a."close_reason" IS NOT NULL;
DELETE FROM "promoted_keys" p USING "submission" w WHERE w."id" = p."submission_id" AND w."erased_at" IS NOT NULL;
