-- begin outbox.sql
-- The tables and functions of the outbox, as every service that publishes events has them.

-- Every event of the last days, appended in the transaction of its change and never changed. A stream that lost events is
-- filled again from here. Partitioned by the UTC day of the event id, a UUIDv7 whose first 48 bits are milliseconds: days
-- are ranges of ids, and order by id is order in time.
CREATE TABLE domain_event (
    event_id UUID NOT NULL,
    aggregate_id UUID NOT NULL,
    type TEXT NOT NULL,
    subject TEXT NOT NULL,
    envelope BYTEA NOT NULL,
    CONSTRAINT domain_event_pkey PRIMARY KEY (event_id)
) PARTITION BY RANGE (event_id);
-- Takes ids of days that have no partition, so that no event is ever refused for want of one.
CREATE TABLE domain_event_default PARTITION OF domain_event DEFAULT;

-- The events still to be published, in this order. The relay deletes them in sets, so this table is as small as the relay
-- is quick. One that the stream refuses is parked, with the reason, until staff release it.
CREATE TABLE outbox (
    seq BIGSERIAL NOT NULL,
    event_id UUID NOT NULL,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    parked_at TIMESTAMPTZ(3),
    failure TEXT,
    CONSTRAINT outbox_pkey PRIMARY KEY (seq)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0,
        autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 50000);
CREATE INDEX outbox_parked_idx ON outbox(seq) WHERE parked_at IS NOT NULL;

-- Where published events lie in the stream: a row for each set that a relay published, in which life of the stream, and
-- at which places. Partitioned like the events, by the day of publication.
CREATE TABLE published_batch (
    batch_id UUID NOT NULL,
    generation INTEGER NOT NULL,
    published_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    event_ids UUID[] NOT NULL,
    stream_seqs BIGINT[] NOT NULL,
    CONSTRAINT published_batch_pkey PRIMARY KEY (batch_id)
) PARTITION BY RANGE (batch_id);
CREATE TABLE published_batch_default PARTITION OF published_batch DEFAULT;

-- What is known of the stream. Its generation rises when it has lost events. The checkpoint is an event that was
-- published a moment ago, the anchor one of some minutes ago: each must still lie where it was.
CREATE TABLE outbox_stream (
    stream TEXT NOT NULL,
    born TEXT NOT NULL,
    generation INTEGER NOT NULL DEFAULT 0,
    checkpoint_seq BIGINT,
    checkpoint_message_id TEXT,
    checkpoint_at TIMESTAMPTZ(3),
    anchor_seq BIGINT,
    anchor_message_id TEXT,
    anchor_at TIMESTAMPTZ(3),
    CONSTRAINT outbox_stream_pkey PRIMARY KEY (stream)
);

-- Batches whose events are being published again: those after after_batch_id, up to last_batch_id, and of them the events
-- from first_event_id on which the stream has lost: those of lost_generation beyond keep_through, and all of earlier
-- generations.
CREATE TABLE outbox_refill (
    id BIGSERIAL NOT NULL,
    stream TEXT NOT NULL,
    reason TEXT NOT NULL,
    first_event_id UUID NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
    after_batch_id UUID NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
    last_batch_id UUID NOT NULL,
    lost_generation INTEGER NOT NULL,
    keep_through BIGINT NOT NULL,
    published BIGINT NOT NULL DEFAULT 0,
    requested_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT outbox_refill_pkey PRIMARY KEY (id)
);

-- The least event id of a moment.
CREATE FUNCTION event_id_floor(at TIMESTAMPTZ) RETURNS UUID LANGUAGE sql STABLE AS $$
    SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

-- Adds the partition of a UTC day, with what the default partition has taken for it. The new table is filled before it
-- is attached, which locks the partitioned table less than making it in place would. It is written once and dropped
-- whole, so nothing vacuums it; and without statistics the planner always takes the primary key.
CREATE FUNCTION add_event_partition(parent TEXT, key TEXT, day DATE) RETURNS VOID LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
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
END $$;

