import type { SubmissionId } from '@supplier/lib/ids';
import { ApplicationMinting } from '@supplier/proto/common/v1/principal';
import { Level, Status } from '@supplier/proto/common/v1/status';
import type { Context } from '../context.ts';
import type { Transaction } from '../db/database.ts';
import { lockSubmission } from '../db/lock-submission.ts';
import { openWorkingEnquiry, stateOf } from '../db/submission-row.ts';
import { linkApplication } from './link-application.ts';

/**
 * Mints the Application of an accepted basic submission from what is known of it, once. Does nothing when it has one, a
 * promotion's included, when it was returned or erased meanwhile, or when the account's terms leave minting to the
 * promotion. Implements docs/contract.md, section 5.
 */
export async function mintOnAcceptance(context: Context, tx: Transaction, id: SubmissionId): Promise<void> {
  const row = await lockSubmission(tx, id);
  if (!row || row.level !== Level.BASIC || row.status !== Status.ACCEPTED) return;
  if (row.applicationReference !== null || row.enquiry === null) return;
  if (row.applicationMinting !== ApplicationMinting.ON_ACCEPTANCE) return;
  await linkApplication(context, tx, stateOf(row), openWorkingEnquiry(row, context.keyRing));
}
