import type { SubmissionId } from '@supplier/lib/text/ids';
import type { Database } from '../store/database.ts';

/** The most corrections of a contact that staff are shown. */
const MAX_CORRECTIONS = 100;

/**
 * The Application of a submission with the grounds of the decision, the contact as it now is and its latest 100
 * corrections, newest first; undefined without one. Snapshot and contacts are still sealed.
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
