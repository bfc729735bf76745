import { toTimestamp } from '@supplier/lib/time';
import { PreUnderwritingCompletedSchema } from '@supplier/proto/submission/v1/events';
import type { PreUnderwritingState } from '@supplier/proto/submission/v1/submission';
import type { Transaction } from '../db/database.ts';
import { announce, furtherEvent } from '../db/save-change.ts';
import type { SubmissionState } from '../domain/submission.ts';

/** What the policy made of an Application. */
export interface Assessment {
  readonly preUnderwritingPolicy: string;
  readonly preUnderwritingReasons: string[];
}

/**
 * Ends the pre-underwriting of a locked submission's Application, at the time `at`, and tells of it. What was not
 * cleared is to be returned in the same transaction. Keeps the `assessment` unless that was kept before. Resolves to the state with its new version.
 */
export async function finishPreUnderwriting(
  tx: Transaction,
  submission: SubmissionState,
  state: PreUnderwritingState.CLEARED | PreUnderwritingState.NOT_CLEARED,
  at: Date,
  assessment: Assessment | undefined = undefined,
): Promise<SubmissionState> {
  await tx.application.update({
    where: { submissionId: submission.id },
    data: { preUnderwriting: state, preUnderwritingAt: at, ...assessment },
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
