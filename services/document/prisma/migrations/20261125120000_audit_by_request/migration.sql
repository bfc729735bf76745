-- no transaction
CREATE INDEX CONCURRENTLY audit_entry_request_id_idx ON audit_entry (request_id, at, sequence);
