-- begin outbox.sql
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
-- end outbox.sql

-- The events of a submission, for its timeline. Only this service reads its events by what they are about.
CREATE INDEX domain_event_aggregate_idx ON domain_event(aggregate_id);

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

-- begin approvals.sql
-- Acts that a second person is to approve: what exactly and upon what, who asked, who decided, and when it was done. Never a secret and
-- never an applicant's data. What was asked for never changes; a row is decided once and used once.
CREATE TABLE approval (
    sequence BIGSERIAL NOT NULL,
    id UUID NOT NULL,
    action TEXT NOT NULL,
    target TEXT NOT NULL,
    arguments TEXT NOT NULL,
    purpose TEXT NOT NULL,
    requested_by TEXT NOT NULL,
    requested_issuer TEXT NOT NULL,
    requested_at TIMESTAMPTZ(3) NOT NULL,
    expires_at TIMESTAMPTZ(3) NOT NULL,
    decided_by TEXT,
    decided_issuer TEXT,
    decided_at TIMESTAMPTZ(3),
    refusal_reason TEXT,
    used_at TIMESTAMPTZ(3),
    reasons TEXT[],
    lines TEXT,
    sha256 TEXT,
    CONSTRAINT approval_pkey PRIMARY KEY (id),
    CONSTRAINT approval_two_people_check CHECK (decided_at IS NULL OR refusal_reason IS NOT NULL
        OR (decided_by, decided_issuer) IS DISTINCT FROM (requested_by, requested_issuer)),
    CONSTRAINT approval_used_check CHECK (used_at IS NULL
        OR (decided_at IS NOT NULL AND refusal_reason IS NULL))
);
CREATE UNIQUE INDEX approval_sequence_key ON approval(sequence);

CREATE FUNCTION keep_approval() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.id, NEW.action, NEW.target, NEW.arguments, NEW.requested_by, NEW.requested_issuer, NEW.expires_at, NEW.reasons,
        NEW.lines, NEW.sha256)
        IS DISTINCT FROM
        (OLD.id, OLD.action, OLD.target, OLD.arguments, OLD.requested_by, OLD.requested_issuer, OLD.expires_at, OLD.reasons,
        OLD.lines, OLD.sha256)
        OR OLD.used_at IS NOT NULL
        OR (OLD.decided_at IS NOT NULL AND (NEW.decided_at, NEW.decided_by, NEW.decided_issuer, NEW.refusal_reason)
            IS DISTINCT FROM (OLD.decided_at, OLD.decided_by, OLD.decided_issuer, OLD.refusal_reason))
    THEN
        RAISE EXCEPTION 'an approval is decided once and used once' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER approval_kept BEFORE UPDATE ON approval FOR EACH ROW EXECUTE FUNCTION keep_approval();
-- end approvals.sql

-- begin keys-in-use.sql
-- The keys that values of this database may be under: a process whose key ring lacks one does not start.
CREATE TABLE key_in_use (
    purpose text NOT NULL,
    key_id text NOT NULL,
    -- Equal for equal keys; null until the first process with the key has started.
    check_value bytea,
    since timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT key_in_use_pkey PRIMARY KEY (purpose, key_id),
    CONSTRAINT key_in_use_purpose_check CHECK (purpose = ANY (ARRAY['seal'::text, 'digest'::text]))
);
-- end keys-in-use.sql

-- History only grows. The one change it takes is the erasure of the applicant's data.
CREATE FUNCTION allow_erasure_only()
 RETURNS trigger
 LANGUAGE plpgsql
AS $$
BEGIN
    IF (NEW.submission_id, NEW.revision, NEW.corrected_at)
        IS NOT DISTINCT FROM (OLD.submission_id, OLD.revision, OLD.corrected_at)
        AND (NEW.contact IS NULL OR sealing_key(NEW.contact) <> sealing_key(OLD.contact)) THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'rows of % are only ever added', TG_TABLE_NAME;
END $$;

CREATE FUNCTION refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $$
BEGIN
    RAISE EXCEPTION 'rows of % are only ever added', TG_TABLE_NAME;
END $$;