-- Does at most one thing that the partitions of events and batches need: adds one of the days from yesterday to
-- ahead_days from now, drops one that is past its days, or deletes what is past them in a default partition. An event
-- that is still to be published, or parked, moves to the default partition and stays. Answers 'changed' (call again),
-- 'busy' (another transaction holds the table: call again later) or 'done'. Made to be called by a role that may not
-- change tables; so it keeps at least what the contract promises.
CREATE FUNCTION maintain_event_partitions(keep_days INTEGER, ahead_days INTEGER)
RETURNS TEXT LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
SET lock_timeout = '200ms' AS $$
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
END $$;
-- end outbox.sql

-- begin failed-events.sql
-- Events that a consumer could not apply, or may not apply yet: each is tried again when it is due, and parked for staff
-- after its last attempt. An event that lies here is acknowledged, and holds no place in the stream.
CREATE TABLE failed_event (
    consumer TEXT NOT NULL,
    event_id UUID NOT NULL,
    aggregate_id UUID,
    type TEXT NOT NULL,
    subject TEXT NOT NULL,
    envelope BYTEA NOT NULL,
    seq BIGSERIAL NOT NULL,
    received_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    attempts INTEGER NOT NULL DEFAULT 0,
    due_at TIMESTAMPTZ(3) NOT NULL,
    parked_at TIMESTAMPTZ(3),
    failure TEXT NOT NULL,
    CONSTRAINT failed_event_pkey PRIMARY KEY (consumer, event_id)
);
-- The type comes before the time: a version claims only what it knows, and does not read past the rest.
CREATE INDEX failed_event_due_idx ON failed_event(consumer, type, due_at) WHERE parked_at IS NULL;
CREATE INDEX failed_event_aggregate_idx ON failed_event(consumer, aggregate_id);
-- end failed-events.sql

-- begin audit.sql
-- Who did what to which thing, for which account, when, why and by which request; never an applicant's data. An entry is
-- written in the transaction of its act. Entries are only ever added.
CREATE TABLE audit_entry (
    sequence BIGSERIAL NOT NULL,
    at TIMESTAMPTZ(3) NOT NULL,
    actor TEXT NOT NULL,
    issuer TEXT NOT NULL,
    roles TEXT[] NOT NULL,
    action TEXT NOT NULL,
    target TEXT NOT NULL,
    account_id UUID,
    before JSONB,
    after JSONB,
    purpose TEXT NOT NULL,
    request_id TEXT NOT NULL,
    CONSTRAINT audit_entry_pkey PRIMARY KEY (sequence)
);
CREATE INDEX audit_entry_at_idx ON audit_entry(at, sequence);
CREATE INDEX audit_entry_account_id_idx ON audit_entry(account_id, at, sequence);
CREATE INDEX audit_entry_target_idx ON audit_entry(target, at, sequence);
CREATE INDEX audit_entry_actor_idx ON audit_entry(actor, at, sequence);
CREATE INDEX audit_entry_action_idx ON audit_entry(action, at, sequence);
CREATE INDEX audit_entry_request_id_idx ON audit_entry(request_id, at, sequence);

-- The chain over the entries, in the order in which they were sealed, moments after their commits: each hash covers its
-- entry, its place and the hash before it.
CREATE TABLE audit_seal (
    position BIGINT NOT NULL,
    sequence BIGINT NOT NULL,
    hash BYTEA NOT NULL,
    sealed_at TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT audit_seal_pkey PRIMARY KEY (position),
    CONSTRAINT audit_seal_position_check CHECK (position > 0),
    CONSTRAINT audit_seal_hash_check CHECK (octet_length(hash) = 32)
);
CREATE UNIQUE INDEX audit_seal_sequence_key ON audit_seal(sequence);

-- Entries that wait to be sealed. Numbers of entries have gaps and are committed in any order: this table, and not a
-- greatest number, says what is left.
CREATE TABLE audit_unsealed (
    sequence BIGINT NOT NULL,
    since TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT audit_unsealed_pkey PRIMARY KEY (sequence)
);

-- With the rights of the tables' owner: a service may take entries off the list and put none on it.
CREATE FUNCTION note_unsealed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
BEGIN
    INSERT INTO audit_unsealed (sequence) SELECT sequence FROM added;
    RETURN NULL;
END $$;
CREATE TRIGGER audit_entry_unsealed AFTER INSERT ON audit_entry REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION note_unsealed();

CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'rows of % are only ever added', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER audit_entry_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entry
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_seal_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_seal
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
-- end audit.sql

