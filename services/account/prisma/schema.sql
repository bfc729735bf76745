-- What the migrations of this service make. Written by `npm run generate`; do not edit.
-- Tables partitioned by day have their default partition here; those of the days come and go.

CREATE TYPE account_state AS ENUM ('active', 'suspended');

CREATE TYPE environment AS ENUM ('sandbox', 'production');

CREATE TYPE scope AS ENUM ('create_basic', 'create_application', 'read', 'correct', 'promote');

CREATE OR REPLACE FUNCTION public.add_event_partition(parent text, key text, day date)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
    partition TEXT := parent || '_' || to_char(day, 'YYYYMMDD');
    first UUID := event_id_floor(day::timestamp AT TIME ZONE 'UTC');
    beyond UUID := event_id_floor((day + 1)::timestamp AT TIME ZONE 'UTC');
BEGIN
    EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL) WITH (autovacuum_enabled = false)', partition, parent);
    EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', parent || '_default');
    EXECUTE format('WITH taken AS (DELETE FROM %I WHERE %I >= $1 AND %2$I < $2 RETURNING *)
                    INSERT INTO %I SELECT * FROM taken', parent || '_default', key, partition) USING first, beyond;
    EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', parent, partition, first, beyond);
END $function$;

CREATE OR REPLACE FUNCTION public.event_id_floor(at timestamp with time zone)
 RETURNS uuid
 LANGUAGE sql
 STABLE
AS $function$
    SELECT (lpad(to_hex((extract(epoch FROM "at") * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$function$;

CREATE OR REPLACE FUNCTION public.keep_approval()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    IF (NEW.id, NEW.action, NEW.target, NEW.arguments, NEW.requested_by, NEW.requested_issuer, NEW.expires_at, NEW.reasons,
        NEW.lines, NEW.sha256)
        IS DISTINCT FROM
        (OLD.id, OLD.action, OLD.target, OLD.arguments, OLD.requested_by, OLD.requested_issuer, OLD.expires_at, OLD.reasons,
        OLD.lines, OLD.sha256)
        OR OLD.used_at IS NOT NULL
        OR (OLD.decided_at IS NOT NULL AND (NEW.decided_at, NEW.decided_by, NEW.decided_issuer, NEW.refusal_reason)
            IS DISTINCT FROM (OLD.decided_at, OLD.decided_by, OLD.decided_issuer, OLD.refusal_reason))
    THEN
        RAISE EXCEPTION 'an approval is decided once and used once' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $function$;

CREATE OR REPLACE FUNCTION public.maintain_event_partitions(keep_days integer, ahead_days integer)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET lock_timeout TO '200ms'
AS $function$
DECLARE
    today DATE := (CURRENT_TIMESTAMP AT TIME ZONE 'UTC')::date;
    parent TEXT;
    key TEXT;
    day DATE;
    partition TEXT;
    deleted INTEGER;
BEGIN
    IF keep_days < 7 OR ahead_days NOT BETWEEN 1 AND 31 THEN
        RAISE EXCEPTION 'published events are kept for at least 7 days, and partitions made 1 to 31 days ahead';
    END IF;
    IF NOT pg_try_advisory_xact_lock(hashtext('maintain_event_partitions')) THEN
        RETURN 'busy';
    END IF;
    FOR parent, key IN VALUES ('domain_event', 'event_id'), ('published_batch', 'batch_id') LOOP
        FOR day IN SELECT today + n FROM generate_series(-1, ahead_days) AS n LOOP
            IF to_regclass(parent || '_' || to_char(day, 'YYYYMMDD')) IS NULL THEN
                PERFORM add_event_partition(parent, key, day);
                RETURN 'changed';
            END IF;
        END LOOP;
        SELECT c.relname INTO partition FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
         WHERE i.inhparent = parent::regclass AND c.relname ~ '_\d{8}$'
           AND to_date(right(c.relname, 8), 'YYYYMMDD') < today - keep_days
         ORDER BY c.relname LIMIT 1;
        IF partition IS NOT NULL THEN
            EXECUTE format('ALTER TABLE %I DETACH PARTITION %I', parent, partition);
            EXECUTE format('INSERT INTO %I SELECT * FROM %I WHERE %I IN (SELECT event_id FROM outbox)', parent, partition, key);
            EXECUTE format('DROP TABLE %I', partition);
            RETURN 'changed';
        END IF;
        EXECUTE format('DELETE FROM %1$I WHERE ctid = ANY(ARRAY(SELECT ctid FROM %1$I
                         WHERE %2$I < event_id_floor($1) AND %2$I NOT IN (SELECT event_id FROM outbox) LIMIT 5000))',
                       parent || '_default', key) USING CURRENT_TIMESTAMP - make_interval(days => keep_days);
        GET DIAGNOSTICS deleted = ROW_COUNT;
        IF deleted > 0 THEN
            RETURN 'changed';
        END IF;
    END LOOP;
    RETURN 'done';
EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
    RETURN 'busy';
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

CREATE OR REPLACE FUNCTION public.refuse_revival()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    RAISE EXCEPTION 'a revoked credential stays revoked' USING ERRCODE = 'restrict_violation';
END $function$;

CREATE TABLE account (
    id uuid NOT NULL,
    name text NOT NULL,
    state account_state NOT NULL,
    permitted_scopes scope[] NOT NULL,
    terms jsonb NOT NULL,
    writes_per_minute integer,
    reads_per_minute integer,
    revision bigint NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT account_pkey PRIMARY KEY (id),
    CONSTRAINT account_reads_per_minute_check CHECK (reads_per_minute > 0),
    CONSTRAINT account_revision_check CHECK (revision > 0),
    CONSTRAINT account_writes_per_minute_check CHECK (writes_per_minute > 0)
);

CREATE TABLE approval (
    sequence bigserial NOT NULL,
    id uuid NOT NULL,
    action text NOT NULL,
    target text NOT NULL,
    arguments text NOT NULL,
    purpose text NOT NULL,
    requested_by text NOT NULL,
    requested_issuer text NOT NULL,
    requested_at timestamp(3) with time zone NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    decided_by text,
    decided_issuer text,
    decided_at timestamp(3) with time zone,
    refusal_reason text,
    used_at timestamp(3) with time zone,
    reasons text[],
    lines text,
    sha256 text,
    CONSTRAINT approval_pkey PRIMARY KEY (id),
    CONSTRAINT approval_two_people_check CHECK (decided_at IS NULL OR refusal_reason IS NOT NULL OR decided_by IS DISTINCT FROM requested_by OR decided_issuer IS DISTINCT FROM requested_issuer),
    CONSTRAINT approval_used_check CHECK (used_at IS NULL OR decided_at IS NOT NULL AND refusal_reason IS NULL)
);
CREATE UNIQUE INDEX approval_sequence_key ON approval USING btree (sequence);
CREATE TRIGGER approval_kept BEFORE UPDATE ON approval FOR EACH ROW EXECUTE FUNCTION keep_approval();

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

CREATE TABLE credential (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    environment environment NOT NULL,
    public_id text NOT NULL,
    secret_hash bytea NOT NULL,
    scopes scope[] NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    expires_at timestamp(3) with time zone,
    revoked_at timestamp(3) with time zone,
    CONSTRAINT credential_pkey PRIMARY KEY (id),
    CONSTRAINT credential_public_id_check CHECK (length(public_id) = 16),
    CONSTRAINT credential_secret_hash_check CHECK (octet_length(secret_hash) = 32)
);
CREATE INDEX credential_account_id_created_at_idx ON credential USING btree (account_id, created_at);
CREATE UNIQUE INDEX credential_public_id_key ON credential USING btree (public_id);
CREATE TRIGGER credential_stays_revoked BEFORE UPDATE OF revoked_at ON credential FOR EACH ROW WHEN (old.revoked_at IS NOT NULL AND new.revoked_at IS DISTINCT FROM old.revoked_at) EXECUTE FUNCTION refuse_revival();

CREATE TABLE domain_event (
    event_id uuid NOT NULL,
    aggregate_id uuid NOT NULL,
    type text NOT NULL,
    subject text NOT NULL,
    envelope bytea NOT NULL,
    CONSTRAINT domain_event_pkey PRIMARY KEY (event_id)
) PARTITION BY RANGE (event_id);
CREATE TABLE domain_event_default PARTITION OF domain_event DEFAULT;

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

CREATE TABLE outbox (
    seq bigserial NOT NULL,
    event_id uuid NOT NULL,
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
CREATE INDEX outbox_parked_idx ON outbox USING btree (seq) WHERE parked_at IS NOT NULL;

CREATE TABLE outbox_refill (
    id bigserial NOT NULL,
    stream text NOT NULL,
    reason text NOT NULL,
    first_event_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000'::uuid,
    after_batch_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000'::uuid,
    last_batch_id uuid NOT NULL,
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

CREATE TABLE published_batch (
    batch_id uuid NOT NULL,
    generation integer NOT NULL,
    published_at timestamp(3) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
    event_ids uuid[] NOT NULL,
    stream_seqs bigint[] NOT NULL,
    CONSTRAINT published_batch_pkey PRIMARY KEY (batch_id)
) PARTITION BY RANGE (batch_id);
CREATE TABLE published_batch_default PARTITION OF published_batch DEFAULT;

CREATE TABLE scheduled_terms (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    effective_from timestamp(3) with time zone NOT NULL,
    thresholds jsonb NOT NULL,
    caps jsonb NOT NULL,
    purpose text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    applied_at timestamp(3) with time zone,
    cancelled_at timestamp(3) with time zone,
    CONSTRAINT scheduled_terms_pkey PRIMARY KEY (id),
    CONSTRAINT scheduled_terms_ended_once CHECK (applied_at IS NULL OR cancelled_at IS NULL)
);
CREATE INDEX scheduled_terms_account_id_idx ON scheduled_terms USING btree (account_id, id);
CREATE INDEX scheduled_terms_due_idx ON scheduled_terms USING btree (effective_from) WHERE applied_at IS NULL AND cancelled_at IS NULL;
CREATE UNIQUE INDEX scheduled_terms_waiting_key ON scheduled_terms USING btree (account_id, effective_from) WHERE applied_at IS NULL AND cancelled_at IS NULL;

ALTER TABLE credential ADD CONSTRAINT credential_account_id_fkey
    FOREIGN KEY (account_id) REFERENCES account(id) ON UPDATE RESTRICT ON DELETE RESTRICT;

ALTER TABLE scheduled_terms ADD CONSTRAINT scheduled_terms_account_id_fkey
    FOREIGN KEY (account_id) REFERENCES account(id) ON UPDATE RESTRICT ON DELETE RESTRICT;
