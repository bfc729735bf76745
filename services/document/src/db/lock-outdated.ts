import type { DocumentId } from '@supplier/lib/ids';
import type { Transaction } from './database.ts';
import { type DocumentRow, documentFromRow } from './document-row.ts';

/** Locks up to `limit` uploads that were announced at `abandonedSince` or before and are not finalized, oldest first. */
export async function lockAbandoned(
  tx: Transaction,
  abandonedSince: Date,
  limit: number,
): Promise<DocumentRow[]> {
  const ids = await tx.$queryRaw<{ id: DocumentId }[]>`
    SELECT id FROM document WHERE state = 'awaiting_upload' AND created_at <= ${abandonedSince}
    ORDER BY created_at LIMIT ${limit} FOR UPDATE SKIP LOCKED`;
  return read(tx, ids);
}

/**
 * Locks up to `limit` documents that are no longer kept: finalized at `retainedSince` or before, or refused by a scan at
 * `refusedSince` or before.
 */
export async function lockOutdated(
  tx: Transaction,
  { retainedSince, refusedSince }: { readonly retainedSince: Date; readonly refusedSince: Date },
  limit: number,
): Promise<DocumentRow[]> {
  const ids = await tx.$queryRaw<{ id: DocumentId }[]>`
    SELECT id FROM document
    WHERE state = 'finalized' AND (finalized_at <= ${retainedSince}
      OR (finalized_at <= ${refusedSince} AND scanned_at <= ${refusedSince}
          AND scan_status IN ('infected', 'scan_failed')))
    ORDER BY finalized_at LIMIT ${limit} FOR UPDATE SKIP LOCKED`;
  return read(tx, ids);
}

async function read(tx: Transaction, ids: readonly { id: DocumentId }[]): Promise<DocumentRow[]> {
  const rows = await tx.document.findMany({ where: { id: { in: ids.map(({ id }) => id) } } });
  return rows.map(documentFromRow);
}
