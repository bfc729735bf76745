import type { Enquiry } from '@supplier/proto/common/v1/enquiry';
import type { Context } from '../context.ts';
import type { Transaction } from '../db/database.ts';
import { announce } from '../db/save-change.ts';
import { type SubmissionState, timeOfChange } from '../domain/submission.ts';
import { mintApplication } from './mint-application.ts';

/**
 * Gives a locked, accepted basic submission its Application. The supplier sees it on the next read and in the next
 * webhook: a new Application alone is no reason for one. Resolves to the new state.
 */
export async function linkApplication(
  context: Pick<Context, 'clock' | 'keyRing'>,
  tx: Transaction,
  submission: SubmissionState,
  snapshot: Enquiry,
): Promise<SubmissionState> {
  const at = timeOfChange(submission, context.clock.now());
  const { minted, created } = await mintApplication(context, tx, submission, snapshot, at);
  return announce(tx, { ...minted, changedAt: at }, created, at);
}
