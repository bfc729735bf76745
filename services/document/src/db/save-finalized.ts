import type { SubmissionId } from '@supplier/lib/ids';
import { appendEvent, newEvent } from '@supplier/lib/outbox';
import { toTimestamp } from '@supplier/lib/time';
import { DocumentFinalizedSchema } from '@supplier/proto/document/v1/events';
import { categoryOf } from '../domain/category.ts';
import { environmentOf } from '../domain/environment.ts';
import { incomingRemovalDue } from '../domain/removal-times.ts';
import type { Transaction } from './database.ts';
import type { DocumentRow } from './document-row.ts';
import { type ObjectRemoval, scheduleRemovals } from './object-removal.ts';

/** What finalizing adds to a document. */
export interface Finalization {
  readonly submissionId: SubmissionId;
  /** The copy that the supplier cannot reach, and the removal that was scheduled before it was made. */
  readonly held: { readonly removal: ObjectRemoval; readonly etag: string };
  readonly at: Date;
  /** Announced at this time or before, the document is given up. */
  readonly abandonedSince: Date;
}

/**
 * Binds a document to its submission, has it scanned, and lets go of the upload; resolves to true. When another was
 * first, or the document is given up, the copy is let go instead, and this resolves to false.
 */
export async function saveFinalized(
  tx: Transaction,
  document: DocumentRow,
  { submissionId, held, at, abandonedSince }: Finalization,
): Promise<boolean> {
  const { documentId: id, objectKey, uploadExpiresAt } = document;
  const changed = await tx.document.updateManyAndReturn({
    where: { id, state: 'awaiting_upload', createdAt: { gt: abandonedSince } },
    data: {
      state: 'finalized',
      submissionId,
      finalizedAt: at,
      heldKey: held.removal.objectKey,
      etag: held.etag,
      area: 'held',
      scanStatus: 'pending_scan',
      scanDueAt: at,
      version: { increment: 1 },
    },
    select: { version: true },
  });
  const [row] = changed;
  if (!row) {
    await tx.objectRemoval.updateMany({ where: held.removal, data: { dueAt: at } });
    return false;
  }
  const kept = await tx.objectRemoval.deleteMany({ where: held.removal });
  if (kept.count !== 1) throw new Error('a copy took so long that it was removed as left behind');
  await scheduleRemovals(tx, [
    { area: 'incoming', objectKey, dueAt: incomingRemovalDue(uploadExpiresAt, at) },
  ]);
  const told = {
    accountId: document.accountId,
    environment: environmentOf(document.environment),
    documentId: id,
    submissionId,
    category: categoryOf(document.category),
    finalizedAt: toTimestamp(at),
  };
  const facts = { aggregateId: id, aggregateVersion: row.version, occurredAt: at };
  await appendEvent(tx, newEvent(DocumentFinalizedSchema, told, facts));
  return true;
}
