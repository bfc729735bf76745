import { Level, Status } from '@supplier/proto/common/v1/status';
import { StatusChange } from '@supplier/proto/submission/v1/events';
import type { Context } from '../context.ts';
import type { Transaction } from '../db/database.ts';
import { saveChange } from '../db/save-change.ts';
import type { Decision } from '../domain/decision-policy.ts';
import { type OpenSubmission, type SubmissionState, timeOfChange } from '../domain/submission.ts';
import { openHandoff } from './journey-handoff.ts';
import { mintApplication } from './mint-application.ts';

/**
 * Applies a decision to a locked submission that is still `received`. Acceptance at application level and its one
 * Application are one transaction; so is the first handoff link, of which the decision's own event tells. Resolves to
 * the new state. Implements docs/contract.md, section 5.
 */
export async function applyDecision(
  context: Pick<Context, 'clock' | 'config' | 'keyRing'>,
  tx: Transaction,
  submission: OpenSubmission,
  decision: Decision,
): Promise<SubmissionState> {
  const at = timeOfChange(submission, context.clock.now());
  const decided: SubmissionState = {
    ...submission,
    status: decision.status,
    awaitsStaff: false,
    decidedAt: at,
    changedAt: at,
  };
  const linked = await openHandoff(context, tx, decided);
  const change = linked ? StatusChange.HANDOFF_AVAILABLE : StatusChange.DECIDED;
  if (decision.status !== Status.ACCEPTED || submission.level !== Level.APPLICATION) {
    await saveChange(tx, decided, change, { grounds: decision });
    return decided;
  }
  const { minted, created } = await mintApplication(context, tx, decided, submission.enquiry, at);
  await saveChange(tx, minted, change, { grounds: decision, further: [created] });
  return minted;
}
