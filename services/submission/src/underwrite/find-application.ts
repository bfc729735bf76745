import type { SubmissionId } from '@supplier/lib/text/ids';
import type { Database } from '../store/database.ts';

/** Maximum contact corrections returned to staff. */
const MAX_CORRECTIONS = 100;

/**
 * Returns the Application of a submission with the grounds of the decision, the current contact and its latest 100
 * corrections, newest first; undefined if there is none. Snapshot and contacts are still sealed.
 */
export async function findApplication(db: Database, submissionId: SubmissionId) {
  const row = await db.application.findUnique({
    where: { submissionId },
    include: {
      submission: {
        select: {
          accountId: true,
          decisionPolicy: true,
          decisionRule: true,
          decisionReason: true,
          contact: true,
          contactCorrections: { orderBy: { revision: 'desc' }, take: MAX_CORRECTIONS },
        },
      },
    },
  });
  return row ?? undefined;
}
