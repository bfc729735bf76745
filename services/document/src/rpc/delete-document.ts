import type { DocumentId } from '@supplier/lib/ids';
import { requestedId } from '@supplier/lib/refusal';
import { callerOf } from '@supplier/lib/rpc-server';
import type { Rpcs, ServiceContext } from '../context.ts';
import { inTransaction } from '../db/database.ts';
import { deleteDocuments } from '../db/delete-documents.ts';
import { findDocument, lockDocument } from '../db/find-document.ts';
import { documentRecord } from '../messages/document-record.ts';
import { notFound } from './not-found.ts';

/**
 * Deletes a document for good: its name at once, its bytes as soon as the store has removed them. Deleting it again
 * changes nothing, and is not audited again. Implements docs/contract.md, section 10.
 */
export function deleteDocument({ db, clock, ring }: ServiceContext): Rpcs['deleteDocument'] {
  return async (request, call) => {
    const documentId = requestedId<DocumentId>('document_id', request.documentId);
    const document = await inTransaction(db, async (tx) => {
      const before = await lockDocument(tx, documentId);
      if (!before || before.state === 'deleted') return before;
      const actor = callerOf(call).subject;
      await deleteDocuments(tx, [before], { at: clock.now(), actor, action: call.method.name });
      return findDocument(tx, documentId);
    });
    if (!document) throw notFound();
    return documentRecord(ring, document);
  };
}
