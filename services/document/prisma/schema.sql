-- What the migrations of this service make. Written by `npm run generate`; do not edit.
-- Tables partitioned by day have their default partition here; those of the days come and go.

CREATE TYPE document_category AS ENUM ('bank_statements', 'accounts', 'id');

CREATE TYPE document_state AS ENUM ('awaiting_upload', 'finalized', 'deleted');

CREATE TYPE environment AS ENUM ('sandbox', 'production');

CREATE TYPE scan_reason AS ENUM ('malware', 'content_mismatch', 'encrypted', 'limits_exceeded', 'object_changed');

CREATE TYPE scan_status AS ENUM ('pending_scan', 'clean', 'infected', 'scan_failed');

CREATE TYPE store_area AS ENUM ('incoming', 'held', 'clean');

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

CREATE TABLE account_usage (
    account_id uuid NOT NULL,
    environment environment NOT NULL,
    bytes bigint NOT NULL,
    CONSTRAINT account_usage_pkey PRIMARY KEY (account_id, environment),
    CONSTRAINT account_usage_not_negative CHECK (bytes >= 0)
);

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

CREATE TABLE document (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    environment environment NOT NULL,
    external_reference text NOT NULL,
    category document_category NOT NULL,
    filename bytea NOT NULL,
    content_type text NOT NULL,
    byte_size bigint NOT NULL,
    object_key text NOT NULL,
    state document_state NOT NULL,
    scan_status scan_status,
    created_at timestamp(3) with time zone NOT NULL,
    finalized_at timestamp(3) with time zone,
    submission_id uuid,
    upload_expires_at timestamp(3) with time zone NOT NULL,
    held_key text,
    etag text,
    area store_area,
    scan_attempt integer NOT NULL DEFAULT 0,
    scan_due_at timestamp(3) with time zone,
    scan_lease_until timestamp(3) with time zone,
    scan_reason scan_reason,
    signature text,
    scanned_at timestamp(3) with time zone,
    deleted_at timestamp(3) with time zone,
    version bigint NOT NULL DEFAULT 0,
    scan_tries integer NOT NULL DEFAULT 0,
    scan_parked_at timestamp(3) with time zone,
    submission_accepted boolean,
    held_back_until timestamp(3) with time zone,
    CONSTRAINT document_pkey PRIMARY KEY (id),
    CONSTRAINT document_awaiting_upload_check CHECK (state <> 'awaiting_upload'::document_state OR num_nonnulls(finalized_at, submission_id, scan_status) = 0),
    CONSTRAINT document_byte_size_check CHECK (byte_size > 0),
    CONSTRAINT document_clean_area_check CHECK (scan_status IS DISTINCT FROM 'clean'::scan_status OR area = 'clean'::store_area),
    CONSTRAINT document_deleted_check CHECK ((state = 'deleted'::document_state) = (deleted_at IS NOT NULL)),
    CONSTRAINT document_finalized_check CHECK (state <> 'finalized'::document_state OR num_nulls(finalized_at, submission_id, scan_status) = 0),
    CONSTRAINT document_held_check CHECK (state <> 'finalized'::document_state OR num_nulls(held_key, etag) = 0 AND (area = ANY (ARRAY['held'::store_area, 'clean'::store_area]))),
    CONSTRAINT document_infected_area_check CHECK (scan_status IS DISTINCT FROM 'infected'::scan_status OR area = 'held'::store_area),
    CONSTRAINT document_scan_reason_check CHECK (
CASE scan_status
    WHEN 'infected'::scan_status THEN scan_reason = 'malware'::scan_reason AND signature IS NOT NULL
    WHEN 'scan_failed'::scan_status THEN scan_reason IS NOT NULL AND scan_reason <> 'malware'::scan_reason
    ELSE scan_reason IS NULL AND signature IS NULL
END),
    CONSTRAINT document_scan_waits_or_is_leased CHECK (
CASE
    WHEN state = 'finalized'::document_state AND scan_status = 'pending_scan'::scan_status THEN num_nonnulls(scan_due_at, scan_lease_until, scan_parked_at) = 1
    ELSE num_nonnulls(scan_due_at, scan_lease_until) = 0
END)
);
CREATE INDEX document_abandoned_idx ON document USING btree (deleted_at) WHERE state = 'deleted'::document_state AND finalized_at IS NULL;
CREATE INDEX document_awaiting_upload_idx ON document USING btree (created_at) WHERE state = 'awaiting_upload'::document_state;
CREATE INDEX document_finalized_idx ON document USING btree (finalized_at) WHERE state = 'finalized'::document_state;
CREATE UNIQUE INDEX document_held_key_key ON document USING btree (held_key);
CREATE UNIQUE INDEX document_object_key_key ON document USING btree (object_key);
CREATE INDEX document_reference_idx ON document USING btree (account_id, environment, external_reference);
CREATE INDEX document_scan_due_idx ON document USING btree (scan_due_at) WHERE scan_due_at IS NOT NULL;
CREATE INDEX document_scan_leased_idx ON document USING btree (scan_lease_until) WHERE scan_lease_until IS NOT NULL;
CREATE INDEX document_scan_parked_idx ON document USING btree (scan_parked_at) WHERE scan_parked_at IS NOT NULL;
CREATE INDEX document_scan_turn_idx ON document USING btree (account_id, environment, scan_due_at) WHERE scan_due_at IS NOT NULL;
CREATE INDEX document_submission_idx ON document USING btree (submission_id) WHERE submission_id IS NOT NULL;
CREATE INDEX document_unclear_retention_idx ON document USING btree (finalized_at) WHERE state = 'finalized'::document_state AND submission_accepted IS NULL;
CREATE INDEX document_waiting_idx ON document USING btree (finalized_at, id) WHERE state = 'finalized'::document_state AND scan_status = 'pending_scan'::scan_status;

CREATE TABLE domain_event (
    event_id uuid NOT NULL,
    aggregate_id uuid NOT NULL,
    type text NOT NULL,
    subject text NOT NULL,
    envelope bytea NOT NULL,
    CONSTRAINT domain_event_pkey PRIMARY KEY (event_id)
) PARTITION BY RANGE (event_id);
CREATE TABLE domain_event_default PARTITION OF domain_event DEFAULT;

CREATE TABLE erased_reference (
    account_id uuid NOT NULL,
    environment environment NOT NULL,
    external_reference text NOT NULL,
    erased_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT erased_reference_pkey PRIMARY KEY (account_id, environment, external_reference)
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

CREATE TABLE key_in_use (
    purpose text NOT NULL,
    key_id text NOT NULL,
    check_value bytea,
    since timestamp(3) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT key_in_use_pkey PRIMARY KEY (purpose, key_id),
    CONSTRAINT key_in_use_purpose_check CHECK (purpose = ANY (ARRAY['seal'::text, 'digest'::text]))
);

CREATE TABLE object_removal (
    area store_area NOT NULL,
    object_key text NOT NULL,
    due_at timestamp(3) with time zone NOT NULL,
    document_id uuid,
    copy_begun_at timestamp(3) with time zone,
    removed_at timestamp(3) with time zone,
    CONSTRAINT object_removal_pkey PRIMARY KEY (area, object_key)
);
CREATE INDEX object_removal_document_idx ON object_removal USING btree (document_id) WHERE document_id IS NOT NULL;
CREATE INDEX object_removal_due_at_idx ON object_removal USING btree (due_at);

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
