-- The trace that the delivery of an event goes on in, as a W3C traceparent; null where its change was not traced.
-- Expand only: the version before leaves the column out.
ALTER TABLE "event" ADD COLUMN "trace_parent" TEXT;
