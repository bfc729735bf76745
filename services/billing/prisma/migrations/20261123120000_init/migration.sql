-- The tables of outbox and inbox as every service has them: what its migrations amount to.

-- Events that wait to be published, written in the transaction of their change. A published one moves to
-- published_event, so this table is as small as the relay is quick. A row needs event_id, aggregate_id, type, subject
-- and envelope; an empty subject is derived from the type. One that the stream will not take is parked, with the reason,
-- until staff release it.
CREATE TABLE "outbox" (
    "seq" BIGSERIAL NOT NULL,
    "event_id" UUID NOT NULL,
    "aggregate_id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "subject" TEXT NOT NULL DEFAULT '',
    "envelope" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "parked_at" TIMESTAMPTZ(3),
    "failure" TEXT,
    CONSTRAINT "outbox_pkey" PRIMARY KEY ("seq")
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0,
        autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 50000);
CREATE UNIQUE INDEX "outbox_event_id_key" ON "outbox"("event_id");
CREATE INDEX "outbox_parked_idx" ON "outbox"("seq") WHERE "parked_at" IS NOT NULL;

-- The published events of the last days, from which a stream that lost them is filled again. Partitioned by the UTC day
-- of the event id, a UUIDv7 whose first 48 bits are milliseconds: days are ranges of ids, and order by id is order in
-- time. generation and stream_seq say in which life of the stream, and where in it, the event was published.
CREATE TABLE "published_event" (
    "event_id" UUID NOT NULL,
    "aggregate_id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "envelope" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "published_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "generation" INTEGER NOT NULL,
    "stream_seq" BIGINT NOT NULL,
    CONSTRAINT "published_event_pkey" PRIMARY KEY ("event_id")
) PARTITION BY RANGE ("event_id");
-- Takes ids of days that have no partition, so that neither publishing nor consuming ever stops for want of one.
CREATE TABLE "published_event_default" PARTITION OF "published_event" DEFAULT;

-- Events that a consumer has applied, written in the transaction of their effect. Kept longer than any outbox and stream.
CREATE TABLE "inbox" (
    "consumer" TEXT NOT NULL,
    "event_id" UUID NOT NULL,
    "applied_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "inbox_pkey" PRIMARY KEY ("consumer", "event_id")
) PARTITION BY RANGE ("event_id");
CREATE TABLE "inbox_default" PARTITION OF "inbox" DEFAULT;

-- What is known of the stream. Its generation rises when it has lost events. The checkpoint is an event that was
-- published a moment ago, the anchor one of some minutes ago: each must still lie where it was.
CREATE TABLE "outbox_stream" (
    "stream" TEXT NOT NULL,
    "born" TEXT NOT NULL,
    "generation" INTEGER NOT NULL DEFAULT 0,
    "checkpoint_seq" BIGINT,
    "checkpoint_message_id" TEXT,
    "checkpoint_at" TIMESTAMPTZ(3),
    "anchor_seq" BIGINT,
    "anchor_message_id" TEXT,
    "anchor_at" TIMESTAMPTZ(3),
    CONSTRAINT "outbox_stream_pkey" PRIMARY KEY ("stream")
);

-- Kept events that are being published again: those after after_event_id, up to last_event_id, of which the stream has
-- lost those of lost_generation beyond keep_through, and all of earlier generations.
CREATE TABLE "outbox_refill" (
    "id" BIGSERIAL NOT NULL,
    "stream" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "after_event_id" UUID NOT NULL,
    "last_event_id" UUID NOT NULL,
    "lost_generation" INTEGER NOT NULL,
    "keep_through" BIGINT NOT NULL,
    "published" BIGINT NOT NULL DEFAULT 0,
    "requested_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "outbox_refill_pkey" PRIMARY KEY ("id")
);

