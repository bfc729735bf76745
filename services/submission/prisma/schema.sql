-- What the migrations of this service make. Written by `npm run generate`; do not edit.
-- Tables partitioned by day have their default partition here; those of the days come and go.

CREATE OR REPLACE FUNCTION public.add_event_partition(parent text, key text, day date)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
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
END $function$;

CREATE OR REPLACE FUNCTION public.allow_erasure_only()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    IF (NEW."submission_id", NEW."revision", NEW."corrected_at")
        IS NOT DISTINCT FROM (OLD."submission_id", OLD."revision", OLD."corrected_at")
        AND (NEW."contact" IS NULL OR sealing_key(NEW."contact") <> sealing_key(OLD."contact")) THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'rows of % are only ever added', TG_TABLE_NAME;
END $function$;

CREATE OR REPLACE FUNCTION public.event_id_floor(at timestamp with time zone)
 RETURNS uuid
 LANGUAGE sql
 STABLE
AS $function$
    SELECT (lpad(to_hex((extract(epoch FROM "at") * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$function$;

CREATE OR REPLACE FUNCTION public.keep_approval()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
END $function$;

CREATE OR REPLACE FUNCTION public.maintain_event_partitions(keep_days integer, ahead_days integer)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET lock_timeout TO '200ms'
AS $function$
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
END $function$;

CREATE OR REPLACE FUNCTION public.note_intake()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
    INSERT INTO intake_note (environment, day, account_id, status, wait, leads)
    SELECT environment, (received_at AT TIME ZONE 'UTC')::date, account_id, status, wait_class(received_at, decided_at), count(*)
      FROM added GROUP BY 1, 2, 3, 4, 5;
    RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.note_outcome()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
    INSERT INTO intake_note (environment, day, account_id, status, wait, leads) VALUES
        (OLD.environment, (OLD.received_at AT TIME ZONE 'UTC')::date, OLD.account_id, OLD.status,
         wait_class(OLD.received_at, OLD.decided_at), -1),
        (NEW.environment, (NEW.received_at AT TIME ZONE 'UTC')::date, NEW.account_id, NEW.status,
         wait_class(NEW.received_at, NEW.decided_at), 1);
    RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.note_unsealed()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
    INSERT INTO audit_unsealed (sequence) SELECT sequence FROM added;
    RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.refuse_audit_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    RAISE EXCEPTION 'rows of % are only ever added', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $function$;

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    RAISE EXCEPTION 'rows of % are only ever added', TG_TABLE_NAME;
END $function$;

CREATE OR REPLACE FUNCTION public.sealing_key(sealed bytea)
 RETURNS bytea
 LANGUAGE sql
 IMMUTABLE
AS $function$
    SELECT CASE WHEN octet_length("sealed") > 30 THEN substring("sealed" FROM 3 FOR get_byte("sealed", 1)) END
$function$;

CREATE OR REPLACE FUNCTION public.wait_class(since timestamp with time zone, until timestamp with time zone)
 RETURNS smallint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
    SELECT CASE WHEN until <= since THEN -1
                ELSE ceil(8 * ln(extract(epoch FROM until - since)::float8 * 1000) / ln(2::float8) - 1e-6) END::smallint
$function$;

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
    created_at timestamp(3) with time zone NOT NULL,
    snapshot bytea,
    pre_underwriting smallint NOT NULL,
    pre_underwriting_at timestamp(3) with time zone,
    pre_underwriting_policy text,
    pre_underwriting_reasons text[],
    close_reason text,
    CONSTRAINT application_pkey PRIMARY KEY (id),
    CONSTRAINT application_close_reason_check CHECK (close_reason IS NULL OR pre_underwriting = 3 AND length(close_reason) >= 1 AND length(close_reason) <= 200),
    CONSTRAINT application_pre_underwriting_check CHECK (pre_underwriting >= 1 AND pre_underwriting <= 3)
);
CREATE UNIQUE INDEX application_reference_key ON application USING btree (reference);
CREATE INDEX application_staff_idx ON application USING btree (pre_underwriting_at, submission_id) WHERE pre_underwriting = 1 AND pre_underwriting_at IS NOT NULL;
CREATE UNIQUE INDEX application_submission_id_key ON application USING btree (submission_id);
CREATE INDEX application_unassessed_idx ON application USING btree (created_at) WHERE pre_underwriting = 1 AND pre_underwriting_at IS NULL;

CREATE TABLE approval (
    sequence bigserial NOT NULL,
    id uuid NOT NULL,
    action text NOT NULL,
    target text NOT NULL,
    arguments text NOT NULL,
    purpose text NOT NULL,
    requested_by text NOT NULL,
    requested_issuer text NOT NULL,
    requested_at timestamp(3) with time zone NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    decided_by text,
    decided_issuer text,
    decided_at timestamp(3) with time zone,
    refusal_reason text,
    used_at timestamp(3) with time zone,
    reasons text[],
    lines text,
    sha256 text,
    CONSTRAINT approval_pkey PRIMARY KEY (id),
    CONSTRAINT approval_two_people_check CHECK (decided_at IS NULL OR refusal_reason IS NOT NULL OR decided_by IS DISTINCT FROM requested_by OR decided_issuer IS DISTINCT FROM requested_issuer),
    CONSTRAINT approval_used_check CHECK (used_at IS NULL OR decided_at IS NOT NULL AND refusal_reason IS NULL)
);
CREATE UNIQUE INDEX approval_sequence_key ON approval USING btree (sequence);
CREATE TRIGGER approval_kept BEFORE UPDATE ON approval FOR EACH ROW EXECUTE FUNCTION keep_approval();

CREATE TABLE audit_entry (
    sequence bigserial NOT NULL,
    at timestamp(3) with time zone NOT NULL,
    actor text NOT NULL,
    issuer text NOT NULL,
    roles text[] NOT NULL,
    action text NOT NULL,
    target text NOT NULL,
    account_id uuid,
    before jsonb,
    after jsonb,
    purpose text NOT NULL,
    request_id text NOT NULL,
    CONSTRAINT audit_entry_pkey PRIMARY KEY (sequence)
);
CREATE INDEX audit_entry_account_id_idx ON audit_entry USING btree (account_id, at, sequence);
CREATE INDEX audit_entry_action_idx ON audit_entry USING btree (action, at, sequence);
CREATE INDEX audit_entry_actor_idx ON audit_entry USING btree (actor, at, sequence);
CREATE INDEX audit_entry_at_idx ON audit_entry USING btree (at, sequence);
CREATE INDEX audit_entry_request_id_idx ON audit_entry USING btree (request_id, at, sequence);
CREATE INDEX audit_entry_target_idx ON audit_entry USING btree (target, at, sequence);
CREATE TRIGGER audit_entry_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON audit_entry FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_entry_unsealed AFTER INSERT ON audit_entry REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION note_unsealed();

CREATE TABLE audit_seal (
    position bigint NOT NULL,
    sequence bigint NOT NULL,
    hash bytea NOT NULL,
    sealed_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT audit_seal_pkey PRIMARY KEY ("position"),
    CONSTRAINT audit_seal_hash_check CHECK (octet_length(hash) = 32),
    CONSTRAINT audit_seal_position_check CHECK ("position" > 0)
);
CREATE UNIQUE INDEX audit_seal_sequence_key ON audit_seal USING btree (sequence);
CREATE TRIGGER audit_seal_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON audit_seal FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();

CREATE TABLE audit_unsealed (
    sequence bigint NOT NULL,
    since timestamp(3) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT audit_unsealed_pkey PRIMARY KEY (sequence)
);

CREATE TABLE audit_verification (
    sequence bigserial NOT NULL,
    verified_at timestamp(3) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
    head text NOT NULL,
    broken text,
    CONSTRAINT audit_verification_pkey PRIMARY KEY (sequence)
);

CREATE TABLE contact_correction (
    submission_id uuid NOT NULL,
    revision integer NOT NULL,
    corrected_at timestamp(3) with time zone NOT NULL,
    contact bytea,
    CONSTRAINT contact_correction_pkey PRIMARY KEY (submission_id, revision),
    CONSTRAINT contact_correction_revision_check CHECK (revision >= 1)
);
CREATE TRIGGER contact_correction_append_only BEFORE DELETE OR TRUNCATE ON contact_correction FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER contact_correction_erasure_only BEFORE UPDATE ON contact_correction FOR EACH ROW EXECUTE FUNCTION allow_erasure_only();

CREATE TABLE decision_wait_count (
    environment smallint NOT NULL,
    account_id uuid NOT NULL,
    day date NOT NULL,
    wait smallint NOT NULL,
    leads bigint NOT NULL,
    CONSTRAINT decision_wait_count_pkey PRIMARY KEY (environment, account_id, day, wait)
);

CREATE TABLE domain_event (
    event_id uuid NOT NULL,
    aggregate_id uuid NOT NULL,
    type text NOT NULL,
    subject text NOT NULL,
    envelope bytea NOT NULL,
    CONSTRAINT domain_event_pkey PRIMARY KEY (event_id)
) PARTITION BY RANGE (event_id);
CREATE TABLE domain_event_default PARTITION OF domain_event DEFAULT;

CREATE TABLE erasure (
    id uuid NOT NULL,
    requested_at timestamp(3) with time zone NOT NULL,
    requested_by text NOT NULL,
    reason smallint NOT NULL,
    purpose text NOT NULL,
    request_id text NOT NULL,
    requested_by_issuer text NOT NULL DEFAULT ''::text,
    requested_by_roles text[] NOT NULL DEFAULT '{}'::text[],
    CONSTRAINT erasure_pkey PRIMARY KEY (id),
    CONSTRAINT erasure_reason_check CHECK (reason >= 1 AND reason <= 2)
);

CREATE TABLE erasure_submission (
    erasure_id uuid NOT NULL,
    submission_id uuid NOT NULL,
    step smallint NOT NULL DEFAULT 1,
    removed jsonb NOT NULL DEFAULT '[]'::jsonb,
    completed_at timestamp(3) with time zone,
    due_at timestamp(6) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
    claims integer NOT NULL DEFAULT 0,
    failures integer NOT NULL DEFAULT 0,
    waiting_since timestamp(3) with time zone,
    waiting_for text,
    CONSTRAINT erasure_submission_pkey PRIMARY KEY (erasure_id, submission_id),
    CONSTRAINT erasure_submission_completed_check CHECK ((step = 4) = (completed_at IS NOT NULL)),
    CONSTRAINT erasure_submission_step_check CHECK (step >= 1 AND step <= 4),
    CONSTRAINT erasure_submission_waiting_check CHECK ((waiting_since IS NULL) = (waiting_for IS NULL))
);
CREATE INDEX erasure_submission_due_idx ON erasure_submission USING btree (due_at) WHERE completed_at IS NULL;
CREATE UNIQUE INDEX erasure_submission_in_progress_key ON erasure_submission USING btree (submission_id) WHERE completed_at IS NULL;

CREATE TABLE failed_event (
    consumer text NOT NULL,
    event_id uuid NOT NULL,
    aggregate_id uuid,
    type text NOT NULL,
    subject text NOT NULL,
    envelope bytea NOT NULL,
    seq bigserial NOT NULL,
    received_at timestamp(3) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
    attempts integer NOT NULL DEFAULT 0,
    due_at timestamp(3) with time zone NOT NULL,
    parked_at timestamp(3) with time zone,
    failure text NOT NULL,
    CONSTRAINT failed_event_pkey PRIMARY KEY (consumer, event_id)
);
CREATE INDEX failed_event_aggregate_idx ON failed_event USING btree (consumer, aggregate_id);
CREATE INDEX failed_event_due_idx ON failed_event USING btree (consumer, type, due_at) WHERE parked_at IS NULL;

CREATE TABLE intake_count (
    environment smallint NOT NULL,
    day date NOT NULL,
    account_id uuid NOT NULL,
    status smallint NOT NULL,
    leads bigint NOT NULL,
    CONSTRAINT intake_count_pkey PRIMARY KEY (environment, day, account_id, status)
);

CREATE TABLE intake_note (
    environment smallint NOT NULL,
    day date NOT NULL,
    account_id uuid NOT NULL,
    status smallint NOT NULL,
    wait smallint,
    leads integer NOT NULL
) WITH (
    autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_threshold = 5000,
    autovacuum_vacuum_insert_scale_factor = 0,
    autovacuum_vacuum_insert_threshold = 50000
);

CREATE TABLE journey_link (
    id uuid NOT NULL,
    submission_id uuid NOT NULL,
    kind smallint NOT NULL,
    number integer NOT NULL,
    token_digest bytea,
    token bytea NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    used_at timestamp(3) with time zone,
    ended_at timestamp(3) with time zone,
    used_by uuid,
    token_digest_key text NOT NULL DEFAULT 'd1'::text,
    code_digest bytea,
    code_expires_at timestamp(3) with time zone,
    code_used_at timestamp(3) with time zone,
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
CREATE UNIQUE INDEX journey_link_code_digest_key ON journey_link USING btree (code_digest);
CREATE UNIQUE INDEX journey_link_submission_id_kind_number_key ON journey_link USING btree (submission_id, kind, number);
CREATE UNIQUE INDEX journey_link_token_digest_key ON journey_link USING btree (token_digest);

CREATE TABLE key_in_use (
    purpose text NOT NULL,
    key_id text NOT NULL,
    check_value bytea,
    since timestamp(3) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT key_in_use_pkey PRIMARY KEY (purpose, key_id),
    CONSTRAINT key_in_use_purpose_check CHECK (purpose = ANY (ARRAY['seal'::text, 'digest'::text]))
);

CREATE TABLE legal_hold (
    submission_id uuid NOT NULL,
    held_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT legal_hold_pkey PRIMARY KEY (submission_id)
);

CREATE TABLE operation_key (
    account_id uuid NOT NULL,
    environment smallint NOT NULL,
    operation smallint NOT NULL,
    key text NOT NULL,
    submission_id uuid NOT NULL,
    body_digest bytea,
    applied_at timestamp(3) with time zone NOT NULL,
    body_digest_key text NOT NULL DEFAULT 'd1'::text,
    body_fingerprint bytea,
    CONSTRAINT operation_key_pkey PRIMARY KEY (account_id, environment, operation, key),
    CONSTRAINT operation_key_operation_check CHECK (operation >= 1 AND operation <= 2)
);
CREATE INDEX operation_key_submission_id_idx ON operation_key USING btree (submission_id);

CREATE TABLE other_contact (
    submission_id uuid NOT NULL,
    revision integer NOT NULL,
    contact bytea NOT NULL,
    match_digest_key text NOT NULL,
    telephone_hash bytea,
    email_hash bytea,
    match_rule text NOT NULL DEFAULT '1'::text,
    CONSTRAINT other_contact_pkey PRIMARY KEY (submission_id, revision),
    CONSTRAINT other_contact_revision_check CHECK (revision >= 0)
);
CREATE INDEX other_contact_email_idx ON other_contact USING btree (email_hash) WHERE email_hash IS NOT NULL;
CREATE INDEX other_contact_telephone_idx ON other_contact USING btree (telephone_hash) WHERE telephone_hash IS NOT NULL;

CREATE TABLE outbox (
    seq bigserial NOT NULL,
    event_id uuid NOT NULL,
    created_at timestamp(3) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
    parked_at timestamp(3) with time zone,
    failure text,
    CONSTRAINT outbox_pkey PRIMARY KEY (seq)
) WITH (
    autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_threshold = 5000,
    autovacuum_vacuum_cost_delay = 0,
    autovacuum_vacuum_insert_scale_factor = 0,
    autovacuum_vacuum_insert_threshold = 50000
);
CREATE INDEX outbox_parked_idx ON outbox USING btree (seq) WHERE parked_at IS NOT NULL;

CREATE TABLE outbox_refill (
    id bigserial NOT NULL,
    stream text NOT NULL,
    reason text NOT NULL,
    first_event_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000'::uuid,
    after_batch_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000'::uuid,
    last_batch_id uuid NOT NULL,
    lost_generation integer NOT NULL,
    keep_through bigint NOT NULL,
    published bigint NOT NULL DEFAULT 0,
    requested_at timestamp(3) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT outbox_refill_pkey PRIMARY KEY (id)
);

CREATE TABLE outbox_stream (
    stream text NOT NULL,
    born text NOT NULL,
    generation integer NOT NULL DEFAULT 0,
    checkpoint_seq bigint,
    checkpoint_message_id text,
    checkpoint_at timestamp(3) with time zone,
    anchor_seq bigint,
    anchor_message_id text,
    anchor_at timestamp(3) with time zone,
    CONSTRAINT outbox_stream_pkey PRIMARY KEY (stream)
);

CREATE TABLE policy_activation (
    sequence bigserial NOT NULL,
    kind smallint NOT NULL,
    version text NOT NULL,
    activated_at timestamp(3) with time zone NOT NULL,
    actor text NOT NULL,
    issuer text NOT NULL,
    CONSTRAINT policy_activation_pkey PRIMARY KEY (kind, sequence)
);
CREATE INDEX policy_activation_version_idx ON policy_activation USING btree (kind, version, sequence);
CREATE TRIGGER policy_activation_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON policy_activation FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();

CREATE TABLE policy_version (
    sequence bigserial NOT NULL,
    kind smallint NOT NULL,
    version text NOT NULL,
    text text NOT NULL,
    sha256 text NOT NULL,
    author text NOT NULL,
    issuer text NOT NULL,
    note text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT policy_version_pkey PRIMARY KEY (kind, version)
);
CREATE UNIQUE INDEX policy_version_sequence_key ON policy_version USING btree (sequence);
CREATE TRIGGER policy_version_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON policy_version FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();

CREATE TABLE promoted_keys (
    submission_id uuid NOT NULL,
    environment smallint NOT NULL,
    promoted_at timestamp(3) with time zone NOT NULL,
    stated bytea NOT NULL,
    match_digest_key text NOT NULL,
    match_rule text NOT NULL,
    company_hash bytea,
    telephone_hash bytea,
    email_hash bytea,
    CONSTRAINT promoted_keys_pkey PRIMARY KEY (submission_id)
);
CREATE INDEX promoted_keys_company_idx ON promoted_keys USING btree (company_hash, environment, promoted_at) WHERE company_hash IS NOT NULL;
CREATE INDEX promoted_keys_email_idx ON promoted_keys USING btree (email_hash, environment, promoted_at) WHERE email_hash IS NOT NULL;
CREATE INDEX promoted_keys_telephone_idx ON promoted_keys USING btree (telephone_hash, environment, promoted_at) WHERE telephone_hash IS NOT NULL;

CREATE TABLE published_batch (
    batch_id uuid NOT NULL,
    generation integer NOT NULL,
    published_at timestamp(3) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
    event_ids uuid[] NOT NULL,
    stream_seqs bigint[] NOT NULL,
    CONSTRAINT published_batch_pkey PRIMARY KEY (batch_id)
) PARTITION BY RANGE (batch_id);
CREATE TABLE published_batch_default PARTITION OF published_batch DEFAULT;

CREATE TABLE submission (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    environment smallint NOT NULL,
    external_reference text NOT NULL,
    level smallint NOT NULL,
    status smallint NOT NULL,
    awaits_staff boolean NOT NULL,
    received_at timestamp(3) with time zone NOT NULL,
    decided_at timestamp(3) with time zone,
    decision_policy text,
    decision_rule text,
    decision_reason text,
    application_reference text,
    application_created_at timestamp(3) with time zone,
    billing_model smallint NOT NULL,
    billing_status smallint NOT NULL,
    billable_at timestamp(3) with time zone,
    not_billable_reason smallint NOT NULL,
    return_reason smallint,
    returned_at timestamp(3) with time zone,
    changed_at timestamp(3) with time zone NOT NULL,
    version bigint NOT NULL,
    revision integer NOT NULL DEFAULT 0,
    body_digest bytea,
    terms bytea NOT NULL,
    enquiry bytea,
    company_hash bytea,
    telephone_hash bytea,
    email_hash bytea,
    application_minting smallint NOT NULL DEFAULT 1,
    contact bytea,
    work_due_at timestamp(6) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
    work_attempts smallint NOT NULL DEFAULT 0,
    work_failure text,
    work_parked_at timestamp(3) with time zone,
    request_id text,
    trace_parent text,
    match_digest_key text NOT NULL DEFAULT 'd1'::text,
    body_digest_key text NOT NULL DEFAULT 'd1'::text,
    body_fingerprint bytea,
    erased_at timestamp(3) with time zone,
    match_rule text NOT NULL DEFAULT '1'::text,
    duplicate_of uuid,
    duplicate_key smallint,
    accepted_today integer,
    accepted_this_month integer,
    contact_checks smallint NOT NULL DEFAULT 0,
    CONSTRAINT submission_pkey PRIMARY KEY (id),
    CONSTRAINT submission_application_check CHECK ((application_reference IS NULL) = (application_created_at IS NULL)),
    CONSTRAINT submission_application_minting_check CHECK (application_minting >= 1 AND application_minting <= 2),
    CONSTRAINT submission_billing_check CHECK ((billing_status = 2) = (billable_at IS NOT NULL) AND (billing_status = 3) = (not_billable_reason <> 0)),
    CONSTRAINT submission_decided_check CHECK ((status = 1) = (decided_at IS NULL)),
    CONSTRAINT submission_environment_check CHECK (environment >= 1 AND environment <= 2),
    CONSTRAINT submission_erased_reason_check CHECK (erased_at IS NULL OR decision_reason IS NULL),
    CONSTRAINT submission_level_check CHECK (level >= 1 AND level <= 2),
    CONSTRAINT submission_returned_check CHECK ((status = 5) = (returned_at IS NOT NULL)),
    CONSTRAINT submission_revision_check CHECK (revision >= 0),
    CONSTRAINT submission_sandbox_check CHECK ((environment = 1) = (not_billable_reason = 3)),
    CONSTRAINT submission_status_check CHECK (status >= 1 AND status <= 5),
    CONSTRAINT submission_work_attempts_check CHECK (work_attempts >= 0)
);
CREATE INDEX submission_accepted_company_idx ON submission USING btree (company_hash, environment, received_at) WHERE company_hash IS NOT NULL AND (status = ANY (ARRAY[2, 5]));
CREATE INDEX submission_accepted_email_idx ON submission USING btree (email_hash, environment, received_at) WHERE email_hash IS NOT NULL AND (status = ANY (ARRAY[2, 5]));
CREATE INDEX submission_accepted_retention_idx ON submission USING btree (decided_at, id) WHERE erased_at IS NULL AND (status = ANY (ARRAY[2, 5]));
CREATE INDEX submission_accepted_telephone_idx ON submission USING btree (telephone_hash, environment, received_at) WHERE telephone_hash IS NOT NULL AND (status = ANY (ARRAY[2, 5]));
CREATE UNIQUE INDEX submission_account_id_environment_external_reference_key ON submission USING btree (account_id, environment, external_reference);
CREATE INDEX submission_of_account_idx ON submission USING btree (account_id, environment, id) WHERE level > 0;
CREATE INDEX submission_parked_idx ON submission USING btree (work_parked_at, id) WHERE work_parked_at IS NOT NULL;
CREATE INDEX submission_pending_billing_idx ON submission USING btree (id) WHERE billing_status = 1 AND (status = ANY (ARRAY[2, 3, 4]));
CREATE INDEX submission_refused_email_idx ON submission USING btree (email_hash) WHERE email_hash IS NOT NULL AND (status = ANY (ARRAY[3, 4]));
CREATE INDEX submission_refused_retention_idx ON submission USING btree (decided_at, id) WHERE erased_at IS NULL AND (status = ANY (ARRAY[3, 4]));
CREATE INDEX submission_refused_telephone_idx ON submission USING btree (telephone_hash) WHERE telephone_hash IS NOT NULL AND (status = ANY (ARRAY[3, 4]));
CREATE INDEX submission_request_id_idx ON submission USING btree (request_id, id) WHERE request_id IS NOT NULL;
CREATE INDEX submission_staff_decision_idx ON submission USING btree (received_at, id) WHERE status = 1 AND awaits_staff;
CREATE INDEX submission_staff_queue_idx ON submission USING btree (environment, received_at, id) WHERE status = 1 AND awaits_staff;
CREATE INDEX submission_undecided_company_idx ON submission USING btree (company_hash, environment, received_at) WHERE company_hash IS NOT NULL AND status = 1;
CREATE INDEX submission_undecided_email_idx ON submission USING btree (email_hash, environment, received_at) WHERE email_hash IS NOT NULL AND status = 1;
CREATE INDEX submission_undecided_idx ON submission USING btree (work_due_at, id) WHERE status = 1 AND NOT awaits_staff AND work_parked_at IS NULL;
CREATE INDEX submission_undecided_telephone_idx ON submission USING btree (telephone_hash, environment, received_at) WHERE telephone_hash IS NOT NULL AND status = 1;
CREATE INDEX submission_unminted_idx ON submission USING btree (work_due_at, id) WHERE level = 1 AND status = 2 AND application_minting = 1 AND application_reference IS NULL AND enquiry IS NOT NULL AND work_parked_at IS NULL;
CREATE TRIGGER submission_noted AFTER INSERT ON submission REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION note_intake();
CREATE TRIGGER submission_outcome_noted AFTER UPDATE ON submission FOR EACH ROW WHEN (old.status <> new.status) EXECUTE FUNCTION note_outcome();

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
