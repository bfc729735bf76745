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

CREATE TYPE document_category AS ENUM ('bank_statements', 'accounts', 'id');

CREATE TYPE document_state AS ENUM ('awaiting_upload', 'finalized', 'deleted');

CREATE TYPE environment AS ENUM ('sandbox', 'production');

CREATE TYPE scan_reason AS ENUM ('malware', 'content_mismatch', 'encrypted', 'limits_exceeded', 'object_changed');

CREATE TYPE scan_status AS ENUM ('pending_scan', 'clean', 'infected', 'scan_failed');

CREATE TYPE store_area AS ENUM ('incoming', 'held', 'clean');

-- Bytes that an account has reserved or holds. Kept by whoever adds or deletes a document, in the same transaction.
CREATE TABLE account_usage (
    account_id uuid NOT NULL,
    environment environment NOT NULL,
    bytes bigint NOT NULL,
    CONSTRAINT account_usage_pkey PRIMARY KEY (account_id, environment),
    CONSTRAINT account_usage_not_negative CHECK (bytes >= 0)
);

-- Files that customers gave to suppliers. The name of a file may name a person, so it is sealed; the key of the stored
-- object is random and says nothing.
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
    -- Unknown until the upload is finalized.
    scan_status scan_status,
    created_at timestamptz(3) NOT NULL,
    finalized_at timestamptz(3),
    submission_id uuid,
    -- Until when the upload URL admits the object.
    upload_expires_at timestamptz(3) NOT NULL,
    -- The object as it was when the upload was finalized: its key out of the uploader's reach, and its ETag.
    held_key text,
    etag text,
    -- Where those bytes lie now.
    area store_area,
    -- Rises when a scan is claimed, and fences what a scanner that comes back late has to say.
    scan_attempt integer NOT NULL DEFAULT 0,
    -- Set exactly while the document waits for a scan.
    scan_due_at timestamptz(3),
    -- Set exactly while a scan is under way: until then nobody else may claim it.
    scan_lease_until timestamptz(3),
    scan_reason scan_reason,
    -- The rule of the content check that refused it, and the place in the file.
    scan_rule text,
    scan_part text,
    signature text,
    scanned_at timestamptz(3),
    deleted_at timestamptz(3),
    -- Domain events of the document so far.
    version bigint NOT NULL DEFAULT 0,
    -- Scans since the last result that were begun and not known to have failed for a reason outside the document.
    scan_tries integer NOT NULL DEFAULT 0,
    -- Since when no scanner tries it any more: staff have to ask for the next scan.
    scan_parked_at timestamptz(3),
    -- True once the submission service has said that the submission was accepted; unknown before.
    submission_accepted boolean,
    -- Until when it is not looked at for removal again, since its submission is under legal hold; null before that.
    held_back_until timestamptz(3),
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
    CONSTRAINT document_scan_rule_check CHECK (scan_rule IS NULL OR scan_reason IS NOT DISTINCT FROM 'content_mismatch'::scan_reason),
    CONSTRAINT document_scan_part_check CHECK (scan_part IS NULL OR scan_rule IS NOT NULL AND length(scan_part) <= 60),
    CONSTRAINT document_scan_waits_or_is_leased CHECK (
        CASE
            WHEN state = 'finalized'::document_state AND scan_status = 'pending_scan'::scan_status THEN num_nonnulls(scan_due_at, scan_lease_until, scan_parked_at) = 1
            ELSE num_nonnulls(scan_due_at, scan_lease_until) = 0
        END)
);
CREATE INDEX document_abandoned_idx ON document (deleted_at) WHERE state = 'deleted'::document_state AND finalized_at IS NULL;
-- Uploads that never came are found by their age.
CREATE INDEX document_awaiting_upload_idx ON document (created_at) WHERE state = 'awaiting_upload'::document_state;
CREATE INDEX document_finalized_idx ON document (finalized_at) WHERE state = 'finalized'::document_state;
CREATE UNIQUE INDEX document_held_key_key ON document (held_key);
CREATE UNIQUE INDEX document_object_key_key ON document (object_key);
-- The documents of one reference are counted before another is admitted.
CREATE INDEX document_reference_idx ON document (account_id, environment, external_reference);
CREATE INDEX document_scan_due_idx ON document (scan_due_at) WHERE scan_due_at IS NOT NULL;
CREATE INDEX document_scan_leased_idx ON document (scan_lease_until) WHERE scan_lease_until IS NOT NULL;
CREATE INDEX document_scan_parked_idx ON document (scan_parked_at) WHERE scan_parked_at IS NOT NULL;
-- Whose turn it is: the accounts that wait, and of each the document that waits longest.
CREATE INDEX document_scan_turn_idx ON document (account_id, environment, scan_due_at) WHERE scan_due_at IS NOT NULL;
CREATE INDEX document_submission_idx ON document (submission_id) WHERE submission_id IS NOT NULL;
CREATE INDEX document_unclear_retention_idx ON document (finalized_at) WHERE state = 'finalized'::document_state AND submission_accepted IS NULL;
CREATE INDEX document_waiting_idx ON document (finalized_at, id) WHERE state = 'finalized'::document_state AND scan_status = 'pending_scan'::scan_status;

-- References whose applicants were erased: nothing is uploaded for them any more.
CREATE TABLE erased_reference (
    account_id uuid NOT NULL,
    environment environment NOT NULL,
    external_reference text NOT NULL,
    erased_at timestamptz(3) NOT NULL,
    CONSTRAINT erased_reference_pkey PRIMARY KEY (account_id, environment, external_reference)
);

-- Objects that nothing refers to any longer, written in the transaction that let go of them. The store is asked to
-- remove each until it has: removing what is gone is no error.
CREATE TABLE object_removal (
    area store_area NOT NULL,
    object_key text NOT NULL,
    due_at timestamptz(3) NOT NULL,
    -- Whose object it is, so that erasure finds all of a document's, copies that are being made included.
    document_id uuid,
    -- Since when a copy is being made that no document refers to yet; null for everything else.
    copy_begun_at timestamptz(3),
    -- When erasure removed it; until it is due once more, its upload URL may bring it back.
    removed_at timestamptz(3),
    CONSTRAINT object_removal_pkey PRIMARY KEY (area, object_key)
);
CREATE INDEX object_removal_document_idx ON object_removal (document_id) WHERE document_id IS NOT NULL;
CREATE INDEX object_removal_due_at_idx ON object_removal (due_at);
