import type { DocumentId } from '@supplier/lib/ids';
import { rotatedTable, type ValuesOf } from '@supplier/lib/key-rotation';
import { filenameAad } from '../domain/associated-data.ts';

/** Every table of this service that holds sealed values. A new sealed column belongs in here. */
export const rotatedTables: ValuesOf = ({ pool, ring }) => [
  rotatedTable<{ id: DocumentId }>(pool, ring, {
    table: 'document',
    key: { id: 'uuid' },
    sealed: { filename: ({ id }) => filenameAad(id) },
  }),
];
