-- What was received before changes were noted: all there is now, less what has been noted of it since, both as one statement
-- sees them. Reads the whole table, and waits for nobody.
WITH present AS (
    SELECT environment, (received_at AT TIME ZONE 'UTC')::date AS day, account_id, status,
           wait_class(received_at, decided_at) AS wait, count(*) AS leads
      FROM submission GROUP BY 1, 2, 3, 4, 5
    UNION ALL
    SELECT environment, day, account_id, status, wait, -leads FROM intake_note),
counted AS (
    INSERT INTO intake_count (environment, day, account_id, status, leads)
    SELECT environment, day, account_id, status, sum(leads) FROM present GROUP BY 1, 2, 3, 4)
INSERT INTO decision_wait_count (environment, account_id, day, wait, leads)
SELECT environment, coalesce(account_id, '00000000-0000-0000-0000-000000000000'), day, wait, sum(leads)
  FROM present WHERE wait IS NOT NULL
 GROUP BY GROUPING SETS ((environment, account_id, day, wait), (environment, day, wait));
