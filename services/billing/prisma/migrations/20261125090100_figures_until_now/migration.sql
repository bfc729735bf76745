-- What was entered before lines were noted: all there is now, less what has been noted of it since, both as one statement sees
-- them. Reads the whole ledger, and waits for nobody.
INSERT INTO value_count (day, account_id, kind, lines, pence, unpriced)
SELECT day, account_id, kind, sum(lines), sum(pence), sum(unpriced)
  FROM (SELECT (e.occurred_at AT TIME ZONE 'UTC')::date AS day, e.account_id, e.kind, count(*) AS lines,
               coalesce(sum(coalesce(e.pence, l.pence)), 0) AS pence,
               count(*) FILTER (WHERE coalesce(e.pence, l.pence) IS NULL) AS unpriced
          FROM ledger_entry e LEFT JOIN line_price l ON l.entry_id = e.id GROUP BY 1, 2, 3
        UNION ALL
        SELECT day, account_id, kind, -lines, -pence, -unpriced FROM value_note) AS present
 GROUP BY 1, 2, 3;
