import { actorOf } from '@supplier/lib/audit';
import type { DocumentId } from '@supplier/lib/ids';
import { requestedId } from '@supplier/lib/refusal';
import type { Context, Rpcs } from '../context.ts';
import { inTransaction } from '../db/database.ts';
import { deleteDocuments } from '../db/delete-documents.ts';
import { findDocument, lockDocument } from '../db/document.ts';
import { unnamedRecord } from '../messages/document.ts';
import { notFound } from '../requests/refusals.ts';

/**
 * Deletes a document for good: its filename at once, its bytes soon after. Repeating it changes nothing and is not
 * audited again. Implements docs/contract.md, section 10.
 */
export function deleteDocument({ db, clock }: Context): Rpcs['deleteDocument'] {
  return async (request, call) => {
    const documentId = requestedId<DocumentId>('document_id', request.documentId);
    const document = await inTransaction(db, async (tx) => {
      const before = await lockDocument(tx, documentId);
      if (!before || before.state === 'deleted') return before;
      const by = { ...actorOf(call), action: call.method.name };
      await deleteDocuments(tx, [before], { at: clock.now(), ...by });
      return findDocument(tx, documentId);
    });
    if (!document) throw notFound();
    return unnamedRecord(document);
  };
}
