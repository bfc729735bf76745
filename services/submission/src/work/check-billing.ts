import { isDependencyUnavailable } from '@supplier/lib/dependency';
import type { SubmissionId } from '@supplier/lib/ids';
import { inTransaction } from '@supplier/lib/postgres';
import type { Sweep } from '@supplier/lib/sweepers';
import { type Billing, BillingStatus } from '@supplier/proto/common/v1/status';
import type pg from 'pg';
import type { Context } from '../context.ts';
import { deferBillingCheck, findBillingChecks, lockBillingChecks } from '../db/billing-checks.ts';
import { leadOf } from '../db/load-leads.ts';
import { saveLeads } from '../db/save-leads.ts';
import { isBillingOverdue } from '../domain/billing.ts';
import type { Lead } from '../domain/lead.ts';
import { applyBilling, restateToBilling } from '../domain/transitions.ts';
import { billingOf } from '../events/apply-billing-changes.ts';

const EVERY_MS = 15_000;
const MAX_LEADS = 64;

/**
 * Compares leads whose billing has been pending for long with the billing service: takes over decisions that this
 * service missed, or restates to billing what it missed. The wait grows with each comparison of a lead, so that those
 * that rightly stay pending do not delay others. Implements docs/contract.md, section 6.
 */
export const checkBilling: Sweep<Context> = {
  found: 'stalled billing resumed',
  level: 'warn',
  everyMs: EVERY_MS,
  async run(context) {
    const ids = await findBillingChecks(context.workPool, MAX_LEADS);
    if (ids.length === 0) return { count: 0, more: false };
    const { leads } = await context.billing.getLeads({ submissionIds: ids });
    const known = new Map(leads.map(({ submissionId, billing }) => [submissionId, billing]));
    return { count: await settle(context, ids, known), more: ids.length === MAX_LEADS };
  },
};

type Known = ReadonlyMap<string, Billing | undefined>;

/** All in one transaction, or one by one if that fails, so that a bad lead fails alone. */
async function settle(context: Context, ids: readonly SubmissionId[], known: Known): Promise<number> {
  try {
    const changed = await inTransaction(context.workPool, (tx) => settleIn(context, tx, ids, known));
    if (changed > 0) context.wakes.relay();
    return changed;
  } catch (error) {
    if (isDependencyUnavailable(error)) throw error;
    const [only] = ids;
    if (ids.length === 1 && only) {
      await deferBillingCheck(context.workPool, ids);
      context.log.error({ err: error, submission_id: only }, 'billing check failed');
      return 0;
    }
    let count = 0;
    for (const id of ids) count += await settle(context, [id], known);
    return count;
  }
}

async function settleIn(
  context: Context,
  tx: pg.PoolClient,
  ids: readonly SubmissionId[],
  known: Known,
): Promise<number> {
  const leads = (await lockBillingChecks(tx, ids)).map(leadOf);
  const changed = leads.flatMap((lead): Lead[] => {
    const billing = known.get(lead.state.id);
    const decided = billing && billing.billingStatus !== BillingStatus.PENDING;
    if (!decided) return isBillingOverdue(lead) ? [restateToBilling(lead)] : [];
    const applied = applyBilling(lead, billingOf(billing), context.clock.now());
    return applied ? [applied] : [];
  });
  saveLeads(tx, context.keyRing, changed);
  await deferBillingCheck(
    tx,
    leads.map(({ state }) => state.id),
  );
  return changed.length;
}
