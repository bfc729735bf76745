import { appendAudit, auditEntry } from '@supplier/lib/governance/audit';
import { RefusalCode, refuse, requestedId } from '@supplier/lib/rpc/refusal';
import type { DocumentId } from '@supplier/lib/text/ids';
import type { Context, Rpcs } from '../context.ts';
import { notFound } from '../refusals.ts';
import { inTransaction } from '../store/database.ts';
import { unnamedRecord } from '../store/document-message.ts';
import { findDocument, lockDocument } from '../store/document-rows.ts';
import { queueRescan } from './scan-queue.sql.ts';

/**
 * Queues a document that was scanned, or that is parked because its scans came to nothing, for another scan; until then
 * it is pending_scan and cannot be downloaded. WRONG_STATE while it waits for a scan already, before it is finalized and
 * once it is deleted. Audited. The answer has no filename: none was asked for, for a purpose.
 */
export function rescanDocument({ db, clock }: Context): Rpcs['rescanDocument'] {
  return async (request, call) => {
    const documentId = requestedId<DocumentId>('document_id', request.documentId);
    const document = await inTransaction(db, async (tx) => {
      const before = await lockDocument(tx, documentId);
      if (!before) throw notFound();
      const at = clock.now();
      if (!(await queueRescan(tx, documentId)))
        throw refuse(
          RefusalCode.WRONG_STATE,
          'Only a document that was scanned, or is parked, can be scanned again.',
        );
      const { accountId, scanStatus } = before;
      const after = { documentId };
      await appendAudit(
        tx,
        auditEntry(call, { at, target: documentId, accountId, before: { scanStatus }, after }),
      );
      return findDocument(tx, documentId);
    });
    if (!document) throw notFound();
    return unnamedRecord(document);
  };
}
