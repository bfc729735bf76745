import { randomInt } from 'node:crypto';
import { toTimestamp } from '@supplier/lib/time';
import type { Enquiry } from '@supplier/proto/common/v1/enquiry';
import { ApplicationCreatedSchema } from '@supplier/proto/submission/v1/events';
import type { Context } from '../context.ts';
import type { Transaction } from '../db/database.ts';
import { insertApplication } from '../db/insert-application.ts';
import { furtherEvent } from '../db/save-change.ts';
import { newApplicationReference } from '../domain/application-reference.ts';
import type { SubmissionState } from '../domain/submission.ts';

/**
 * Makes the one Application of a locked submission, at the time `at`. Resolves to the state with the Application, which
 * is still to be saved, and to the event that tells of it.
 */
export async function mintApplication(
  { keyRing }: Pick<Context, 'keyRing'>,
  tx: Transaction,
  submission: SubmissionState,
  snapshot: Enquiry,
  at: Date,
) {
  const application = { reference: newApplicationReference(randomInt), createdAt: at };
  await insertApplication(tx, keyRing, { submissionId: submission.id, snapshot, ...application });
  const created = furtherEvent(ApplicationCreatedSchema, {
    accountId: submission.accountId,
    environment: submission.environment,
    applicationReference: application.reference,
    createdAt: toTimestamp(at),
    billingModel: submission.billing.model,
  });
  return { minted: { ...submission, application }, created };
}
