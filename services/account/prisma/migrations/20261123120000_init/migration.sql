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

-- begin approvals.sql
-- Acts that a second person is to approve: what exactly and upon what, who asked, who decided, and when it was done. Never a secret and
-- never an applicant's data. What was asked for never changes; a row is decided once and used once.
CREATE TABLE approval (
    sequence BIGSERIAL NOT NULL,
    id UUID NOT NULL,
    action TEXT NOT NULL,
    target TEXT NOT NULL,
    arguments TEXT NOT NULL,
    purpose TEXT NOT NULL,
    requested_by TEXT NOT NULL,
    requested_issuer TEXT NOT NULL,
    requested_at TIMESTAMPTZ(3) NOT NULL,
    expires_at TIMESTAMPTZ(3) NOT NULL,
    decided_by TEXT,
    decided_issuer TEXT,
    decided_at TIMESTAMPTZ(3),
    refusal_reason TEXT,
    used_at TIMESTAMPTZ(3),
    reasons TEXT[],
    lines TEXT,
    sha256 TEXT,
    CONSTRAINT approval_pkey PRIMARY KEY (id),
    CONSTRAINT approval_two_people_check CHECK (decided_at IS NULL OR refusal_reason IS NOT NULL
        OR (decided_by, decided_issuer) IS DISTINCT FROM (requested_by, requested_issuer)),
    CONSTRAINT approval_used_check CHECK (used_at IS NULL
        OR (decided_at IS NOT NULL AND refusal_reason IS NULL))
);
CREATE UNIQUE INDEX approval_sequence_key ON approval(sequence);

CREATE FUNCTION keep_approval() RETURNS trigger LANGUAGE plpgsql AS $$
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
END $$;
CREATE TRIGGER approval_kept BEFORE UPDATE ON approval FOR EACH ROW EXECUTE FUNCTION keep_approval();
-- end approvals.sql

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

CREATE TYPE account_state AS ENUM ('active', 'suspended');

CREATE TYPE environment AS ENUM ('sandbox', 'production');

CREATE TYPE scope AS ENUM ('create_basic', 'create_application', 'read', 'correct', 'promote');

-- A credential that has ended never comes back to life.
CREATE FUNCTION refuse_revival()
 RETURNS trigger
 LANGUAGE plpgsql
AS $$
BEGIN
    RAISE EXCEPTION 'a revoked credential stays revoked' USING ERRCODE = 'restrict_violation';
END $$;

-- Suppliers. The revision rises by one with every event of the account.
CREATE TABLE account (
    id uuid NOT NULL,
    name text NOT NULL,
    state account_state NOT NULL,
    permitted_scopes scope[] NOT NULL,
    terms jsonb NOT NULL,
    writes_per_minute integer,
    reads_per_minute integer,
    revision bigint NOT NULL,
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    CONSTRAINT account_pkey PRIMARY KEY (id),
    CONSTRAINT account_reads_per_minute_check CHECK (reads_per_minute > 0),
    CONSTRAINT account_revision_check CHECK (revision > 0),
    CONSTRAINT account_writes_per_minute_check CHECK (writes_per_minute > 0)
);

-- Keys of accounts. Of the secret there is only a SHA-256.
CREATE TABLE credential (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    environment environment NOT NULL,
    public_id text NOT NULL,
    secret_hash bytea NOT NULL,
    scopes scope[] NOT NULL,
    created_at timestamptz(3) NOT NULL,
    expires_at timestamptz(3),
    revoked_at timestamptz(3),
    CONSTRAINT credential_pkey PRIMARY KEY (id),
    CONSTRAINT credential_public_id_check CHECK (length(public_id) = 16),
    CONSTRAINT credential_secret_hash_check CHECK (octet_length(secret_hash) = 32)
);
CREATE INDEX credential_account_id_created_at_idx ON credential (account_id, created_at);
CREATE UNIQUE INDEX credential_public_id_key ON credential (public_id);
CREATE TRIGGER credential_stays_revoked BEFORE UPDATE OF revoked_at ON credential FOR EACH ROW WHEN (old.revoked_at IS NOT NULL AND new.revoked_at IS DISTINCT FROM old.revoked_at) EXECUTE FUNCTION refuse_revival();

-- Thresholds and caps that hold for an account from a time on. Readers work out what holds; what has come into
-- effect is taken over into the account's row soon after, and stays here as its history.
CREATE TABLE scheduled_terms (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    effective_from timestamptz(3) NOT NULL,
    thresholds jsonb NOT NULL,
    caps jsonb NOT NULL,
    purpose text NOT NULL,
    created_at timestamptz(3) NOT NULL,
    applied_at timestamptz(3),
    cancelled_at timestamptz(3),
    CONSTRAINT scheduled_terms_pkey PRIMARY KEY (id),
    CONSTRAINT scheduled_terms_ended_once CHECK (applied_at IS NULL OR cancelled_at IS NULL)
);
CREATE INDEX scheduled_terms_account_id_idx ON scheduled_terms (account_id, id);
CREATE INDEX scheduled_terms_due_idx ON scheduled_terms (effective_from) WHERE applied_at IS NULL AND cancelled_at IS NULL;
-- Of one account and time at most one waits; what of an account is due and what comes next is found by it, too.
CREATE UNIQUE INDEX scheduled_terms_waiting_key ON scheduled_terms (account_id, effective_from) WHERE applied_at IS NULL AND cancelled_at IS NULL;

ALTER TABLE credential ADD CONSTRAINT credential_account_id_fkey
    FOREIGN KEY (account_id) REFERENCES account(id) ON UPDATE RESTRICT ON DELETE RESTRICT;

ALTER TABLE scheduled_terms ADD CONSTRAINT scheduled_terms_account_id_fkey
    FOREIGN KEY (account_id) REFERENCES account(id) ON UPDATE RESTRICT ON DELETE RESTRICT;