-- A correction stays what it was: it may be erased, or sealed under another key. What a value was sealed under is how it
-- begins: a byte for the format, the length of the key's id, the id. None is shorter than its nonce and its tag.
CREATE FUNCTION sealing_key(sealed bytea)
 RETURNS bytea
 LANGUAGE sql
 IMMUTABLE
AS $$
    SELECT CASE WHEN octet_length(sealed) > 30 THEN substring(sealed FROM 3 FOR get_byte(sealed, 1)) END
$$;

-- How many an account has had accepted on a day (UTC): caps are checked by a few rows, however high they are. Several
-- rows a day, so that transactions side by side seldom wait for each other's.
CREATE TABLE acceptance_count (
    account_id uuid NOT NULL,
    environment smallint NOT NULL,
    day date NOT NULL,
    slot smallint NOT NULL,
    accepted integer NOT NULL,
    CONSTRAINT acceptance_count_pkey PRIMARY KEY (account_id, environment, day, slot),
    CONSTRAINT acceptance_count_accepted_check CHECK (accepted > 0)
);

CREATE TABLE application (
    id uuid NOT NULL,
    submission_id uuid NOT NULL,
    reference text NOT NULL,
    created_at timestamptz(3) NOT NULL,
    snapshot bytea,
    pre_underwriting smallint NOT NULL,
    pre_underwriting_at timestamptz(3),
    pre_underwriting_policy text,
    pre_underwriting_reasons text[],
    -- Why staff ended a pre-underwriting, not cleared, of a submission whose return window had passed.
    close_reason text,
    CONSTRAINT application_pkey PRIMARY KEY (id),
    CONSTRAINT application_close_reason_check CHECK (close_reason IS NULL OR pre_underwriting = 3 AND length(close_reason) >= 1 AND length(close_reason) <= 200),
    CONSTRAINT application_pre_underwriting_check CHECK (pre_underwriting >= 1 AND pre_underwriting <= 3)
);
CREATE UNIQUE INDEX application_reference_key ON application (reference);
CREATE INDEX application_staff_idx ON application (pre_underwriting_at, submission_id) WHERE pre_underwriting = 1 AND pre_underwriting_at IS NOT NULL;
CREATE UNIQUE INDEX application_submission_id_key ON application (submission_id);
CREATE INDEX application_unassessed_idx ON application (created_at) WHERE pre_underwriting = 1 AND pre_underwriting_at IS NULL;

CREATE TABLE contact_correction (
    submission_id uuid NOT NULL,
    revision integer NOT NULL,
    corrected_at timestamptz(3) NOT NULL,
    contact bytea,
    CONSTRAINT contact_correction_pkey PRIMARY KEY (submission_id, revision),
    CONSTRAINT contact_correction_revision_check CHECK (revision >= 1)
);
CREATE TRIGGER contact_correction_append_only BEFORE DELETE OR TRUNCATE ON contact_correction FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER contact_correction_erasure_only BEFORE UPDATE ON contact_correction FOR EACH ROW EXECUTE FUNCTION allow_erasure_only();

CREATE TABLE erasure (
    id uuid NOT NULL,
    requested_at timestamptz(3) NOT NULL,
    requested_by text NOT NULL,
    reason smallint NOT NULL,
    purpose text NOT NULL,
    request_id text NOT NULL,
    -- Who vouched for the person who requested it, and their roles, for the audit entries of its steps.
    requested_by_issuer text NOT NULL DEFAULT '',
    requested_by_roles text[] NOT NULL DEFAULT '{}',
    CONSTRAINT erasure_pkey PRIMARY KEY (id),
    CONSTRAINT erasure_reason_check CHECK (reason >= 1 AND reason <= 2)
);

