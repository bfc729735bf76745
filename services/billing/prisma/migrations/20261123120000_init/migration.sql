-- begin failed-events.sql
-- Events that a consumer could not apply, or may not apply yet: each is tried again when it is due, and parked for staff
-- after its last attempt. An event that lies here is acknowledged, and holds no place in the stream.
CREATE TABLE failed_event (
    consumer TEXT NOT NULL,
    event_id UUID NOT NULL,
    aggregate_id UUID,
    type TEXT NOT NULL,
    subject TEXT NOT NULL,
    envelope BYTEA NOT NULL,
    seq BIGSERIAL NOT NULL,
    received_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    attempts INTEGER NOT NULL DEFAULT 0,
    due_at TIMESTAMPTZ(3) NOT NULL,
    parked_at TIMESTAMPTZ(3),
    failure TEXT NOT NULL,
    CONSTRAINT failed_event_pkey PRIMARY KEY (consumer, event_id)
);
-- The type comes before the time: a version claims only what it knows, and does not read past the rest.
CREATE INDEX failed_event_due_idx ON failed_event(consumer, type, due_at) WHERE parked_at IS NULL;
CREATE INDEX failed_event_aggregate_idx ON failed_event(consumer, aggregate_id);
-- end failed-events.sql

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

CREATE TYPE billing_model AS ENUM ('accepted_submission', 'application_created', 'pre_underwriting_cleared');

CREATE TYPE entry_kind AS ENUM ('charge', 'credit');

-- The lock of an account's ledger: shared by who enters lines, exclusive for who sets a price or closes a month.
CREATE FUNCTION ledger_lock_key(account_id uuid)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $$
    SELECT hashtextextended('ledger ' || account_id::text, 0)
$$;

CREATE FUNCTION refuse_rewriting()
 RETURNS trigger
 LANGUAGE plpgsql
AS $$
BEGIN
    RAISE EXCEPTION 'lines of % are only ever added', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;

-- What is charged and credited. At most one charge and one credit for a submission.
CREATE TABLE ledger_entry (
    id uuid NOT NULL,
    submission_id uuid NOT NULL,
    account_id uuid NOT NULL,
    kind entry_kind NOT NULL,
    billing_model billing_model NOT NULL,
    occurred_at timestamptz(3) NOT NULL,
    event_id uuid NOT NULL,
    entered_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    -- Null until a price covers its time; see line_price.
    pence integer,
    -- The month whose statement it is on.
    statement_month date,
    CONSTRAINT ledger_entry_pkey PRIMARY KEY (id),
    -- Also refuses infinite times, whose year is infinite: no service could read or bill them.
    CONSTRAINT ledger_entry_times_check CHECK (EXTRACT(year FROM occurred_at AT TIME ZONE 'UTC') BETWEEN 2020 AND 9999
        AND EXTRACT(year FROM entered_at AT TIME ZONE 'UTC') BETWEEN 2020 AND 9999),
    CONSTRAINT ledger_entry_month_check CHECK (statement_month BETWEEN '2020-01-01' AND '2199-12-01'
        AND EXTRACT(day FROM statement_month) = 1)
);
CREATE INDEX ledger_entry_statement_idx ON ledger_entry (account_id, COALESCE(statement_month, date_trunc('month'::text, (occurred_at AT TIME ZONE 'UTC'::text))::date), occurred_at, id);
CREATE UNIQUE INDEX ledger_entry_submission_id_kind_key ON ledger_entry (submission_id, kind);
CREATE TRIGGER ledger_entry_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger_entry FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting();

-- The prices of lines that were entered before a price covered their time: the ledger itself is never changed. Without
-- foreign keys, which cost as much again: rows of neither table are ever deleted.
CREATE TABLE line_price (
    entry_id uuid NOT NULL,
    price_sequence bigint NOT NULL,
    pence integer NOT NULL,
    CONSTRAINT line_price_pkey PRIMARY KEY (entry_id)
);
CREATE TRIGGER line_price_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON line_price FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting();

-- What a submission costs from a time on. Of two with the same time, the later sequence holds.
CREATE TABLE price (
    sequence bigserial NOT NULL,
    account_id uuid NOT NULL,
    billing_model billing_model NOT NULL,
    effective_from timestamptz(3) NOT NULL,
    pence integer NOT NULL,
    set_at timestamptz(3) NOT NULL,
    CONSTRAINT price_pkey PRIMARY KEY (sequence),
    CONSTRAINT price_pence_check CHECK (pence >= 0 AND pence <= 1000000),
    CONSTRAINT price_times_check CHECK (EXTRACT(year FROM effective_from AT TIME ZONE 'UTC') BETWEEN 1970 AND 9999
        AND EXTRACT(year FROM set_at AT TIME ZONE 'UTC') BETWEEN 2020 AND 9999)
);
CREATE INDEX price_account_id_sequence_idx ON price (account_id, sequence);
CREATE INDEX price_in_effect_idx ON price (account_id, billing_model, effective_from DESC, sequence DESC);
CREATE TRIGGER price_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON price FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting();

-- The months that are closed, with their totals as they were closed.
CREATE TABLE statement (
    account_id uuid NOT NULL,
    month date NOT NULL,
    closed_at timestamptz(3) NOT NULL,
    totals jsonb NOT NULL,
    CONSTRAINT statement_pkey PRIMARY KEY (account_id, month),
    CONSTRAINT statement_month_check CHECK (month BETWEEN '2020-01-01' AND '2199-12-01' AND EXTRACT(day FROM month) = 1),
    CONSTRAINT statement_closed_at_check CHECK (EXTRACT(year FROM closed_at AT TIME ZONE 'UTC') BETWEEN 2020 AND 9999)
);
CREATE TRIGGER statement_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON statement FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting();

-- What was charged and credited, by day and account. The database notes each line with the statement that enters it: appended, so that nobody waits for anybody else's count. Notes are folded into the counts
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
    CONSTRAINT value_count_pkey PRIMARY KEY (day, account_id, kind),
    CONSTRAINT value_count_day_check CHECK (day BETWEEN '2020-01-01' AND '9999-12-31')
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
