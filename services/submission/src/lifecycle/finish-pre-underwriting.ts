import { toTimestamp } from '@supplier/lib/time';
import { PreUnderwritingCompletedSchema } from '@supplier/proto/submission/v1/events';
import type { PreUnderwritingState } from '@supplier/proto/submission/v1/submission';
import type { Transaction } from '../db/database.ts';
import { announce, furtherEvent } from '../db/save-change.ts';
import type { SubmissionState } from '../domain/submission.ts';

/**
 * Ends the pre-underwriting of a locked submission's Application, at the time `at`, and tells of it. What was not
 * cleared is to be returned in the same transaction. Resolves to the state with its new version.
 */
export async function finishPreUnderwriting(
  tx: Transaction,
  submission: SubmissionState,
  state: PreUnderwritingState.CLEARED | PreUnderwritingState.NOT_CLEARED,
  at: Date,
): Promise<SubmissionState> {
  await tx.application.update({
    where: { submissionId: submission.id },
    data: { preUnderwriting: state, preUnderwritingAt: at },
    select: { id: true },
  });
  const completed = furtherEvent(PreUnderwritingCompletedSchema, {
    accountId: submission.accountId,
    environment: submission.environment,
    state,
    completedAt: toTimestamp(at),
    billingModel: submission.billing.model,
  });
  return announce(tx, submission, completed, at);
}