-- How far the erasure of each submission is, and what it has removed: its part of the certificate.
CREATE TABLE erasure_submission (
    erasure_id uuid NOT NULL,
    submission_id uuid NOT NULL,
    step smallint NOT NULL DEFAULT 1,
    removed jsonb NOT NULL DEFAULT '[]'::jsonb,
    completed_at timestamptz(3),
    -- When the next attempt is due. An attempt puts it off while it lasts, so that it is made again if its process dies.
    due_at timestamp(6) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
    -- Counts attempts: only the latest may say what came of it.
    claims integer NOT NULL DEFAULT 0,
    failures integer NOT NULL DEFAULT 0,
    waiting_since timestamptz(3),
    waiting_for text,
    CONSTRAINT erasure_submission_pkey PRIMARY KEY (erasure_id, submission_id),
    CONSTRAINT erasure_submission_completed_check CHECK ((step = 4) = (completed_at IS NOT NULL)),
    CONSTRAINT erasure_submission_step_check CHECK (step >= 1 AND step <= 4),
    CONSTRAINT erasure_submission_waiting_check CHECK ((waiting_since IS NULL) = (waiting_for IS NULL))
);
CREATE INDEX erasure_submission_due_idx ON erasure_submission (due_at) WHERE completed_at IS NULL;
-- One at a time for a submission.
CREATE UNIQUE INDEX erasure_submission_in_progress_key ON erasure_submission (submission_id) WHERE completed_at IS NULL;

-- Links into the customer journey. A row stays when its link is over, so that its page can say why it no longer works.
CREATE TABLE journey_link (
    id uuid NOT NULL,
    submission_id uuid NOT NULL,
    kind smallint NOT NULL,
    number integer NOT NULL,
    -- Null once the submission is erased.
    token_digest bytea,
    token bytea NOT NULL,
    created_at timestamptz(3) NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    used_at timestamptz(3),
    ended_at timestamptz(3),
    -- The call that used the link up: the same call, made again after its answer was lost, gets the same answer.
    used_by uuid,
    token_digest_key text NOT NULL DEFAULT 'd1'::text,
    -- Of the one-time code that a used link forwards to the journey application.
    code_digest bytea,
    code_expires_at timestamptz(3),
    code_used_at timestamptz(3),
    CONSTRAINT journey_link_pkey PRIMARY KEY (id),
    CONSTRAINT journey_link_code_check CHECK ((code_digest IS NULL) = (code_expires_at IS NULL) AND (code_digest IS NULL OR used_at IS NOT NULL)),
    CONSTRAINT journey_link_code_digest_check CHECK (code_digest IS NULL OR octet_length(code_digest) = 32),
    CONSTRAINT journey_link_code_used_at_check CHECK (code_used_at IS NULL OR code_digest IS NOT NULL),
    CONSTRAINT journey_link_expires_at_check CHECK (expires_at > created_at),
    CONSTRAINT journey_link_kind_check CHECK (kind >= 1 AND kind <= 2),
    CONSTRAINT journey_link_number_check CHECK (number >= 1),
    CONSTRAINT journey_link_token_digest_check CHECK (octet_length(token_digest) = 32),
    CONSTRAINT journey_link_used_by_check CHECK (used_by IS NULL OR used_at IS NOT NULL),
    CONSTRAINT journey_link_used_or_ended_check CHECK (used_at IS NULL OR ended_at IS NULL)
);
CREATE UNIQUE INDEX journey_link_code_digest_key ON journey_link (code_digest);
CREATE UNIQUE INDEX journey_link_submission_id_kind_number_key ON journey_link (submission_id, kind, number);
CREATE UNIQUE INDEX journey_link_token_digest_key ON journey_link (token_digest);

-- What nobody may erase.
CREATE TABLE legal_hold (
    submission_id uuid NOT NULL,
    held_at timestamptz(3) NOT NULL,
    CONSTRAINT legal_hold_pkey PRIMARY KEY (submission_id)
);

-- Keys of operations that were applied: a repeated one is recognised for ever.
CREATE TABLE operation_key (
    account_id uuid NOT NULL,
    environment smallint NOT NULL,
    operation smallint NOT NULL,
    key text NOT NULL,
    submission_id uuid NOT NULL,
    body_digest bytea,
    applied_at timestamptz(3) NOT NULL,
    body_digest_key text NOT NULL DEFAULT 'd1'::text,
    body_fingerprint bytea,
    CONSTRAINT operation_key_pkey PRIMARY KEY (account_id, environment, operation, key),
    CONSTRAINT operation_key_operation_check CHECK (operation >= 1 AND operation <= 2)
);
CREATE INDEX operation_key_submission_id_idx ON operation_key (submission_id);

