import { type EventHandler, on } from '@supplier/lib/event-bus';
import type { SubmissionId } from '@supplier/lib/ids';
import { BillingChangedSchema } from '@supplier/proto/billing/v1/events';
import type { Context } from '../context.ts';
import type { Transaction } from '../db/database.ts';
import { applyBilling } from '../lifecycle/apply-billing.ts';

/** Billing has decided about a lead: the supplier is to see it. */
export function onBillingChanged(context: Context): EventHandler<Transaction> {
  return on(BillingChangedSchema, async (event, applyOnce) => {
    const { billing } = event.message;
    if (!billing) throw new Error('a billing event says what was decided');
    await applyOnce((tx: Transaction) =>
      applyBilling(context, tx, event.aggregateId as SubmissionId, billing),
    );
  });
}
