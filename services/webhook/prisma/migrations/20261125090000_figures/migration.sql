-- How many events were recorded, by day and what became of them, and how long they waited for their first attempt. The
-- database notes each change with the statement that makes it, whichever release that comes from: appended, so that nobody
-- waits for anybody else's count. Notes are folded into the counts afterwards; who reads adds both. No constraint says what a note
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
    -- Of a note of first attempts: the class of the time from the recording to the attempt.
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

-- An earlier release may claim an attempt without saying when it began: that is left out, as nothing here may keep an event from
-- being recorded or delivered.
CREATE FUNCTION note_events() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path TO 'public', 'pg_temp' AS $$
BEGIN
    INSERT INTO delivery_note (environment, day, account_id, state, at_first, wait, events)
    SELECT environment, (recorded_at AT TIME ZONE 'UTC')::date, account_id, state,
           state = 'delivered' AND attempt_count = 1, NULL::smallint, count(*)
      FROM added GROUP BY 1, 2, 3, 4, 5
    UNION ALL
    SELECT environment, (recorded_at AT TIME ZONE 'UTC')::date, account_id, NULL, NULL,
           wait_class(recorded_at, attempt_started_at), count(*)
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
           wait_class(recorded_at, attempt_started_at), count(*)
      FROM (SELECT *, count(*) OVER (PARTITION BY id) AS rows_of_it
              FROM (SELECT id, environment, recorded_at, account_id, attempt_count, attempt_started_at
                      FROM was WHERE attempt_count = 0
                    UNION ALL
                    SELECT id, environment, recorded_at, account_id, attempt_count, attempt_started_at
                      FROM now_is WHERE attempt_count = 1 AND lease_until IS NOT NULL) AS claimed) AS first
     WHERE rows_of_it = 2 AND attempt_count = 1 AND attempt_started_at IS NOT NULL GROUP BY 1, 2, 3, 6;
    RETURN NULL;
END $$;
CREATE TRIGGER event_outcome_noted AFTER UPDATE ON event REFERENCING OLD TABLE AS was NEW TABLE AS now_is
    FOR EACH STATEMENT EXECUTE FUNCTION note_outcomes();