-- Contact details of corrections and promotions, by which a person is found besides the enquiry as received. Not searched for
-- duplicates.
CREATE TABLE other_contact (
    submission_id uuid NOT NULL,
    -- The correction's; 0 for the promotion.
    revision integer NOT NULL,
    -- Sealed: what the hashes are made from.
    contact bytea NOT NULL,
    match_digest_key text NOT NULL,
    telephone_hash bytea,
    email_hash bytea,
    match_rule text NOT NULL DEFAULT '1'::text,
    CONSTRAINT other_contact_pkey PRIMARY KEY (submission_id, revision),
    CONSTRAINT other_contact_revision_check CHECK (revision >= 0)
);
CREATE INDEX other_contact_email_idx ON other_contact (email_hash) WHERE email_hash IS NOT NULL;
CREATE INDEX other_contact_telephone_idx ON other_contact (telephone_hash) WHERE telephone_hash IS NOT NULL;

CREATE TABLE policy_activation (
    sequence bigserial NOT NULL,
    kind smallint NOT NULL,
    version text NOT NULL,
    activated_at timestamptz(3) NOT NULL,
    actor text NOT NULL,
    issuer text NOT NULL,
    CONSTRAINT policy_activation_pkey PRIMARY KEY (kind, sequence)
);
CREATE INDEX policy_activation_version_idx ON policy_activation (kind, version, sequence);
CREATE TRIGGER policy_activation_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON policy_activation FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();

-- The rules by which leads are decided and pre-underwritten, version by version, and which version was put in force when
-- and by whom. Rows are only ever added: a stored version never changes, and the latest activation of a kind counts.
-- Kinds are the numbers of supplier.submission.v1.PolicyKind.
CREATE TABLE policy_version (
    sequence bigserial NOT NULL,
    kind smallint NOT NULL,
    version text NOT NULL,
    text text NOT NULL,
    sha256 text NOT NULL,
    author text NOT NULL,
    issuer text NOT NULL,
    note text NOT NULL,
    created_at timestamptz(3) NOT NULL,
    CONSTRAINT policy_version_pkey PRIMARY KEY (kind, version)
);
CREATE UNIQUE INDEX policy_version_sequence_key ON policy_version (sequence);
CREATE TRIGGER policy_version_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON policy_version FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();

-- By what later submissions are recognised as the customer of a promotion, besides what its submission was received with.
CREATE TABLE promoted_keys (
    submission_id uuid NOT NULL,
    -- Of its submission: with the time, what the indexes are probed by.
    environment smallint NOT NULL,
    promoted_at timestamptz(3) NOT NULL,
    -- Sealed: what the hashes are made from.
    stated bytea NOT NULL,
    match_digest_key text NOT NULL,
    match_rule text NOT NULL,
    company_hash bytea,
    telephone_hash bytea,
    email_hash bytea,
    CONSTRAINT promoted_keys_pkey PRIMARY KEY (submission_id)
);
CREATE INDEX promoted_keys_company_idx ON promoted_keys (company_hash, environment, promoted_at) WHERE company_hash IS NOT NULL;
CREATE INDEX promoted_keys_email_idx ON promoted_keys (email_hash, environment, promoted_at) WHERE email_hash IS NOT NULL;
CREATE INDEX promoted_keys_telephone_idx ON promoted_keys (telephone_hash, environment, promoted_at) WHERE telephone_hash IS NOT NULL;

