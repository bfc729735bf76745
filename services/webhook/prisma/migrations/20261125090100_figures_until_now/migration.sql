-- What was recorded before changes were noted: all there is now, less what has been noted of it since, both as one statement
-- sees them. Reads the whole table, and waits for nobody. Of events that were attempted more than once, the first attempt is
-- in a row of its own; those of an earlier release that was claimed and not ended has none, and is left out.
WITH present AS (
    SELECT environment, (recorded_at AT TIME ZONE 'UTC')::date AS day, account_id, state,
           state = 'delivered' AND attempt_count = 1 AS at_first, NULL::smallint AS wait, count(*) AS events
      FROM event GROUP BY 1, 2, 3, 4, 5
    UNION ALL
    SELECT e.environment, (e.recorded_at AT TIME ZONE 'UTC')::date, e.account_id, NULL, NULL,
           wait_class(e.recorded_at, coalesce(a.started_at, e.attempt_started_at)), count(*)
      FROM event e LEFT JOIN attempt a ON a.event_id = e.id AND a.number = 1
     WHERE a.started_at IS NOT NULL OR (e.attempt_count = 1 AND e.attempt_started_at IS NOT NULL) GROUP BY 1, 2, 3, 6
    UNION ALL
    SELECT environment, day, account_id, state, at_first, wait, -events FROM delivery_note),
counted AS (
    INSERT INTO delivery_count (environment, day, account_id, state, at_first, events)
    SELECT environment, day, account_id, state, at_first, sum(events) FROM present WHERE wait IS NULL GROUP BY 1, 2, 3, 4, 5)
INSERT INTO first_attempt_wait_count (environment, account_id, day, wait, events)
SELECT environment, coalesce(account_id, '00000000-0000-0000-0000-000000000000'), day, wait, sum(events)
  FROM present WHERE wait IS NOT NULL
 GROUP BY GROUPING SETS ((environment, account_id, day, wait), (environment, day, wait));
