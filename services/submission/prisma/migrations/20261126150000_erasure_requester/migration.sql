-- Who vouched for the person who requested an erasure, and their roles, for the audit entries of its steps. Erasures from
-- before have neither, as those of the service itself.
ALTER TABLE erasure
    ADD COLUMN requested_by_issuer TEXT NOT NULL DEFAULT '',
    ADD COLUMN requested_by_roles TEXT[] NOT NULL DEFAULT '{}';