CREATE TABLE submission (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    environment smallint NOT NULL,
    external_reference text NOT NULL,
    level smallint NOT NULL,
    status smallint NOT NULL,
    awaits_staff boolean NOT NULL,
    received_at timestamptz(3) NOT NULL,
    decided_at timestamptz(3),
    decision_policy text,
    decision_rule text,
    decision_reason text,
    application_reference text,
    application_created_at timestamptz(3),
    billing_model smallint NOT NULL,
    billing_status smallint NOT NULL,
    billable_at timestamptz(3),
    not_billable_reason smallint NOT NULL,
    return_reason smallint,
    returned_at timestamptz(3),
    changed_at timestamptz(3) NOT NULL,
    version bigint NOT NULL,
    revision integer NOT NULL DEFAULT 0,
    body_digest bytea,
    terms bytea NOT NULL,
    enquiry bytea,
    company_hash bytea,
    telephone_hash bytea,
    email_hash bytea,
    -- Whether the Application of an accepted basic submission comes by itself (1) or with its promotion (2).
    application_minting smallint NOT NULL DEFAULT 1,
    contact bytea,
    -- Work is claimed from these rows, oldest first. A row that failed alone is due again later, and is parked for staff
    -- after several failures.
    work_due_at timestamp(6) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
    work_attempts smallint NOT NULL DEFAULT 0,
    work_failure text,
    work_parked_at timestamptz(3),
    -- The request that made the submission: events that follow from it carry both on.
    request_id text,
    trace_parent text,
    -- Under which key the hashes are.
    match_digest_key text NOT NULL DEFAULT 'd1'::text,
    body_digest_key text NOT NULL DEFAULT 'd1'::text,
    -- Sealed: what the digest of the body is made from, and kept nowhere else.
    body_fingerprint bytea,
    -- Since when nothing of the applicant is left in this service.
    erased_at timestamptz(3),
    -- By which rule the hashes were made.
    match_rule text NOT NULL DEFAULT '1'::text,
    -- What a decision compared, beside the enquiry and the terms: the submission it matched and by which key, and how many
    -- submissions of a capped account had been accepted.
    duplicate_of uuid,
    duplicate_key smallint,
    accepted_today integer,
    accepted_this_month integer,
    -- What staff should check in the contact.
    contact_checks smallint NOT NULL DEFAULT 0,
    -- Received in production without a match key, so staff decide it unless a correction brings one.
    unidentified boolean NOT NULL DEFAULT false,
    -- Sealed: the corrected contact that brought it.
    identifying bytea,
    CONSTRAINT submission_pkey PRIMARY KEY (id),
    CONSTRAINT submission_application_check CHECK ((application_reference IS NULL) = (application_created_at IS NULL)),
    CONSTRAINT submission_application_minting_check CHECK (application_minting >= 1 AND application_minting <= 2),
    CONSTRAINT submission_billing_check CHECK ((billing_status = 2) = (billable_at IS NOT NULL) AND (billing_status = 3) = (not_billable_reason <> 0)),
    CONSTRAINT submission_decided_check CHECK ((status = 1) = (decided_at IS NULL)),
    CONSTRAINT submission_environment_check CHECK (environment >= 1 AND environment <= 2),
    -- What staff wrote of a submission goes with its applicant.
    CONSTRAINT submission_erased_reason_check CHECK (erased_at IS NULL OR decision_reason IS NULL),
    CONSTRAINT submission_level_check CHECK (level >= 1 AND level <= 2),
    CONSTRAINT submission_returned_check CHECK ((status = 5) = (returned_at IS NOT NULL)),
    CONSTRAINT submission_revision_check CHECK (revision >= 0),
    CONSTRAINT submission_sandbox_check CHECK ((environment = 1) = (not_billable_reason = 3)),
    CONSTRAINT submission_status_check CHECK (status >= 1 AND status <= 5),
    CONSTRAINT submission_work_attempts_check CHECK (work_attempts >= 0)
);
CREATE INDEX submission_accepted_company_idx ON submission (company_hash, environment, received_at) WHERE company_hash IS NOT NULL AND (status = ANY (ARRAY[2, 5]));
CREATE INDEX submission_accepted_email_idx ON submission (email_hash, environment, received_at) WHERE email_hash IS NOT NULL AND (status = ANY (ARRAY[2, 5]));
CREATE INDEX submission_accepted_retention_idx ON submission (decided_at, id) WHERE erased_at IS NULL AND (status = ANY (ARRAY[2, 5]));
CREATE INDEX submission_accepted_telephone_idx ON submission (telephone_hash, environment, received_at) WHERE telephone_hash IS NOT NULL AND (status = ANY (ARRAY[2, 5]));
CREATE UNIQUE INDEX submission_account_id_environment_external_reference_key ON submission (account_id, environment, external_reference);
-- Lists the submissions of an account. Only for statements that say level > 0, which is always so: without statistics the
-- planner takes an index of accounts for as good as the one of references, and reads all of an account to find one.
CREATE INDEX submission_of_account_idx ON submission (account_id, environment, id) WHERE level > 0;
CREATE INDEX submission_parked_idx ON submission (work_parked_at, id) WHERE work_parked_at IS NOT NULL;
-- Submissions whose billing is pending, in order of receipt.
CREATE INDEX submission_pending_billing_idx ON submission (id) WHERE billing_status = 1 AND (status = ANY (ARRAY[2, 3, 4]));
CREATE INDEX submission_refused_email_idx ON submission (email_hash) WHERE email_hash IS NOT NULL AND (status = ANY (ARRAY[3, 4]));
CREATE INDEX submission_refused_retention_idx ON submission (decided_at, id) WHERE erased_at IS NULL AND (status = ANY (ARRAY[3, 4]));
CREATE INDEX submission_refused_telephone_idx ON submission (telephone_hash) WHERE telephone_hash IS NOT NULL AND (status = ANY (ARRAY[3, 4]));
-- Finds what a request made, newest first, page by page. A B-tree and no hash index: suppliers choose these ids, and one that
-- sends the same with every request would make each insert of a hash index walk through all entries of that id.
CREATE INDEX submission_request_id_idx ON submission (request_id, id) WHERE request_id IS NOT NULL;
-- The queues that staff read, longest waiting first. Each environment has its own: suppliers can fill that of the sandbox,
-- which must not slow down or hide production's.
CREATE INDEX submission_staff_queue_idx ON submission (environment, received_at, id) WHERE status = 1 AND awaits_staff;
CREATE INDEX submission_decision_queue_idx ON submission (environment, received_at, id) WHERE status = 1 AND NOT awaits_staff AND work_parked_at IS NULL;
CREATE INDEX submission_application_queue_idx ON submission (environment, decided_at, id) WHERE level = 1 AND status = 2 AND application_minting = 1 AND application_reference IS NULL AND enquiry IS NOT NULL AND work_parked_at IS NULL;
CREATE INDEX submission_undecided_company_idx ON submission (company_hash, environment, received_at) WHERE company_hash IS NOT NULL AND status = 1;
CREATE INDEX submission_undecided_email_idx ON submission (email_hash, environment, received_at) WHERE email_hash IS NOT NULL AND status = 1;
-- Finding work that stands still.
CREATE INDEX submission_undecided_idx ON submission (work_due_at, id) WHERE status = 1 AND NOT awaits_staff AND work_parked_at IS NULL;
CREATE INDEX submission_undecided_telephone_idx ON submission (telephone_hash, environment, received_at) WHERE telephone_hash IS NOT NULL AND status = 1;
-- Finding submissions that staff decide because they have no match key.
CREATE INDEX submission_unidentified_idx ON submission (environment, received_at, id) WHERE status = 1 AND unidentified AND identifying IS NULL;
-- Finding accepted basic submissions whose Application is overdue.
CREATE INDEX submission_unminted_idx ON submission (work_due_at, id) WHERE level = 1 AND status = 2 AND application_minting = 1 AND application_reference IS NULL AND enquiry IS NOT NULL AND work_parked_at IS NULL;

