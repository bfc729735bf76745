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