-- The least event id of a moment.
CREATE FUNCTION "event_id_floor"("at" TIMESTAMPTZ) RETURNS UUID LANGUAGE sql STABLE AS $$
    SELECT (lpad(to_hex((extract(epoch FROM "at") * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

-- Adds the partition of a UTC day, with what the default partition has taken for it. The new table is filled before it
-- is attached, which locks the partitioned table less than making it in place would.
CREATE FUNCTION "add_event_partition"("parent" TEXT, "day" DATE) RETURNS VOID LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
DECLARE
    partition TEXT := parent || '_' || to_char(day, 'YYYYMMDD');
    first UUID := event_id_floor(day::timestamp AT TIME ZONE 'UTC');
    beyond UUID := event_id_floor((day + 1)::timestamp AT TIME ZONE 'UTC');
BEGIN
    EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', partition, parent);
    EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', parent || '_default');
    EXECUTE format('WITH taken AS (DELETE FROM %I WHERE event_id >= %L AND event_id < %L RETURNING *)
                    INSERT INTO %I SELECT * FROM taken', parent || '_default', first, beyond, partition);
    EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', parent, partition, first, beyond);
END $$;

-- Does at most one thing that the partitions of published_event and inbox need: adds one of the days from yesterday to
-- ahead_days from now, drops one that is past its days, or deletes what is past them in a default partition. Answers
-- 'changed' (call again), 'busy' (another transaction holds the table: call again later) or 'done'. Made to be called by
-- a role that may not change tables; so it keeps at least what the contract promises.
CREATE FUNCTION "maintain_event_partitions"("keep_published_days" INTEGER, "keep_inbox_days" INTEGER, "ahead_days" INTEGER)
RETURNS TEXT LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
SET lock_timeout = '200ms' AS $$
DECLARE
    today DATE := (CURRENT_TIMESTAMP AT TIME ZONE 'UTC')::date;
    parent TEXT;
    stamp TEXT;
    keep_days INTEGER;
    day DATE;
    partition TEXT;
    deleted INTEGER;
BEGIN
    IF keep_published_days < 7 OR keep_inbox_days <= keep_published_days OR ahead_days NOT BETWEEN 1 AND 31 THEN
        RAISE EXCEPTION 'published events are kept for at least 7 days, inbox rows for longer, partitions made 1 to 31 days ahead';
    END IF;
    IF NOT pg_try_advisory_xact_lock(hashtext('maintain_event_partitions')) THEN
        RETURN 'busy';
    END IF;
    FOR parent, stamp, keep_days IN VALUES ('published_event', 'published_at', keep_published_days),
                                           ('inbox', 'applied_at', keep_inbox_days) LOOP
        FOR day IN SELECT today + n FROM generate_series(-1, ahead_days) AS n LOOP
            IF to_regclass(parent || '_' || to_char(day, 'YYYYMMDD')) IS NULL THEN
                PERFORM add_event_partition(parent, day);
                RETURN 'changed';
            END IF;
        END LOOP;
        SELECT c.relname INTO partition FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
         WHERE i.inhparent = parent::regclass AND c.relname ~ '_\d{8}$'
           AND to_date(right(c.relname, 8), 'YYYYMMDD') < today - keep_days
         ORDER BY c.relname LIMIT 1;
        IF partition IS NOT NULL THEN
            EXECUTE format('DROP TABLE %I', partition);
            RETURN 'changed';
        END IF;
        EXECUTE format('DELETE FROM %1$I WHERE ctid = ANY(ARRAY(
                          SELECT ctid FROM %1$I WHERE %2$I < CURRENT_TIMESTAMP - make_interval(days => %3$s) LIMIT 5000))',
                       parent || '_default', stamp, keep_days);
        GET DIAGNOSTICS deleted = ROW_COUNT;
        IF deleted > 0 THEN
            RETURN 'changed';
        END IF;
    END LOOP;
    RETURN 'done';
EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
    RETURN 'busy';
END $$;

-- Events that a consumer could not apply, or may not apply yet: each is tried again when it is due, and parked for staff
-- after its last attempt. An event that lies here is acknowledged, and holds no place in the stream.
CREATE TABLE "failed_event" (
    "consumer" TEXT NOT NULL,
    "event_id" UUID NOT NULL,
    "aggregate_id" UUID,
    "type" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "envelope" BYTEA NOT NULL,
    "seq" BIGSERIAL NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "parked_at" TIMESTAMPTZ(3),
    "failure" TEXT NOT NULL,
    CONSTRAINT "failed_event_pkey" PRIMARY KEY ("consumer", "event_id")
);
-- The type comes before the time: a version claims only what it knows, and does not read past the rest.
CREATE INDEX "failed_event_due_idx" ON "failed_event"("consumer", "type", "due_at") WHERE "parked_at" IS NULL;
CREATE INDEX "failed_event_aggregate_idx" ON "failed_event"("consumer", "aggregate_id");

-- Who did what to which thing, for which account, when, why and by which request; never an applicant's data. An entry is
-- written in the transaction of its act. Entries are only ever added.
CREATE TABLE "audit_entry" (
    "sequence" BIGSERIAL NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "actor" TEXT NOT NULL,
    "issuer" TEXT NOT NULL,
    "roles" TEXT[] NOT NULL,
    "action" TEXT NOT NULL,
    "target" TEXT NOT NULL,
    "account_id" UUID,
    "before" JSONB,
    "after" JSONB,
    "purpose" TEXT NOT NULL,
    "request_id" TEXT NOT NULL,
    CONSTRAINT "audit_entry_pkey" PRIMARY KEY ("sequence")
);
CREATE INDEX "audit_entry_at_idx" ON "audit_entry"("at", "sequence");
CREATE INDEX "audit_entry_account_id_idx" ON "audit_entry"("account_id", "at", "sequence");
CREATE INDEX "audit_entry_target_idx" ON "audit_entry"("target", "at", "sequence");
CREATE INDEX "audit_entry_actor_idx" ON "audit_entry"("actor", "at", "sequence");
CREATE INDEX "audit_entry_action_idx" ON "audit_entry"("action", "at", "sequence");

-- The chain over the entries, in the order in which they were sealed, moments after their commits: each hash covers its
-- entry, its place and the hash before it.
CREATE TABLE "audit_seal" (
    "position" BIGINT NOT NULL,
    "sequence" BIGINT NOT NULL,
    "hash" BYTEA NOT NULL,
    "sealed_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "audit_seal_pkey" PRIMARY KEY ("position"),
    CONSTRAINT "audit_seal_position_check" CHECK ("position" > 0),
    CONSTRAINT "audit_seal_hash_check" CHECK (octet_length("hash") = 32)
);
CREATE UNIQUE INDEX "audit_seal_sequence_key" ON "audit_seal"("sequence");

-- Entries that wait to be sealed. Numbers of entries have gaps and are committed in any order: this table, and not a
-- greatest number, says what is left.
CREATE TABLE "audit_unsealed" (
    "sequence" BIGINT NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "audit_unsealed_pkey" PRIMARY KEY ("sequence")
);

-- With the rights of the tables' owner: a service may take entries off the list and put none on it.
CREATE FUNCTION "note_unsealed"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
BEGIN
    INSERT INTO audit_unsealed (sequence) SELECT sequence FROM added;
    RETURN NULL;
END $$;
CREATE TRIGGER "audit_entry_unsealed" AFTER INSERT ON "audit_entry" REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION "note_unsealed"();

CREATE FUNCTION "refuse_audit_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'rows of % are only ever added', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER "audit_entry_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_entry"
    FOR EACH STATEMENT EXECUTE FUNCTION "refuse_audit_change"();
CREATE TRIGGER "audit_seal_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_seal"
    FOR EACH STATEMENT EXECUTE FUNCTION "refuse_audit_change"();

-- What those runs of verify-audit found that were to be recorded; the service's metrics tell of it. Rows are only ever added.
CREATE TABLE "audit_verification" (
    "sequence" BIGSERIAL NOT NULL,
    "verified_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    -- Up to where the log was good: `position:hash`.
    "head" TEXT NOT NULL,
    -- The first finding, as a sentence; null where there was none.
    "broken" TEXT,
    CONSTRAINT "audit_verification_pkey" PRIMARY KEY ("sequence")
);

CREATE TYPE billing_model AS ENUM ('accepted_submission', 'application_created', 'pre_underwriting_cleared');

CREATE TYPE billing_status AS ENUM ('pending', 'billable', 'not_billable');

CREATE TYPE entry_kind AS ENUM ('charge', 'credit');

CREATE TYPE environment AS ENUM ('sandbox', 'production');

CREATE TYPE not_billable_reason AS ENUM ('duplicate', 'rejected', 'sandbox', 'returned');

-- The lock of an account's ledger: shared by who enters lines, exclusive for who sets a price or closes a month.
CREATE FUNCTION ledger_lock_key(account_id uuid)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $$
    SELECT hashtextextended('ledger ' || "account_id"::text, 0)
$$;

CREATE FUNCTION refuse_rewriting()
 RETURNS trigger
 LANGUAGE plpgsql
AS $$
BEGIN
    RAISE EXCEPTION 'lines of % are only ever added', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;

-- The billing state of every submission that billing has heard of.
CREATE TABLE lead (
    submission_id uuid NOT NULL,
    account_id uuid NOT NULL,
    environment environment NOT NULL,
    billing_model billing_model NOT NULL,
    billing_status billing_status NOT NULL,
    billable_at timestamptz(3),
    not_billable_reason not_billable_reason,
    -- Version of the last event that billing itself has told of this lead; 0 before the first.
    version bigint NOT NULL,
    -- Version of the newest event of the submission that has been heard here.
    last_seen_version bigint NOT NULL,
    CONSTRAINT lead_pkey PRIMARY KEY (submission_id),
    CONSTRAINT lead_billable_at_check CHECK ((billing_status = 'billable'::billing_status) = (billable_at IS NOT NULL)),
    CONSTRAINT lead_not_billable_reason_check CHECK ((billing_status = 'not_billable'::billing_status) = (not_billable_reason IS NOT NULL)),
    CONSTRAINT lead_sandbox_check CHECK ((environment = 'sandbox'::environment) = (NOT not_billable_reason IS DISTINCT FROM 'sandbox'::not_billable_reason))
);
CREATE INDEX lead_pending_idx ON lead (submission_id, account_id) WHERE billing_status = 'pending'::billing_status;

-- What is charged and credited. At most one charge and one credit for a lead.
CREATE TABLE ledger_entry (
    id uuid NOT NULL,
    submission_id uuid NOT NULL,
    account_id uuid NOT NULL,
    kind entry_kind NOT NULL,
    billing_model billing_model NOT NULL,
    occurred_at timestamptz(3) NOT NULL,
    event_id uuid NOT NULL,
    entered_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    -- Null until a price covers its time; see line_price.
    pence integer,
    -- The month whose statement it is on.
    statement_month date,
    CONSTRAINT ledger_entry_pkey PRIMARY KEY (id)
);
CREATE INDEX ledger_entry_statement_idx ON ledger_entry (account_id, COALESCE(statement_month, date_trunc('month'::text, (occurred_at AT TIME ZONE 'UTC'::text))::date), occurred_at, id);
CREATE UNIQUE INDEX ledger_entry_submission_id_kind_key ON ledger_entry (submission_id, kind);
CREATE TRIGGER ledger_entry_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger_entry FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting();

-- The prices of lines that were entered before a price covered their time: the ledger itself is never changed. Without
-- foreign keys, which cost as much again: rows of neither table are ever deleted.
CREATE TABLE line_price (
    entry_id uuid NOT NULL,
    price_sequence bigint NOT NULL,
    pence integer NOT NULL,
    CONSTRAINT line_price_pkey PRIMARY KEY (entry_id)
);
CREATE TRIGGER line_price_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON line_price FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting();

-- What a lead costs from a time on. Of two with the same time, the later sequence holds.
CREATE TABLE price (
    sequence bigserial NOT NULL,
    account_id uuid NOT NULL,
    billing_model billing_model NOT NULL,
    effective_from timestamptz(3) NOT NULL,
    pence integer NOT NULL,
    set_at timestamptz(3) NOT NULL,
    CONSTRAINT price_pkey PRIMARY KEY (sequence),
    CONSTRAINT price_pence_check CHECK (pence >= 0 AND pence <= 1000000)
);
CREATE INDEX price_account_id_sequence_idx ON price (account_id, sequence);
CREATE INDEX price_in_effect_idx ON price (account_id, billing_model, effective_from DESC, sequence DESC);
CREATE TRIGGER price_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON price FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting();

-- The months that are closed, with their totals as they were closed.
CREATE TABLE statement (
    account_id uuid NOT NULL,
    month date NOT NULL,
    closed_at timestamptz(3) NOT NULL,
    totals jsonb NOT NULL,
    CONSTRAINT statement_pkey PRIMARY KEY (account_id, month),
    CONSTRAINT statement_month_check CHECK (EXTRACT(day FROM month) = 1::numeric)
);
CREATE TRIGGER statement_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON statement FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting();

ALTER TABLE ledger_entry ADD CONSTRAINT ledger_entry_submission_id_fkey
    FOREIGN KEY (submission_id) REFERENCES lead(submission_id) ON UPDATE RESTRICT ON DELETE RESTRICT;
