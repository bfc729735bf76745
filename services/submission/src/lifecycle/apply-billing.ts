import type { SubmissionId } from '@supplier/lib/ids';
import { toDate } from '@supplier/lib/time';
import { type Billing as BillingMessage, BillingStatus, Status } from '@supplier/proto/common/v1/status';
import { StatusChange } from '@supplier/proto/submission/v1/events';
import type { Context } from '../context.ts';
import type { Transaction } from '../db/database.ts';
import { lockSubmission } from '../db/lock-submission.ts';
import { saveChange } from '../db/save-change.ts';
import { stateOf } from '../db/submission-row.ts';
import { timeOfChange } from '../domain/submission.ts';

/**
 * Takes over what billing has decided, once: only a lead whose billing is still pending moves. A returned one has its
 * final state already. Implements docs/contract.md, section 6.
 */
export async function applyBilling(
  { clock }: Pick<Context, 'clock'>,
  tx: Transaction,
  id: SubmissionId,
  decided: BillingMessage,
): Promise<void> {
  const row = await lockSubmission(tx, id);
  if (!row) throw new Error('billing has decided about a submission that does not exist');
  const state = stateOf(row);
  if (state.billing.status !== BillingStatus.PENDING || state.status === Status.RETURNED) return;
  if (decided.billingStatus === BillingStatus.PENDING) return;
  await saveChange(
    tx,
    {
      ...state,
      billing: {
        model: state.billing.model,
        status: decided.billingStatus,
        billableAt: decided.billableAt ? toDate(decided.billableAt) : null,
        notBillableReason: decided.notBillableReason,
      },
      changedAt: timeOfChange(state, clock.now()),
    },
    StatusChange.BILLING_DECIDED,
  );
}
