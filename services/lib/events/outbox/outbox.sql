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
