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
