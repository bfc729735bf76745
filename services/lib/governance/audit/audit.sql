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