-- begin audit-verification.sql
-- What those runs of verify-audit found that were to be recorded; the service's metrics tell of it. Rows are only ever added.
CREATE TABLE audit_verification (
    sequence BIGSERIAL NOT NULL,
    verified_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    -- Up to where the log was good: `position:hash`.
    head TEXT NOT NULL,
    -- The first finding, as a sentence; null where there was none.
    broken TEXT,
    CONSTRAINT audit_verification_pkey PRIMARY KEY (sequence)
);
-- end audit-verification.sql

-- begin keys-in-use.sql
-- The keys that values of this database may be under: a process whose key ring lacks one does not start.
CREATE TABLE key_in_use (
    purpose text NOT NULL,
    key_id text NOT NULL,
    -- Equal for equal keys; null until the first process with the key has started.
    check_value bytea,
    since timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT key_in_use_pkey PRIMARY KEY (purpose, key_id),
    CONSTRAINT key_in_use_purpose_check CHECK (purpose = ANY (ARRAY['seal'::text, 'digest'::text]))
);
-- end keys-in-use.sql

-- begin idempotency.sql
-- Calls of staff that named an idempotency key, each written in the transaction of its act. Digests say whose call and which
-- request it was. The answer holds no secret, and is null while an act that other services take part in is under way. Kept
-- for seven days.
CREATE TABLE idempotent_call (
    key_sha256 BYTEA NOT NULL,
    id UUID NOT NULL,
    request_sha256 BYTEA NOT NULL,
    answer BYTEA,
    begun_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT idempotent_call_pkey PRIMARY KEY (key_sha256),
    CONSTRAINT idempotent_call_digests_check CHECK (octet_length(key_sha256) = 32 AND octet_length(request_sha256) = 32)
);
CREATE INDEX idempotent_call_begun_at_idx ON idempotent_call(begun_at);
-- end idempotency.sql

CREATE TYPE attempt_error AS ENUM ('status', 'timeout', 'dns', 'connect', 'tls', 'address_refused', 'reset', 'interrupted');

CREATE TYPE environment AS ENUM ('sandbox', 'production');

CREATE TYPE event_change AS ENUM ('decided', 'billing_decided', 'returned', 'handoff_available', 'test', 'redelivery');

CREATE TYPE event_state AS ENUM ('pending', 'delivered', 'exhausted', 'superseded', 'expired', 'dropped');

CREATE TABLE attempt (
    event_id uuid NOT NULL,
    number smallint NOT NULL,
    started_at timestamptz(3) NOT NULL,
    ended_at timestamptz(3),
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
    -- Since when the answer is not kept, not even one that comes in late.
    answer_erased_at timestamptz(3),
    CONSTRAINT attempt_pkey PRIMARY KEY (event_id, number),
    CONSTRAINT attempt_answer_head_bounded CHECK (octet_length(sealed_answer_head) <= 1280),
    CONSTRAINT attempt_ended_has_outcome CHECK (ended_at IS NULL OR num_nonnulls(status_code, error_class) > 0),
    CONSTRAINT attempt_number_bounded CHECK (number >= 1 AND number <= 8),
    CONSTRAINT attempt_open_has_no_outcome CHECK (ended_at IS NOT NULL OR num_nonnulls(status_code, error_class) = 0)
);

CREATE TABLE endpoint (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    environment environment NOT NULL,
    url text NOT NULL,
    enabled boolean NOT NULL,
    sealed_secret bytea NOT NULL,
    key_fingerprint text NOT NULL,
    created_at timestamptz(3) NOT NULL,
    CONSTRAINT endpoint_pkey PRIMARY KEY (id),
    CONSTRAINT endpoint_key_fingerprint_form CHECK (key_fingerprint ~ '^[0-9a-f]{8}$'::text),
    CONSTRAINT endpoint_url_bounded CHECK (char_length(url) >= 1 AND char_length(url) <= 2048)
);
CREATE UNIQUE INDEX endpoint_account_id_environment_key ON endpoint (account_id, environment);
CREATE INDEX endpoint_disabled_idx ON endpoint (id) WHERE NOT enabled;

