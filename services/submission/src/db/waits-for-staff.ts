import type { SubmissionId } from '@supplier/lib/ids';
import { PreUnderwritingState } from '@supplier/proto/submission/v1/submission';
import type { Transaction } from './database.ts';

/** Whether the Application of a locked submission has failed pre-underwriting and was left to staff. */
export async function waitsForStaff(tx: Transaction, submissionId: SubmissionId): Promise<boolean> {
  const application = await tx.application.findUnique({
    where: { submissionId },
    select: { preUnderwriting: true, preUnderwritingAt: true },
  });
  return (
    application?.preUnderwriting === PreUnderwritingState.PENDING && application.preUnderwritingAt !== null
  );
}
