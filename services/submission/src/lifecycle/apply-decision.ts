import { randomInt } from 'node:crypto';
import { toTimestamp } from '@supplier/lib/time';
import { Level, Status } from '@supplier/proto/common/v1/status';
import { ApplicationCreatedSchema, StatusChange } from '@supplier/proto/submission/v1/events';
import type { Context } from '../context.ts';
import type { Transaction } from '../db/database.ts';
import { insertApplication } from '../db/insert-application.ts';
import { furtherEvent, saveChange } from '../db/save-change.ts';
import { newApplicationReference } from '../domain/application-reference.ts';
import type { Decision } from '../domain/decision-policy.ts';
import { type OpenSubmission, type SubmissionState, timeOfChange } from '../domain/submission.ts';

/**
 * Applies a decision to a locked submission that is still `received`. Acceptance at application level and its one
 * Application are one transaction. Resolves to the new state. Implements docs/contract.md, section 5.
 */
export async function applyDecision(
  { clock, keyRing }: Pick<Context, 'clock' | 'keyRing'>,
  tx: Transaction,
  submission: OpenSubmission,
  decision: Decision,
): Promise<SubmissionState> {
  const at = timeOfChange(submission, clock.now());
  const decided: SubmissionState = {
    ...submission,
    status: decision.status,
    awaitsStaff: false,
    decidedAt: at,
    changedAt: at,
  };
  if (decision.status !== Status.ACCEPTED || submission.level !== Level.APPLICATION) {
    await saveChange(tx, decided, StatusChange.DECIDED, { grounds: decision });
    return decided;
  }
  const application = { reference: newApplicationReference(randomInt), createdAt: at };
  const minted = { ...decided, application };
  await insertApplication(tx, keyRing, {
    submissionId: submission.id,
    snapshot: submission.enquiry,
    ...application,
  });
  const created = furtherEvent(ApplicationCreatedSchema, {
    accountId: submission.accountId,
    environment: submission.environment,
    applicationReference: application.reference,
    createdAt: toTimestamp(at),
    billingModel: submission.billing.model,
  });
  await saveChange(tx, minted, StatusChange.DECIDED, { grounds: decision, further: [created] });
  return minted;
}
