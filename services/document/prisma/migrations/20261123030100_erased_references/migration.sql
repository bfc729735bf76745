-- References whose applicants were erased: nothing is uploaded for them any more.
CREATE TABLE "erased_reference" (
    "account_id" UUID NOT NULL,
    "environment" "environment" NOT NULL,
    "external_reference" TEXT NOT NULL,
    "erased_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "erased_reference_pkey" PRIMARY KEY ("account_id", "environment", "external_reference")
);
-- Those of earlier erasures that had documents.
INSERT INTO "erased_reference" ("account_id", "environment", "external_reference", "erased_at")
SELECT d."account_id", d."environment", d."external_reference", min(e."at")
  FROM "audit_entry" e JOIN "document" d ON d."id"::text = e."target"
 WHERE e."action" = 'EraseDocuments' AND d."state" = 'deleted'
 GROUP BY 1, 2, 3;
