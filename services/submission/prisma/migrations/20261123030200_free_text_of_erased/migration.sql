-- What erasures of the version before have left: texts that staff and suppliers wrote.
UPDATE "submission" SET "request_id" = NULL, "decision_reason" = NULL
 WHERE "erased_at" IS NOT NULL AND num_nonnulls("request_id", "decision_reason") > 0;
UPDATE "application" a SET "close_reason" = NULL
  FROM "submission" w
 WHERE w."id" = a."submission_id" AND w."erased_at" IS NOT NULL AND a."close_reason" IS NOT NULL;
