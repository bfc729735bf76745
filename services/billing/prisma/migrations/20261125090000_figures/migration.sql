-- What was charged and credited, by day and account. The database notes each line with the statement that enters it,
-- whichever release that comes from: appended, so that nobody waits for anybody else's count. Notes are folded into the counts
-- afterwards; who reads adds both.
CREATE TABLE value_note (
    -- On which the line occurred, in UTC.
    day DATE NOT NULL,
    account_id UUID NOT NULL,
    kind entry_kind NOT NULL,
    lines INTEGER NOT NULL,
    pence BIGINT NOT NULL,
    -- Lines without a price.
    unpriced INTEGER NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
        autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 50000);

CREATE TABLE value_count (
    day DATE NOT NULL,
    account_id UUID NOT NULL,
    kind entry_kind NOT NULL,
    lines BIGINT NOT NULL,
    pence BIGINT NOT NULL,
    unpriced BIGINT NOT NULL,
    CONSTRAINT value_count_pkey PRIMARY KEY (day, account_id, kind)
);

CREATE FUNCTION note_lines() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path TO 'public', 'pg_temp' AS $$
BEGIN
    INSERT INTO value_note (day, account_id, kind, lines, pence, unpriced)
    SELECT (occurred_at AT TIME ZONE 'UTC')::date, account_id, kind, count(*), coalesce(sum(pence), 0),
           count(*) FILTER (WHERE pence IS NULL)
      FROM added GROUP BY 1, 2, 3;
    RETURN NULL;
END $$;
CREATE TRIGGER ledger_entry_noted AFTER INSERT ON ledger_entry REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION note_lines();

CREATE FUNCTION note_late_prices() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path TO 'public', 'pg_temp' AS $$
BEGIN
    INSERT INTO value_note (day, account_id, kind, lines, pence, unpriced)
    SELECT (e.occurred_at AT TIME ZONE 'UTC')::date, e.account_id, e.kind, 0, sum(p.pence), -count(*)
      FROM priced p JOIN ledger_entry e ON e.id = p.entry_id GROUP BY 1, 2, 3;
    RETURN NULL;
END $$;
CREATE TRIGGER line_price_noted AFTER INSERT ON line_price REFERENCING NEW TABLE AS priced
    FOR EACH STATEMENT EXECUTE FUNCTION note_late_prices();
