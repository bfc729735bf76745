-- no transaction
-- Counts the staff queue of one environment: suppliers can fill that of the sandbox, which must not slow down production's.
CREATE INDEX CONCURRENTLY submission_staff_queue_idx ON submission (environment, received_at, id) WHERE status = 1 AND awaits_staff;
