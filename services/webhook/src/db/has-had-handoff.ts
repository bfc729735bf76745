import type { SubmissionId } from '@supplier/lib/ids';
import type { Database } from './database.ts';

/** Whether a link of the submission has ever become available, as far as has been heard, dropped events included. */
export async function hasHadHandoff(db: Database, submissionId: SubmissionId): Promise<boolean> {
  const found = await db.event.findFirst({
    where: { submissionId, change: 'handoff_available' },
    select: { id: true },
  });
  return found !== null;
}
