import type { SubmissionId } from '@supplier/lib/ids';
import type { Database } from './database.ts';

/** The Application of a submission, its snapshot still sealed, with the grounds of the decision; undefined without one. */
export async function findApplication(db: Database, submissionId: SubmissionId) {
  const row = await db.application.findUnique({
    where: { submissionId },
    include: { submission: { select: { decisionPolicy: true, decisionRule: true, decisionReason: true } } },
  });
  return row ?? undefined;
}