CREATE TABLE endpoint_activity (
    endpoint_id uuid NOT NULL,
    active_from timestamptz(3) NOT NULL,
    active_until timestamptz(3),
    CONSTRAINT endpoint_activity_pkey PRIMARY KEY (endpoint_id, active_from),
    CONSTRAINT endpoint_activity_forward CHECK (active_until >= active_from)
);
CREATE UNIQUE INDEX endpoint_activity_one_open ON endpoint_activity (endpoint_id) WHERE active_until IS NULL;

-- How an endpoint has been doing since its last success. Apart from the endpoint, which staff change: this row changes
-- with attempts.
CREATE TABLE endpoint_health (
    endpoint_id uuid NOT NULL,
    failing_since timestamptz(3),
    failed_attempts bigint NOT NULL DEFAULT 0,
    -- When operators were notified that it is failing, once.
    notified_at timestamptz(3),
    CONSTRAINT endpoint_health_pkey PRIMARY KEY (endpoint_id),
    CONSTRAINT endpoint_health_failing_counts CHECK ((failing_since IS NULL) = (failed_attempts = 0)),
    CONSTRAINT endpoint_health_notified_while_failing CHECK (notified_at IS NULL OR failing_since IS NOT NULL)
);
CREATE INDEX endpoint_health_failing_idx ON endpoint_health (endpoint_id) WHERE failing_since IS NOT NULL;
CREATE INDEX endpoint_health_unnotified_idx ON endpoint_health (failing_since) WHERE failing_since IS NOT NULL AND notified_at IS NULL;

-- Submissions whose person was erased: no body of theirs gets a link any more, and no answer is kept.
CREATE TABLE erased_submission (
    submission_id uuid NOT NULL,
    erased_at timestamptz(3) NOT NULL,
    CONSTRAINT erased_submission_pkey PRIMARY KEY (submission_id)
);

CREATE TABLE event (
    id uuid NOT NULL,
    submission_id uuid NOT NULL,
    account_id uuid NOT NULL,
    environment environment NOT NULL,
    endpoint_id uuid,
    change event_change NOT NULL,
    occurred_at timestamptz(3) NOT NULL,
    recorded_at timestamptz(3) NOT NULL,
    sealed_body bytea,
    state event_state NOT NULL,
    superseded_by uuid,
    attempt_count smallint NOT NULL DEFAULT 0,
    next_attempt_at timestamptz(3),
    lease_until timestamptz(3),
    settled_at timestamptz(3),
    -- The event that stands in for this one since staff had it redelivered.
    redelivered_as uuid,
    -- The attempt under way. Its row is written when it has ended; its number is spent before it begins.
    attempt_started_at timestamptz(3),
    attempt_key_fingerprint text,
    -- The trace that the delivery goes on in, as a W3C traceparent; null where its change was not traced.
    trace_parent text,
    -- Since when the body has no link any more, or is gone: the person was erased.
    body_erased_at timestamptz(3),
    CONSTRAINT event_pkey PRIMARY KEY (id),
    CONSTRAINT event_attempts_bounded CHECK (attempt_count >= 0 AND attempt_count <= 8),
    CONSTRAINT event_redelivered_settled CHECK (redelivered_as IS NULL OR (state = ANY (ARRAY['exhausted'::event_state, 'expired'::event_state, 'delivered'::event_state]))),
    CONSTRAINT event_settled_once CHECK ((state = 'pending'::event_state) = (settled_at IS NULL)),
    CONSTRAINT event_superseded_by_one CHECK ((state = 'superseded'::event_state) = (superseded_by IS NOT NULL)),
    -- Changes are merged only while nothing has been attempted.
    CONSTRAINT event_superseded_unattempted CHECK (state <> 'superseded'::event_state OR attempt_count = 0),
    -- A pending event either waits for its next attempt or is leased for one; every other is at rest.
    CONSTRAINT event_waits_or_is_leased CHECK (num_nonnulls(next_attempt_at, lease_until) =
        CASE
            WHEN state = 'pending'::event_state THEN 1
            ELSE 0
        END),
    CONSTRAINT event_whole_unless_dropped CHECK (state = 'dropped'::event_state OR endpoint_id IS NOT NULL AND sealed_body IS NOT NULL)
);
-- What is due, per endpoint: a claim never reads past another endpoint's backlog.
CREATE INDEX event_due_idx ON event (endpoint_id, next_attempt_at) WHERE next_attempt_at IS NOT NULL;
-- The endpoint's events as staff list them.
CREATE INDEX event_endpoint_id_recorded_at_idx ON event (endpoint_id, recorded_at, id);
CREATE INDEX event_leased_idx ON event (lease_until) WHERE lease_until IS NOT NULL;
-- What retention deletes.
CREATE INDEX event_settled_at_idx ON event (settled_at) WHERE settled_at IS NOT NULL;
CREATE INDEX event_submission_id_occurred_at_idx ON event (submission_id, occurred_at);
-- What can still be redelivered.
CREATE INDEX event_delivered_idx ON event (endpoint_id, settled_at) WHERE state = 'delivered'::event_state AND redelivered_as IS NULL;
CREATE INDEX event_undelivered_idx ON event (endpoint_id, settled_at) WHERE (state = ANY (ARRAY['exhausted'::event_state, 'expired'::event_state])) AND redelivered_as IS NULL;

