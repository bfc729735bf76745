// SQL, because scans are due by the database's clock.
import { appendEvent, newEvent } from '@supplier/lib/events/outbox';
import type { SubmissionId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { DocumentFinalizedSchema } from '@supplier/proto/document/v1/events';
import { categoryOf, environmentOf } from '../model/enum-mapping.ts';
import { incomingRemovalDue } from '../model/stored-object.ts';
import { NOW, type Transaction } from '../store/database.ts';
import type { DocumentRow } from '../store/document-rows.ts';
import { cancelRemoval, type RemovalOfDocument, scheduleRemovals } from '../store/object-removal.sql.ts';

/** The fields that finalizing adds to a document. */
export interface Finalization {
  readonly submissionId: SubmissionId;
  /** The copy that the supplier cannot reach, and its removal, which was scheduled before the copy was made. */
  readonly held: { readonly removal: RemovalOfDocument; readonly etag: string };
  readonly at: Date;
  /** A document reserved at or before this time has expired. */
  readonly abandonedSince: Date;
}

/**
 * Attaches a document to its submission, queues its scan and schedules the removal of the upload; resolves to true. If
 * the document was finalized, expired or was deleted meanwhile, makes the removal of the copy due instead and resolves
 * to false.
 */
export async function saveFinalized(
  tx: Transaction,
  document: DocumentRow,
  { submissionId, held, at, abandonedSince }: Finalization,
): Promise<boolean> {
  const { documentId: id, objectKey, uploadExpiresAt } = document;
  const { rows } = await tx.query<{ version: string }>(
    `UPDATE document
        SET state = 'finalized', submission_id = $2, finalized_at = $3, held_key = $4, etag = $5, area = 'held',
            scan_status = 'pending_scan', scan_due_at = ${NOW}, version = version + 1
      WHERE id = $1 AND state = 'awaiting_upload' AND created_at > $6
     RETURNING version`,
    [id, submissionId, at, held.removal.objectKey, held.etag, abandonedSince],
  );
  const [row] = rows;
  if (!row) {
    await tx.objectRemoval.updateMany({ where: held.removal, data: { dueAt: at, removedAt: null } });
    return false;
  }
  if (!(await cancelRemoval(tx, held.removal)))
    throw new Error('removal of the copy already carried out: the copy took too long');
  await scheduleRemovals(tx, [
    { documentId: id, area: 'incoming', objectKey, dueAt: incomingRemovalDue(uploadExpiresAt, at) },
  ]);
  const message = {
    accountId: document.accountId,
    environment: environmentOf(document.environment),
    documentId: id,
    submissionId,
    category: categoryOf(document.category),
    finalizedAt: toTimestamp(at),
  };
  const facts = { aggregateId: id, aggregateVersion: BigInt(row.version), occurredAt: at };
  await appendEvent(tx, newEvent(DocumentFinalizedSchema, message, facts));
  return true;
}
