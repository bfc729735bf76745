import type { OutboxEvent } from '@supplier/lib/outbox';
import { columnMap } from '@supplier/lib/postgres';

/** The columns of an event that waits to be published. */
export const OUTBOX = columnMap<OutboxEvent>({
  event_id: ['uuid', ({ eventId }) => eventId],
  aggregate_id: ['uuid', ({ aggregateId }) => aggregateId],
  type: ['text', ({ type }) => type],
  subject: ['text', ({ subject }) => subject],
  envelope: ['bytea', ({ envelope }) => envelope],
});
