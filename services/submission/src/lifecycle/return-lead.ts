import { type ReturnReasonCategory, Status } from '@supplier/proto/common/v1/status';
import { StatusChange } from '@supplier/proto/submission/v1/events';
import type { Context } from '../context.ts';
import type { Transaction } from '../db/database.ts';
import { endJourneyLinks } from '../db/end-journey-links.ts';
import { saveChange } from '../db/save-change.ts';
import { returnedBilling } from '../domain/billing.ts';
import { type SubmissionState, timeOfChange } from '../domain/submission.ts';

/**
 * Returns a locked, accepted lead. Its billing state changes in the same breath, so that one event says both, and its
 * links end.
 * Resolves to the new state. Implements docs/contract.md, sections 5 and 6.
 */
export async function returnLead(
  { clock }: Pick<Context, 'clock'>,
  tx: Transaction,
  submission: SubmissionState,
  reason: ReturnReasonCategory,
): Promise<SubmissionState> {
  const at = timeOfChange(submission, clock.now());
  const returned: SubmissionState = {
    ...submission,
    status: Status.RETURNED,
    returned: { reason, at },
    billing: returnedBilling(submission.environment, submission.billing),
    changedAt: at,
  };
  await endJourneyLinks(tx, submission.id, at);
  await saveChange(tx, returned, StatusChange.RETURNED);
  return returned;
}
