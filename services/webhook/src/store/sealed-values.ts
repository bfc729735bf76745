import type { AssociatedData } from '@supplier/lib/data/crypto';
import { rotatedTable, type ValuesOf } from '@supplier/lib/data/key-rotation';
import type { EndpointId, EventId } from '@supplier/lib/text/ids';

// The associated data of each sealed value identifies its column and row, so that a value moved elsewhere cannot be
// opened.

export function secretAad(endpointId: EndpointId): AssociatedData {
  return { table: 'endpoint', column: 'sealed_secret', row: endpointId };
}

export function bodyAad(eventId: EventId): AssociatedData {
  return { table: 'event', column: 'sealed_body', row: eventId };
}

export function answerHeadAad(eventId: EventId, number: number): AssociatedData {
  return { table: 'attempt', column: 'sealed_answer_head', row: `${eventId}/${number}` };
}

/** Every table of this service with sealed values. Add new sealed columns here. */
export const rotatedTables: ValuesOf = ({ pool, ring }) => [
  rotatedTable<{ id: EndpointId }>(pool, ring, {
    table: 'endpoint',
    key: { id: 'uuid' },
    sealed: { sealed_secret: ({ id }) => secretAad(id) },
  }),
  rotatedTable<{ id: EventId }>(pool, ring, {
    table: 'event',
    key: { id: 'uuid' },
    sealed: { sealed_body: ({ id }) => bodyAad(id) },
  }),
  rotatedTable<{ event_id: EventId; number: number }>(pool, ring, {
    table: 'attempt',
    key: { event_id: 'uuid', number: 'smallint' },
    sealed: { sealed_answer_head: (row) => answerHeadAad(row.event_id, row.number) },
  }),
];
