import { rotatedTable, type ValuesOf } from '@supplier/lib/data/key-rotation';
import type { DocumentId } from '@supplier/lib/text/ids';
import { filenameAad } from './associated-data.ts';

/** Every table of this service that holds sealed values. A new sealed column belongs in here. */
export const rotatedTables: ValuesOf = ({ pool, ring }) => [
  rotatedTable<{ id: DocumentId }>(pool, ring, {
    table: 'document',
    key: { id: 'uuid' },
    sealed: { filename: ({ id }) => filenameAad(id) },
  }),
];
