import type { Place } from '@supplier/lib/crypto';
import type { DocumentId } from '@supplier/lib/ids';

/** Where the name of a document's file lies. */
export function filenamePlace(documentId: DocumentId): Place {
  return { table: 'document', column: 'filename', row: documentId };
}
