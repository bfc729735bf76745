-- What the migrations of this service make. Written by `npm run generate`; do not edit.
-- Tables partitioned by day have their default partition here; those of the days come and go.

CREATE TYPE billing_model AS ENUM ('accepted_submission', 'application_created', 'pre_underwriting_cleared');

CREATE TYPE entry_kind AS ENUM ('charge', 'credit');

CREATE OR REPLACE FUNCTION public.ledger_lock_key(account_id uuid)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
    SELECT hashtextextended('ledger ' || "account_id"::text, 0)
$function$;

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