ALTER TABLE application ADD CONSTRAINT application_submission_id_fkey
    FOREIGN KEY (submission_id) REFERENCES submission(id) ON UPDATE CASCADE ON DELETE RESTRICT;

ALTER TABLE contact_correction ADD CONSTRAINT contact_correction_submission_id_fkey
    FOREIGN KEY (submission_id) REFERENCES submission(id) ON UPDATE CASCADE ON DELETE RESTRICT;

ALTER TABLE erasure_submission ADD CONSTRAINT erasure_submission_erasure_id_fkey
    FOREIGN KEY (erasure_id) REFERENCES erasure(id) ON UPDATE CASCADE ON DELETE RESTRICT;

ALTER TABLE erasure_submission ADD CONSTRAINT erasure_submission_submission_id_fkey
    FOREIGN KEY (submission_id) REFERENCES submission(id) ON UPDATE CASCADE ON DELETE RESTRICT;

ALTER TABLE journey_link ADD CONSTRAINT journey_link_submission_id_fkey
    FOREIGN KEY (submission_id) REFERENCES submission(id) ON UPDATE CASCADE ON DELETE RESTRICT;

ALTER TABLE legal_hold ADD CONSTRAINT legal_hold_submission_id_fkey
    FOREIGN KEY (submission_id) REFERENCES submission(id) ON UPDATE CASCADE ON DELETE RESTRICT;

