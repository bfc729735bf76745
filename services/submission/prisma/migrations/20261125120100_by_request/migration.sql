-- no transaction
-- Finds what a request made, newest first, page by page. A B-tree and no hash index: suppliers choose these ids, and one that
-- sends the same with every request would make each insert of a hash index walk through all entries of that id.
CREATE INDEX CONCURRENTLY submission_request_id_idx ON submission (request_id, id) WHERE request_id IS NOT NULL;
