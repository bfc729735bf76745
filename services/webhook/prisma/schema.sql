-- What the migrations of this service make. Written by `npm run generate`; do not edit.
-- Tables partitioned by day have their default partition here; those of the days come and go.

CREATE TYPE attempt_error AS ENUM ('status', 'timeout', 'dns', 'connect', 'tls', 'address_refused', 'reset', 'interrupted');

CREATE TYPE environment AS ENUM ('sandbox', 'production');

CREATE TYPE event_change AS ENUM ('decided', 'billing_decided', 'returned', 'handoff_available', 'test', 'redelivery');

CREATE TYPE event_state AS ENUM ('pending', 'delivered', 'exhausted', 'superseded', 'expired', 'dropped');

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

CREATE OR REPLACE FUNCTION public.note_events()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
    INSERT INTO delivery_note (environment, day, account_id, state, at_first, wait, events)
    SELECT environment, (recorded_at AT TIME ZONE 'UTC')::date, account_id, state,
           state = 'delivered' AND attempt_count = 1, NULL::smallint, count(*)
      FROM added GROUP BY 1, 2, 3, 4, 5
    UNION ALL
    SELECT environment, (recorded_at AT TIME ZONE 'UTC')::date, account_id, NULL, NULL,
           wait_class(occurred_at, attempt_started_at), count(*)
      FROM added WHERE attempt_count = 1 AND attempt_started_at IS NOT NULL GROUP BY 1, 2, 3, 6;
    RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.note_outcomes()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
    INSERT INTO delivery_note (environment, day, account_id, state, at_first, wait, events)
    SELECT environment, day, account_id, state, at_first, NULL::smallint, sum(n)
      FROM (SELECT environment, (recorded_at AT TIME ZONE 'UTC')::date AS day, account_id, state,
                   state = 'delivered' AND attempt_count = 1 AS at_first, -1 AS n FROM was
            UNION ALL
            SELECT environment, (recorded_at AT TIME ZONE 'UTC')::date, account_id, state,
                   state = 'delivered' AND attempt_count = 1, 1 FROM now_is) AS changed
     GROUP BY 1, 2, 3, 4, 5 HAVING sum(n) <> 0
    UNION ALL
    SELECT environment, (recorded_at AT TIME ZONE 'UTC')::date, account_id, NULL, NULL,
           wait_class(occurred_at, attempt_started_at), count(*)
      FROM (SELECT *, count(*) OVER (PARTITION BY id) AS rows_of_it
              FROM (SELECT id, environment, occurred_at, recorded_at, account_id, attempt_count, attempt_started_at
                      FROM was WHERE attempt_count = 0
                    UNION ALL
                    SELECT id, environment, occurred_at, recorded_at, account_id, attempt_count, attempt_started_at
                      FROM now_is WHERE attempt_count = 1 AND lease_until IS NOT NULL) AS claimed) AS first
     WHERE rows_of_it = 2 AND attempt_count = 1 AND attempt_started_at IS NOT NULL GROUP BY 1, 2, 3, 6;
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

CREATE OR REPLACE FUNCTION public.wait_class(since timestamp with time zone, until timestamp with time zone)
 RETURNS smallint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
    SELECT CASE WHEN until <= since THEN -1
                ELSE ceil(8 * ln(extract(epoch FROM until - since)::float8 * 1000) / ln(2::float8) - 1e-6) END::smallint
$function$;

