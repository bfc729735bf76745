import type { AssociatedData } from '@supplier/lib/crypto';
import type { DocumentId } from '@supplier/lib/ids';

/** The associated data of a document's sealed filename. */
export function filenameAad(documentId: DocumentId): AssociatedData {
  return { table: 'document', column: 'filename', row: documentId };
}