ALTER TABLE operation_key ADD CONSTRAINT operation_key_submission_id_fkey
    FOREIGN KEY (submission_id) REFERENCES submission(id) ON UPDATE CASCADE ON DELETE RESTRICT;

ALTER TABLE other_contact ADD CONSTRAINT other_contact_submission_id_fkey
    FOREIGN KEY (submission_id) REFERENCES submission(id) ON UPDATE CASCADE ON DELETE RESTRICT;

ALTER TABLE policy_activation ADD CONSTRAINT policy_activation_version_fkey
    FOREIGN KEY (kind, version) REFERENCES policy_version(kind, version) ON UPDATE RESTRICT ON DELETE RESTRICT;

ALTER TABLE promoted_keys ADD CONSTRAINT promoted_keys_submission_id_fkey
    FOREIGN KEY (submission_id) REFERENCES submission(id) ON UPDATE CASCADE ON DELETE RESTRICT;

-- How many submissions were received, by day and what became of them, and how long their decisions took. The database
-- notes each change with the statement that makes it: appended, so that nobody waits for
-- anybody else's count. Notes are folded into the counts afterwards; who reads adds both.
CREATE TABLE intake_note (
    environment SMALLINT NOT NULL,
    -- Of the receipt, in UTC.
    day DATE NOT NULL,
    account_id UUID NOT NULL,
    status SMALLINT NOT NULL,
    -- The class of the time to the decision; NULL while there is none.
    wait SMALLINT,
    submissions INTEGER NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
        autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 50000);

CREATE TABLE intake_count (
    environment SMALLINT NOT NULL,
    day DATE NOT NULL,
    account_id UUID NOT NULL,
    status SMALLINT NOT NULL,
    submissions BIGINT NOT NULL,
    CONSTRAINT intake_count_pkey PRIMARY KEY (environment, day, account_id, status)
);

-- Of one account, and in the rows of the account 00000000-0000-0000-0000-000000000000 of all.
CREATE TABLE decision_wait_count (
    environment SMALLINT NOT NULL,
    account_id UUID NOT NULL,
    day DATE NOT NULL,
    wait SMALLINT NOT NULL,
    submissions BIGINT NOT NULL,
    CONSTRAINT decision_wait_count_pkey PRIMARY KEY (environment, account_id, day, wait)
);

-- The class of a time span: eight for each doubling of its milliseconds, so that a class is known to 9 %. -1 for none.
CREATE FUNCTION wait_class(since TIMESTAMPTZ, until TIMESTAMPTZ) RETURNS SMALLINT LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN until <= since THEN -1
                ELSE ceil(8 * ln(extract(epoch FROM until - since)::float8 * 1000) / ln(2::float8) - 1e-6) END::smallint
$$;

CREATE FUNCTION note_intake() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path TO 'public', 'pg_temp' AS $$
BEGIN
    INSERT INTO intake_note (environment, day, account_id, status, wait, submissions)
    SELECT environment, (received_at AT TIME ZONE 'UTC')::date, account_id, status, wait_class(received_at, decided_at), count(*)
      FROM added GROUP BY 1, 2, 3, 4, 5;
    RETURN NULL;
END $$;
CREATE TRIGGER submission_noted AFTER INSERT ON submission REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION note_intake();

CREATE FUNCTION note_outcome() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path TO 'public', 'pg_temp' AS $$
BEGIN
    INSERT INTO intake_note (environment, day, account_id, status, wait, submissions) VALUES
        (OLD.environment, (OLD.received_at AT TIME ZONE 'UTC')::date, OLD.account_id, OLD.status,
         wait_class(OLD.received_at, OLD.decided_at), -1),
        (NEW.environment, (NEW.received_at AT TIME ZONE 'UTC')::date, NEW.account_id, NEW.status,
         wait_class(NEW.received_at, NEW.decided_at), 1);
    RETURN NULL;
END $$;
-- By row, unlike the other: most submissions are decided as they are recorded, and most updates leave the status as it is.
CREATE TRIGGER submission_outcome_noted AFTER UPDATE ON submission
    FOR EACH ROW WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION note_outcome();
