import { Code, ConnectError } from '@connectrpc/connect';
import type { SubmissionId } from '@supplier/lib/ids';
import { republishAggregate } from '@supplier/lib/outbox';
import { type Billing, BillingStatus } from '@supplier/proto/common/v1/status';
import type { Context } from '../context.ts';
import { findUnbilled } from '../db/find-unbilled.ts';
import { applyBilling } from '../lifecycle/apply-billing.ts';

const STALE_MS = 30_000;
const MOST = 50;

/**
 * Settles leads whose billing should have been decided: takes over what billing has decided and this service missed,
 * or tells billing again what it missed.
 */
export async function sweepUnbilled(context: Context): Promise<number> {
  const before = new Date(context.clock.now().getTime() - STALE_MS);
  const stale = await findUnbilled(context.db, before, MOST);
  for (const id of stale) await settle(context, id);
  return stale.length;
}

async function settle(context: Context, id: SubmissionId): Promise<void> {
  const billing = await askBilling(context, id);
  if (billing && billing.billingStatus !== BillingStatus.PENDING) {
    await context.db.$transaction((tx) => applyBilling(context, tx, id, billing));
  } else {
    await republishAggregate(context.pool, id);
  }
}

async function askBilling(context: Context, id: SubmissionId): Promise<Billing | undefined> {
  try {
    return (await context.billing.getLead({ submissionId: id })).billing;
  } catch (error) {
    if (error instanceof ConnectError && error.code === Code.NotFound) return undefined;
    throw error;
  }
}
