import { rotatedTable, type ValuesOf } from '@supplier/lib/data/key-rotation';
import type { EndpointId, EventId } from '@supplier/lib/text/ids';
import { answerHeadAad, bodyAad, secretAad } from './associated-data.ts';

/** Every table of this service that holds sealed values. New sealed columns must be added here. */
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
