-- Expand: lines of the ledger get a price and the month whose statement they are on. Lines that are there already have
-- neither: they are on the statement of the month in which they occurred, and unpriced until a price covers their time.

-- What a lead costs from a time on. Of two with the same time, the later sequence holds.
CREATE TABLE "price" (
    "sequence" BIGSERIAL NOT NULL,
    "account_id" UUID NOT NULL,
    "billing_model" "billing_model" NOT NULL,
    "effective_from" TIMESTAMPTZ(3) NOT NULL,
    "pence" INTEGER NOT NULL,
    "set_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "price_pkey" PRIMARY KEY ("sequence"),
    CONSTRAINT "price_pence_check" CHECK ("pence" BETWEEN 0 AND 1000000)
);
CREATE INDEX "price_in_effect_idx" ON "price"("account_id", "billing_model", "effective_from" DESC, "sequence" DESC);
CREATE INDEX "price_account_id_sequence_idx" ON "price"("account_id", "sequence");

-- The months that are closed, with their totals as they were closed.
CREATE TABLE "statement" (
    "account_id" UUID NOT NULL,
    "month" DATE NOT NULL,
    "closed_at" TIMESTAMPTZ(3) NOT NULL,
    "totals" JSONB NOT NULL,
    CONSTRAINT "statement_pkey" PRIMARY KEY ("account_id", "month"),
    CONSTRAINT "statement_month_check" CHECK (EXTRACT(DAY FROM "month") = 1)
);

-- The prices of lines that were entered before a price covered their time: the ledger itself is never changed. Without
-- foreign keys, which cost as much again: rows of neither table are ever deleted.
CREATE TABLE "line_price" (
    "entry_id" UUID NOT NULL,
    "price_sequence" BIGINT NOT NULL,
    "pence" INTEGER NOT NULL,
    CONSTRAINT "line_price_pkey" PRIMARY KEY ("entry_id")
);

CREATE TRIGGER "price_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "price"
    FOR EACH STATEMENT EXECUTE FUNCTION "refuse_rewriting"();
CREATE TRIGGER "statement_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "statement"
    FOR EACH STATEMENT EXECUTE FUNCTION "refuse_rewriting"();
CREATE TRIGGER "line_price_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "line_price"
    FOR EACH STATEMENT EXECUTE FUNCTION "refuse_rewriting"();

ALTER TABLE "ledger_entry" ADD COLUMN "pence" INTEGER, ADD COLUMN "statement_month" DATE;

-- The lock of an account's ledger: shared by who enters lines, exclusive for who sets a price or closes a month.
CREATE FUNCTION "ledger_lock_key"("account_id" UUID) RETURNS BIGINT LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT hashtextextended('ledger ' || "account_id"::text, 0)
$$;

-- While a version that knows neither column runs beside one that does, its lines get both here, under the same lock. Each
-- statement of a volatile function sees what was committed before it: what the holder of the lock has changed is seen.
--
-- Contract, in a later release, once no process of a version before this one runs:
--   DROP TRIGGER "ledger_entry_complete" ON "ledger_entry"; DROP FUNCTION "complete_ledger_entry"();
CREATE FUNCTION "complete_ledger_entry"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    "priced_at" TIMESTAMPTZ := NEW."occurred_at";
BEGIN
    PERFORM pg_advisory_xact_lock_shared("ledger_lock_key"(NEW."account_id"));
    NEW."statement_month" := GREATEST(
        date_trunc('month', NEW."occurred_at" AT TIME ZONE 'UTC')::date,
        (SELECT (max(s."month") + INTERVAL '1 month')::date FROM "statement" s WHERE s."account_id" = NEW."account_id"));
    IF NEW."kind" = 'credit' THEN
        SELECT c."occurred_at" INTO "priced_at" FROM "ledger_entry" c
         WHERE c."submission_id" = NEW."submission_id" AND c."kind" = 'charge';
    END IF;
    NEW."pence" := (
        SELECT p."pence" FROM "price" p
         WHERE p."account_id" = NEW."account_id" AND p."billing_model" = NEW."billing_model"
           AND p."effective_from" <= "priced_at"
         ORDER BY p."effective_from" DESC, p."sequence" DESC LIMIT 1);
    RETURN NEW;
END $$;
CREATE TRIGGER "ledger_entry_complete" BEFORE INSERT ON "ledger_entry"
    FOR EACH ROW WHEN (NEW."statement_month" IS NULL) EXECUTE FUNCTION "complete_ledger_entry"();
