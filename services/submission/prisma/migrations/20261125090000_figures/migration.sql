-- How many submissions were received, by day and what became of them, and how long their decisions took. The database
-- notes each change with the statement that makes it, whichever release that comes from: appended, so that nobody waits
-- for anybody else's count. Notes are folded into the counts afterwards; who reads adds both.
CREATE TABLE intake_note (
    environment SMALLINT NOT NULL,
    -- Of the receipt, in UTC.
    day DATE NOT NULL,
    account_id UUID NOT NULL,
    status SMALLINT NOT NULL,
    -- The class of the time to the decision; NULL while there is none.
    wait SMALLINT,
    leads INTEGER NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
        autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 50000);

CREATE TABLE intake_count (
    environment SMALLINT NOT NULL,
    day DATE NOT NULL,
    account_id UUID NOT NULL,
    status SMALLINT NOT NULL,
    leads BIGINT NOT NULL,
    CONSTRAINT intake_count_pkey PRIMARY KEY (environment, day, account_id, status)
);

-- Of one account, and in the rows of the account 00000000-0000-0000-0000-000000000000 of all.
CREATE TABLE decision_wait_count (
    environment SMALLINT NOT NULL,
    account_id UUID NOT NULL,
    day DATE NOT NULL,
    wait SMALLINT NOT NULL,
    leads BIGINT NOT NULL,
    CONSTRAINT decision_wait_count_pkey PRIMARY KEY (environment, account_id, day, wait)
);

-- The class of a time span: eight for each doubling of its milliseconds, so that a class is known to 9 %. -1 for none.
CREATE FUNCTION wait_class(since TIMESTAMPTZ, until TIMESTAMPTZ) RETURNS SMALLINT LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN until <= since THEN -1
                ELSE ceil(8 * ln(extract(epoch FROM until - since)::float8 * 1000) / ln(2::float8) - 1e-6) END::smallint
$$;

CREATE FUNCTION note_intake() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path TO 'public', 'pg_temp' AS $$
BEGIN
    INSERT INTO intake_note (environment, day, account_id, status, wait, leads)
    SELECT environment, (received_at AT TIME ZONE 'UTC')::date, account_id, status, wait_class(received_at, decided_at), count(*)
      FROM added GROUP BY 1, 2, 3, 4, 5;
    RETURN NULL;
END $$;
CREATE TRIGGER submission_noted AFTER INSERT ON submission REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION note_intake();

CREATE FUNCTION note_outcome() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path TO 'public', 'pg_temp' AS $$
BEGIN
    INSERT INTO intake_note (environment, day, account_id, status, wait, leads) VALUES
        (OLD.environment, (OLD.received_at AT TIME ZONE 'UTC')::date, OLD.account_id, OLD.status,
         wait_class(OLD.received_at, OLD.decided_at), -1),
        (NEW.environment, (NEW.received_at AT TIME ZONE 'UTC')::date, NEW.account_id, NEW.status,
         wait_class(NEW.received_at, NEW.decided_at), 1);
    RETURN NULL;
END $$;
-- By row, unlike the other: most leads are decided as they are recorded, and most updates leave the status as it is.
CREATE TRIGGER submission_outcome_noted AFTER UPDATE ON submission
    FOR EACH ROW WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION note_outcome();
