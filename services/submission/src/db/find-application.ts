import type { SubmissionId } from '@supplier/lib/ids';
import type { Database } from './database.ts';

/** The Application of a submission with the grounds of its decision; null where there is none. */
export function findApplication(db: Database, submissionId: SubmissionId) {
  return db.application.findUnique({
    where: { submissionId },
    include: {
      submission: { select: { decisionPolicy: true, decisionRule: true, decisionReason: true } },
    },
  });
}
