import type { SubmissionId } from '@supplier/lib/ids';
import type { Transaction } from './database.ts';

/** Ends every link of a locked submission that has not been used. */
export async function endJourneyLinks(tx: Transaction, submissionId: SubmissionId, at: Date): Promise<void> {
  await tx.journeyLink.updateMany({
    where: { submissionId, usedAt: null, endedAt: null },
    data: { endedAt: at },
  });
}
