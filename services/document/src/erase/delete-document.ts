import { actorOf } from '@supplier/lib/governance/audit';
import { RefusalCode, refuse, requestedId } from '@supplier/lib/rpc/refusal';
import type { DocumentId } from '@supplier/lib/text/ids';
import type { Context, Rpcs } from '../context.ts';
import { notFound } from '../refusals.ts';
import { inTransaction } from '../store/database.ts';
import { findDocument, lockDocument, unnamedRecord } from '../store/document-rows.ts';
import { deleteDocuments } from './delete-documents.sql.ts';
import { fetchHolds } from './retention.ts';

/**
 * Deletes a document for good: its filename at once, its bytes soon after. Repeating it changes nothing and is not
 * audited again. WRONG_STATE for one whose submission is under legal hold, SERVICE_UNAVAILABLE while the submission
 * service does not say whether it is. Implements docs/contract.md, section 10.
 */
export function deleteDocument(context: Context): Rpcs['deleteDocument'] {
  const { db, clock } = context;
  return async (request, call) => {
    const documentId = requestedId<DocumentId>('document_id', request.documentId);
    const asked = await findDocument(db, documentId);
    if (!asked) throw notFound();
    if (asked.state === 'deleted') return unnamedRecord(asked);
    const { isHeld, requireFresh } = await fetchHolds(context, [asked]);
    if (isHeld(asked)) {
      const message = `Document ${documentId} belongs to a submission under legal hold: nothing was deleted. Release it first.`;
      throw refuse(RefusalCode.WRONG_STATE, message);
    }
    const document = await inTransaction(db, async (tx) => {
      const before = await lockDocument(tx, documentId);
      if (!before || before.state === 'deleted') return before;
      requireFresh();
      const by = { ...actorOf(call), action: call.method.name };
      await deleteDocuments(tx, [before], { at: clock.now(), ...by });
      return findDocument(tx, documentId);
    });
    if (!document) throw notFound();
    return unnamedRecord(document);
  };
}
