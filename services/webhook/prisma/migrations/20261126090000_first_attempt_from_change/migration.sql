-- The time to the first attempt counts from the change. An event is claimed as it is recorded, so that from the recording it
-- would be nothing.
CREATE OR REPLACE FUNCTION note_events() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path TO 'public', 'pg_temp' AS $$
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

CREATE OR REPLACE FUNCTION note_outcomes() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path TO 'public', 'pg_temp' AS $$
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