CREATE TABLE attempt (
    event_id uuid NOT NULL,
    number smallint NOT NULL,
    started_at timestamp(3) with time zone NOT NULL,
    ended_at timestamp(3) with time zone,
    key_fingerprint text NOT NULL,
    status_code smallint,
    error_class attempt_error,
    dns_ms real,
    connect_ms real,
    tls_ms real,
    status_ms real,
    resolved_ip inet,
    tls_version text,
    sealed_answer_head bytea,
    answer_erased_at timestamp(3) with time zone,
    CONSTRAINT attempt_pkey PRIMARY KEY (event_id, number),
    CONSTRAINT attempt_answer_head_bounded CHECK (octet_length(sealed_answer_head) <= 1280),
    CONSTRAINT attempt_ended_has_outcome CHECK (ended_at IS NULL OR num_nonnulls(status_code, error_class) > 0),
    CONSTRAINT attempt_number_bounded CHECK (number >= 1 AND number <= 8),
    CONSTRAINT attempt_open_has_no_outcome CHECK (ended_at IS NOT NULL OR num_nonnulls(status_code, error_class) = 0)
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

CREATE TABLE delivery_count (
    environment environment NOT NULL,
    day date NOT NULL,
    account_id uuid NOT NULL,
    state event_state NOT NULL,
    at_first boolean NOT NULL,
    events bigint NOT NULL,
    CONSTRAINT delivery_count_pkey PRIMARY KEY (environment, day, account_id, state, at_first)
);

CREATE TABLE delivery_note (
    environment environment NOT NULL,
    day date NOT NULL,
    account_id uuid NOT NULL,
    state event_state,
    at_first boolean,
    wait smallint,
    events integer NOT NULL
) WITH (
    autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_threshold = 5000,
    autovacuum_vacuum_insert_scale_factor = 0,
    autovacuum_vacuum_insert_threshold = 50000
);

CREATE TABLE domain_event (
    event_id uuid NOT NULL,
    aggregate_id uuid NOT NULL,
    type text NOT NULL,
    subject text NOT NULL,
    envelope bytea NOT NULL,
    CONSTRAINT domain_event_pkey PRIMARY KEY (event_id)
) PARTITION BY RANGE (event_id);
CREATE TABLE domain_event_default PARTITION OF domain_event DEFAULT;

CREATE TABLE endpoint (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    environment environment NOT NULL,
    url text NOT NULL,
    enabled boolean NOT NULL,
    sealed_secret bytea NOT NULL,
    key_fingerprint text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT endpoint_pkey PRIMARY KEY (id),
    CONSTRAINT endpoint_key_fingerprint_form CHECK (key_fingerprint ~ '^[0-9a-f]{8}$'::text),
    CONSTRAINT endpoint_url_bounded CHECK (char_length(url) >= 1 AND char_length(url) <= 2048)
);
CREATE UNIQUE INDEX endpoint_account_id_environment_key ON endpoint USING btree (account_id, environment);
CREATE INDEX endpoint_disabled_idx ON endpoint USING btree (id) WHERE NOT enabled;

CREATE TABLE endpoint_activity (
    endpoint_id uuid NOT NULL,
    active_from timestamp(3) with time zone NOT NULL,
    active_until timestamp(3) with time zone,
    CONSTRAINT endpoint_activity_pkey PRIMARY KEY (endpoint_id, active_from),
    CONSTRAINT endpoint_activity_forward CHECK (active_until >= active_from)
);
CREATE UNIQUE INDEX endpoint_activity_one_open ON endpoint_activity USING btree (endpoint_id) WHERE active_until IS NULL;

CREATE TABLE endpoint_health (
    endpoint_id uuid NOT NULL,
    failing_since timestamp(3) with time zone,
    failed_attempts bigint NOT NULL DEFAULT 0,
    notified_at timestamp(3) with time zone,
    CONSTRAINT endpoint_health_pkey PRIMARY KEY (endpoint_id),
    CONSTRAINT endpoint_health_failing_counts CHECK ((failing_since IS NULL) = (failed_attempts = 0)),
    CONSTRAINT endpoint_health_notified_while_failing CHECK (notified_at IS NULL OR failing_since IS NOT NULL)
);
CREATE INDEX endpoint_health_failing_idx ON endpoint_health USING btree (endpoint_id) WHERE failing_since IS NOT NULL;
CREATE INDEX endpoint_health_unnotified_idx ON endpoint_health USING btree (failing_since) WHERE failing_since IS NOT NULL AND notified_at IS NULL;

CREATE TABLE erased_submission (
    submission_id uuid NOT NULL,
    erased_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT erased_submission_pkey PRIMARY KEY (submission_id)
);

CREATE TABLE event (
    id uuid NOT NULL,
    submission_id uuid NOT NULL,
    account_id uuid NOT NULL,
    environment environment NOT NULL,
    endpoint_id uuid,
    change event_change NOT NULL,
    occurred_at timestamp(3) with time zone NOT NULL,
    recorded_at timestamp(3) with time zone NOT NULL,
    sealed_body bytea,
    state event_state NOT NULL,
    superseded_by uuid,
    attempt_count smallint NOT NULL DEFAULT 0,
    next_attempt_at timestamp(3) with time zone,
    lease_until timestamp(3) with time zone,
    settled_at timestamp(3) with time zone,
    redelivered_as uuid,
    attempt_started_at timestamp(3) with time zone,
    attempt_key_fingerprint text,
    trace_parent text,
    body_erased_at timestamp(3) with time zone,
    CONSTRAINT event_pkey PRIMARY KEY (id),
    CONSTRAINT event_attempts_bounded CHECK (attempt_count >= 0 AND attempt_count <= 8),
    CONSTRAINT event_redelivered_undelivered CHECK (redelivered_as IS NULL OR (state = ANY (ARRAY['exhausted'::event_state, 'expired'::event_state]))),
    CONSTRAINT event_settled_once CHECK ((state = 'pending'::event_state) = (settled_at IS NULL)),
    CONSTRAINT event_superseded_by_one CHECK ((state = 'superseded'::event_state) = (superseded_by IS NOT NULL)),
    CONSTRAINT event_superseded_unattempted CHECK (state <> 'superseded'::event_state OR attempt_count = 0),
    CONSTRAINT event_waits_or_is_leased CHECK (num_nonnulls(next_attempt_at, lease_until) =
CASE
    WHEN state = 'pending'::event_state THEN 1
    ELSE 0
END),
    CONSTRAINT event_whole_unless_dropped CHECK (state = 'dropped'::event_state OR endpoint_id IS NOT NULL AND sealed_body IS NOT NULL)
);
CREATE INDEX event_due_idx ON event USING btree (endpoint_id, next_attempt_at) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX event_endpoint_id_recorded_at_idx ON event USING btree (endpoint_id, recorded_at, id);
CREATE INDEX event_leased_idx ON event USING btree (lease_until) WHERE lease_until IS NOT NULL;
CREATE INDEX event_settled_at_idx ON event USING btree (settled_at) WHERE settled_at IS NOT NULL;
CREATE INDEX event_submission_id_occurred_at_idx ON event USING btree (submission_id, occurred_at);
CREATE INDEX event_undelivered_idx ON event USING btree (endpoint_id, settled_at) WHERE (state = ANY (ARRAY['exhausted'::event_state, 'expired'::event_state])) AND redelivered_as IS NULL;
CREATE TRIGGER event_noted AFTER INSERT ON event REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION note_events();
CREATE TRIGGER event_outcome_noted AFTER UPDATE ON event REFERENCING OLD TABLE AS was NEW TABLE AS now_is FOR EACH STATEMENT EXECUTE FUNCTION note_outcomes();

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

CREATE TABLE first_attempt_wait_count (
    environment environment NOT NULL,
    account_id uuid NOT NULL,
    day date NOT NULL,
    wait smallint NOT NULL,
    events bigint NOT NULL,
    CONSTRAINT first_attempt_wait_count_pkey PRIMARY KEY (environment, account_id, day, wait)
);

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

CREATE TABLE key_in_use (
    purpose text NOT NULL,
    key_id text NOT NULL,
    check_value bytea,
    since timestamp(3) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT key_in_use_pkey PRIMARY KEY (purpose, key_id),
    CONSTRAINT key_in_use_purpose_check CHECK (purpose = ANY (ARRAY['seal'::text, 'digest'::text]))
);

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

CREATE TABLE restatement (
    submission_id uuid NOT NULL,
    restated_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT restatement_pkey PRIMARY KEY (submission_id)
);
CREATE INDEX restatement_restated_at_idx ON restatement USING btree (restated_at);

CREATE TABLE task_turn (
    task text NOT NULL,
    next_at timestamp(3) with time zone NOT NULL,
    done_until timestamp(3) with time zone,
    CONSTRAINT task_turn_pkey PRIMARY KEY (task)
);

ALTER TABLE attempt ADD CONSTRAINT attempt_event_id_fkey
    FOREIGN KEY (event_id) REFERENCES event(id) ON UPDATE RESTRICT ON DELETE CASCADE;

ALTER TABLE endpoint_activity ADD CONSTRAINT endpoint_activity_endpoint_id_fkey
    FOREIGN KEY (endpoint_id) REFERENCES endpoint(id) ON UPDATE RESTRICT ON DELETE RESTRICT;

ALTER TABLE endpoint_health ADD CONSTRAINT endpoint_health_endpoint_id_fkey
    FOREIGN KEY (endpoint_id) REFERENCES endpoint(id) ON UPDATE RESTRICT ON DELETE RESTRICT;

ALTER TABLE event ADD CONSTRAINT event_endpoint_id_fkey
    FOREIGN KEY (endpoint_id) REFERENCES endpoint(id) ON UPDATE RESTRICT ON DELETE RESTRICT;