-- Submissions that reconciliation has had restated, so that it does not do so again and again.
CREATE TABLE restatement (
    submission_id uuid NOT NULL,
    restated_at timestamptz(3) NOT NULL,
    CONSTRAINT restatement_pkey PRIMARY KEY (submission_id)
);
CREATE INDEX restatement_restated_at_idx ON restatement (restated_at);

-- Whose turn a task is that one replica does for all, and how far it has come.
CREATE TABLE task_turn (
    task text NOT NULL,
    next_at timestamptz(3) NOT NULL,
    done_until timestamptz(3),
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

-- How many events were recorded, by day and what became of them, and how long they waited for their first attempt. The
-- database notes each change with the statement that makes it: appended, so that nobody waits for
-- anybody else's count. Notes are folded into the counts afterwards; who reads adds both. No constraint says what a note
-- is like: a figure must never refuse a delivery.
CREATE TABLE delivery_note (
    environment environment NOT NULL,
    -- Of the recording, in UTC.
    day DATE NOT NULL,
    account_id UUID NOT NULL,
    -- Of a note of events.
    state event_state,
    -- Delivered by the first attempt.
    at_first BOOLEAN,
    -- Of a note of first attempts: the class of the time from the change to the attempt.
    wait SMALLINT,
    events INTEGER NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
        autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 50000);

CREATE TABLE delivery_count (
    environment environment NOT NULL,
    day DATE NOT NULL,
    account_id UUID NOT NULL,
    state event_state NOT NULL,
    at_first BOOLEAN NOT NULL,
    events BIGINT NOT NULL,
    CONSTRAINT delivery_count_pkey PRIMARY KEY (environment, day, account_id, state, at_first)
);

-- Of one account, and in the rows of the account 00000000-0000-0000-0000-000000000000 of all.
CREATE TABLE first_attempt_wait_count (
    environment environment NOT NULL,
    account_id UUID NOT NULL,
    day DATE NOT NULL,
    wait SMALLINT NOT NULL,
    events BIGINT NOT NULL,
    CONSTRAINT first_attempt_wait_count_pkey PRIMARY KEY (environment, account_id, day, wait)
);

-- The class of a time span: eight for each doubling of its milliseconds, so that a class is known to 9 %. -1 for none.
CREATE FUNCTION wait_class(since TIMESTAMPTZ, until TIMESTAMPTZ) RETURNS SMALLINT LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN until <= since THEN -1
                ELSE ceil(8 * ln(extract(epoch FROM until - since)::float8 * 1000) / ln(2::float8) - 1e-6) END::smallint
$$;

-- The time to the first attempt counts from the change: an event is claimed as it is recorded. A claim that does not say when
-- it began is left out, as nothing here may keep an event from being recorded or delivered.
CREATE FUNCTION note_events() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path TO 'public', 'pg_temp' AS $$
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
END $$;
CREATE TRIGGER event_noted AFTER INSERT ON event REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION note_events();

-- What was, taken away, and what is, added: never joined, since the planner does not know the sizes of the two.
CREATE FUNCTION note_outcomes() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path TO 'public', 'pg_temp' AS $$
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
END $$;
CREATE TRIGGER event_outcome_noted AFTER UPDATE ON event REFERENCING OLD TABLE AS was NEW TABLE AS now_is
    FOR EACH STATEMENT EXECUTE FUNCTION note_outcomes();
