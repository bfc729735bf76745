import type { ClaimedScan } from './claim-scans.ts';
import type { Database } from './database.ts';

/** Gives a claimed scan back, for anybody to claim from `dueAt` on. Changes nothing when it is somebody else's by now. */
export async function releaseScan(
  db: Database,
  { documentId, attempt }: ClaimedScan,
  dueAt: Date,
): Promise<void> {
  await db.document.updateMany({
    where: { id: documentId, scanAttempt: attempt, scanLeaseUntil: { not: null } },
    data: { scanLeaseUntil: null, scanDueAt: dueAt },
  });
}
