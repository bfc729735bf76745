import type { DocumentId } from '@supplier/lib/ids';
import type { Transaction } from './database.ts';

/** Puts a finalized document that has a result back to waiting for one; resolves to false for any other. */
export async function saveRescan(tx: Transaction, documentId: DocumentId, at: Date): Promise<boolean> {
  const { count } = await tx.document.updateMany({
    where: { id: documentId, state: 'finalized', scanStatus: { not: 'pending_scan' } },
    data: { scanStatus: 'pending_scan', scanDueAt: at, scanReason: null, signature: null, scannedAt: null },
  });
  return count === 1;
}
