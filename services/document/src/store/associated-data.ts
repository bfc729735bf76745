import type { AssociatedData } from '@supplier/lib/data/crypto';
import type { DocumentId } from '@supplier/lib/text/ids';

/** The associated data of a document's sealed filename. */
export function filenameAad(documentId: DocumentId): AssociatedData {
  return { table: 'document', column: 'filename', row: documentId };
}
