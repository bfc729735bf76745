-- The tables and functions of the outbox, as every service that publishes events has them.

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
-- Takes ids of days that have no partition, so that publishing never stops for want of one.
CREATE TABLE "published_event_default" PARTITION OF "published_event" DEFAULT;

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
CREATE FUNCTION "add_event_partition"("day" DATE) RETURNS VOID LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
DECLARE
    partition TEXT := 'published_event_' || to_char(day, 'YYYYMMDD');
    first UUID := event_id_floor(day::timestamp AT TIME ZONE 'UTC');
    beyond UUID := event_id_floor((day + 1)::timestamp AT TIME ZONE 'UTC');
BEGIN
    EXECUTE format('CREATE TABLE %I (LIKE published_event INCLUDING ALL)', partition);
    LOCK TABLE published_event_default IN ACCESS EXCLUSIVE MODE;
    EXECUTE format('WITH taken AS (DELETE FROM published_event_default WHERE event_id >= $1 AND event_id < $2 RETURNING *)
                    INSERT INTO %I SELECT * FROM taken', partition) USING first, beyond;
    EXECUTE format('ALTER TABLE published_event ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', partition, first, beyond);
END $$;

-- Does at most one thing that the partitions of published_event need: adds one of the days from yesterday to ahead_days
-- from now, drops one that is past its days, or deletes what is past them in the default partition. Answers 'changed'
-- (call again), 'busy' (another transaction holds the table: call again later) or 'done'. Made to be called by a role
-- that may not change tables; so it keeps at least what the contract promises.
CREATE FUNCTION "maintain_event_partitions"("keep_days" INTEGER, "ahead_days" INTEGER)
RETURNS TEXT LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
SET lock_timeout = '200ms' AS $$
DECLARE
    today DATE := (CURRENT_TIMESTAMP AT TIME ZONE 'UTC')::date;
    day DATE;
    partition TEXT;
BEGIN
    IF keep_days < 7 OR ahead_days NOT BETWEEN 1 AND 31 THEN
        RAISE EXCEPTION 'published events are kept for at least 7 days, and partitions made 1 to 31 days ahead';
    END IF;
    IF NOT pg_try_advisory_xact_lock(hashtext('maintain_event_partitions')) THEN
        RETURN 'busy';
    END IF;
    FOR day IN SELECT today + n FROM generate_series(-1, ahead_days) AS n LOOP
        IF to_regclass('published_event_' || to_char(day, 'YYYYMMDD')) IS NULL THEN
            PERFORM add_event_partition(day);
            RETURN 'changed';
        END IF;
    END LOOP;
    SELECT c.relname INTO partition FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = 'published_event'::regclass AND c.relname ~ '_\d{8}$'
       AND to_date(right(c.relname, 8), 'YYYYMMDD') < today - keep_days
     ORDER BY c.relname LIMIT 1;
    IF partition IS NOT NULL THEN
        EXECUTE format('DROP TABLE %I', partition);
        RETURN 'changed';
    END IF;
    DELETE FROM published_event_default WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM published_event_default
         WHERE published_at < CURRENT_TIMESTAMP - make_interval(days => keep_days) LIMIT 5000));
    RETURN CASE WHEN FOUND THEN 'changed' ELSE 'done' END;
EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
    RETURN 'busy';
END $$;
