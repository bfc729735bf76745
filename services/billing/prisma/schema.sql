-- What the migrations of this service make. Written by `npm run generate`; do not edit.
-- Tables partitioned by day have their default partition here; those of the days come and go.

CREATE TYPE billing_model AS ENUM ('accepted_submission', 'application_created', 'pre_underwriting_cleared');

CREATE TYPE billing_status AS ENUM ('pending', 'billable', 'not_billable');

CREATE TYPE entry_kind AS ENUM ('charge', 'credit');

CREATE TYPE environment AS ENUM ('sandbox', 'production');

CREATE TYPE not_billable_reason AS ENUM ('duplicate', 'rejected', 'sandbox', 'returned');

CREATE OR REPLACE FUNCTION public.add_event_partition(parent text, day date)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
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
END $function$;

CREATE OR REPLACE FUNCTION public.event_id_floor(at timestamp with time zone)
 RETURNS uuid
 LANGUAGE sql
 STABLE
AS $function$
    SELECT (lpad(to_hex((extract(epoch FROM "at") * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$function$;

CREATE OR REPLACE FUNCTION public.ledger_lock_key(account_id uuid)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
    SELECT hashtextextended('ledger ' || "account_id"::text, 0)
$function$;

CREATE OR REPLACE FUNCTION public.maintain_event_partitions(keep_published_days integer, keep_inbox_days integer, ahead_days integer)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET lock_timeout TO '200ms'
AS $function$
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
END $function$;

CREATE OR REPLACE FUNCTION public.note_late_prices()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
    INSERT INTO value_note (day, account_id, kind, lines, pence, unpriced)
    SELECT (e.occurred_at AT TIME ZONE 'UTC')::date, e.account_id, e.kind, 0, sum(p.pence), -count(*)
      FROM priced p JOIN ledger_entry e ON e.id = p.entry_id GROUP BY 1, 2, 3;
    RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.note_lines()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
    INSERT INTO value_note (day, account_id, kind, lines, pence, unpriced)
    SELECT (occurred_at AT TIME ZONE 'UTC')::date, account_id, kind, count(*), coalesce(sum(pence), 0),
           count(*) FILTER (WHERE pence IS NULL)
      FROM added GROUP BY 1, 2, 3;
    RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.note_unsealed()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
    INSERT INTO audit_unsealed (sequence) SELECT sequence FROM added;
    RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.refuse_audit_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    RAISE EXCEPTION 'rows of % are only ever added', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $function$;

CREATE OR REPLACE FUNCTION public.refuse_rewriting()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    RAISE EXCEPTION 'lines of % are only ever added', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $function$;

CREATE TABLE audit_entry (
    sequence bigserial NOT NULL,
    at timestamp(3) with time zone NOT NULL,
    actor text NOT NULL,
    issuer text NOT NULL,
    roles text[] NOT NULL,
    action text NOT NULL,
    target text NOT NULL,
    account_id uuid,
    before jsonb,
    after jsonb,
    purpose text NOT NULL,
    request_id text NOT NULL,
    CONSTRAINT audit_entry_pkey PRIMARY KEY (sequence)
);
CREATE INDEX audit_entry_account_id_idx ON audit_entry USING btree (account_id, at, sequence);
CREATE INDEX audit_entry_action_idx ON audit_entry USING btree (action, at, sequence);
CREATE INDEX audit_entry_actor_idx ON audit_entry USING btree (actor, at, sequence);
CREATE INDEX audit_entry_at_idx ON audit_entry USING btree (at, sequence);
CREATE INDEX audit_entry_request_id_idx ON audit_entry USING btree (request_id, at, sequence);
CREATE INDEX audit_entry_target_idx ON audit_entry USING btree (target, at, sequence);
CREATE TRIGGER audit_entry_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON audit_entry FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_entry_unsealed AFTER INSERT ON audit_entry REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION note_unsealed();

CREATE TABLE audit_seal (
    position bigint NOT NULL,
    sequence bigint NOT NULL,
    hash bytea NOT NULL,
    sealed_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT audit_seal_pkey PRIMARY KEY ("position"),
    CONSTRAINT audit_seal_hash_check CHECK (octet_length(hash) = 32),
    CONSTRAINT audit_seal_position_check CHECK ("position" > 0)
);
CREATE UNIQUE INDEX audit_seal_sequence_key ON audit_seal USING btree (sequence);
CREATE TRIGGER audit_seal_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON audit_seal FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();

CREATE TABLE audit_unsealed (
    sequence bigint NOT NULL,
    since timestamp(3) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT audit_unsealed_pkey PRIMARY KEY (sequence)
);

CREATE TABLE audit_verification (
    sequence bigserial NOT NULL,
    verified_at timestamp(3) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
    head text NOT NULL,
    broken text,
    CONSTRAINT audit_verification_pkey PRIMARY KEY (sequence)
);

CREATE TABLE failed_event (
    consumer text NOT NULL,
    event_id uuid NOT NULL,
    aggregate_id uuid,
    type text NOT NULL,
    subject text NOT NULL,
    envelope bytea NOT NULL,
    seq bigserial NOT NULL,
    received_at timestamp(3) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
    attempts integer NOT NULL DEFAULT 0,
    due_at timestamp(3) with time zone NOT NULL,
    parked_at timestamp(3) with time zone,
    failure text NOT NULL,
    CONSTRAINT failed_event_pkey PRIMARY KEY (consumer, event_id)
);
CREATE INDEX failed_event_aggregate_idx ON failed_event USING btree (consumer, aggregate_id);
CREATE INDEX failed_event_due_idx ON failed_event USING btree (consumer, type, due_at) WHERE parked_at IS NULL;

CREATE TABLE idempotent_call (
    key_sha256 bytea NOT NULL,
    id uuid NOT NULL,
    request_sha256 bytea NOT NULL,
    answer bytea,
    begun_at timestamp(3) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT idempotent_call_pkey PRIMARY KEY (key_sha256),
    CONSTRAINT idempotent_call_digests_check CHECK (octet_length(key_sha256) = 32 AND octet_length(request_sha256) = 32)
);
CREATE INDEX idempotent_call_begun_at_idx ON idempotent_call USING btree (begun_at);

CREATE TABLE inbox (
    consumer text NOT NULL,
    event_id uuid NOT NULL,
    applied_at timestamp(3) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT inbox_pkey PRIMARY KEY (consumer, event_id)
) PARTITION BY RANGE (event_id);
CREATE TABLE inbox_default PARTITION OF inbox DEFAULT;

CREATE TABLE lead (
    submission_id uuid NOT NULL,
    account_id uuid NOT NULL,
    environment environment NOT NULL,
    billing_model billing_model NOT NULL,
    billing_status billing_status NOT NULL,
    billable_at timestamp(3) with time zone,
    not_billable_reason not_billable_reason,
    version bigint NOT NULL,
    last_seen_version bigint NOT NULL,
    CONSTRAINT lead_pkey PRIMARY KEY (submission_id),
    CONSTRAINT lead_billable_at_check CHECK ((billing_status = 'billable'::billing_status) = (billable_at IS NOT NULL)),
    CONSTRAINT lead_not_billable_reason_check CHECK ((billing_status = 'not_billable'::billing_status) = (not_billable_reason IS NOT NULL)),
    CONSTRAINT lead_sandbox_check CHECK ((environment = 'sandbox'::environment) = (NOT not_billable_reason IS DISTINCT FROM 'sandbox'::not_billable_reason))
);
CREATE INDEX lead_pending_idx ON lead USING btree (submission_id, account_id) WHERE billing_status = 'pending'::billing_status;

CREATE TABLE ledger_entry (
    id uuid NOT NULL,
    submission_id uuid NOT NULL,
    account_id uuid NOT NULL,
    kind entry_kind NOT NULL,
    billing_model billing_model NOT NULL,
    occurred_at timestamp(3) with time zone NOT NULL,
    event_id uuid NOT NULL,
    entered_at timestamp(3) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
    pence integer,
    statement_month date,
    CONSTRAINT ledger_entry_pkey PRIMARY KEY (id)
);
CREATE INDEX ledger_entry_statement_idx ON ledger_entry USING btree (account_id, COALESCE(statement_month, date_trunc('month'::text, (occurred_at AT TIME ZONE 'UTC'::text))::date), occurred_at, id);
CREATE UNIQUE INDEX ledger_entry_submission_id_kind_key ON ledger_entry USING btree (submission_id, kind);
CREATE TRIGGER ledger_entry_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger_entry FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting();
CREATE TRIGGER ledger_entry_noted AFTER INSERT ON ledger_entry REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION note_lines();

CREATE TABLE line_price (
    entry_id uuid NOT NULL,
    price_sequence bigint NOT NULL,
    pence integer NOT NULL,
    CONSTRAINT line_price_pkey PRIMARY KEY (entry_id)
);
CREATE TRIGGER line_price_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON line_price FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting();
CREATE TRIGGER line_price_noted AFTER INSERT ON line_price REFERENCING NEW TABLE AS priced FOR EACH STATEMENT EXECUTE FUNCTION note_late_prices();

CREATE TABLE outbox (
    seq bigserial NOT NULL,
    event_id uuid NOT NULL,
    aggregate_id uuid NOT NULL,
    type text NOT NULL,
    subject text NOT NULL DEFAULT ''::text,
    envelope bytea NOT NULL,
    created_at timestamp(3) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
    parked_at timestamp(3) with time zone,
    failure text,
    CONSTRAINT outbox_pkey PRIMARY KEY (seq)
) WITH (
    autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_threshold = 5000,
    autovacuum_vacuum_cost_delay = 0,
    autovacuum_vacuum_insert_scale_factor = 0,
    autovacuum_vacuum_insert_threshold = 50000
);
CREATE UNIQUE INDEX outbox_event_id_key ON outbox USING btree (event_id);
CREATE INDEX outbox_parked_idx ON outbox USING btree (seq) WHERE parked_at IS NOT NULL;

CREATE TABLE outbox_refill (
    id bigserial NOT NULL,
    stream text NOT NULL,
    reason text NOT NULL,
    after_event_id uuid NOT NULL,
    last_event_id uuid NOT NULL,
    lost_generation integer NOT NULL,
    keep_through bigint NOT NULL,
    published bigint NOT NULL DEFAULT 0,
    requested_at timestamp(3) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT outbox_refill_pkey PRIMARY KEY (id)
);

CREATE TABLE outbox_stream (
    stream text NOT NULL,
    born text NOT NULL,
    generation integer NOT NULL DEFAULT 0,
    checkpoint_seq bigint,
    checkpoint_message_id text,
    checkpoint_at timestamp(3) with time zone,
    anchor_seq bigint,
    anchor_message_id text,
    anchor_at timestamp(3) with time zone,
    CONSTRAINT outbox_stream_pkey PRIMARY KEY (stream)
);

CREATE TABLE price (
    sequence bigserial NOT NULL,
    account_id uuid NOT NULL,
    billing_model billing_model NOT NULL,
    effective_from timestamp(3) with time zone NOT NULL,
    pence integer NOT NULL,
    set_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT price_pkey PRIMARY KEY (sequence),
    CONSTRAINT price_pence_check CHECK (pence >= 0 AND pence <= 1000000)
);
CREATE INDEX price_account_id_sequence_idx ON price USING btree (account_id, sequence);
CREATE INDEX price_in_effect_idx ON price USING btree (account_id, billing_model, effective_from DESC, sequence DESC);
CREATE TRIGGER price_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON price FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting();

CREATE TABLE published_event (
    event_id uuid NOT NULL,
    aggregate_id uuid NOT NULL,
    type text NOT NULL,
    subject text NOT NULL,
    envelope bytea NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    published_at timestamp(3) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
    generation integer NOT NULL,
    stream_seq bigint NOT NULL,
    CONSTRAINT published_event_pkey PRIMARY KEY (event_id)
) PARTITION BY RANGE (event_id);
CREATE TABLE published_event_default PARTITION OF published_event DEFAULT;

CREATE TABLE statement (
    account_id uuid NOT NULL,
    month date NOT NULL,
    closed_at timestamp(3) with time zone NOT NULL,
    totals jsonb NOT NULL,
    CONSTRAINT statement_pkey PRIMARY KEY (account_id, month),
    CONSTRAINT statement_month_check CHECK (EXTRACT(day FROM month) = 1::numeric)
);
CREATE TRIGGER statement_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON statement FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting();

CREATE TABLE value_count (
    day date NOT NULL,
    account_id uuid NOT NULL,
    kind entry_kind NOT NULL,
    lines bigint NOT NULL,
    pence bigint NOT NULL,
    unpriced bigint NOT NULL,
    CONSTRAINT value_count_pkey PRIMARY KEY (day, account_id, kind)
);

CREATE TABLE value_note (
    day date NOT NULL,
    account_id uuid NOT NULL,
    kind entry_kind NOT NULL,
    lines integer NOT NULL,
    pence bigint NOT NULL,
    unpriced integer NOT NULL
) WITH (
    autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_threshold = 5000,
    autovacuum_vacuum_insert_scale_factor = 0,
    autovacuum_vacuum_insert_threshold = 50000
);
