import type { DomainEvent } from '@supplier/lib/event-bus';
import type { SubmissionId } from '@supplier/lib/ids';
import { toDate } from '@supplier/lib/time';
import type { BillingChanged } from '@supplier/proto/billing/v1/events';
import type { Billing as BillingMessage } from '@supplier/proto/common/v1/status';
import type pg from 'pg';
import type { Context } from '../context.ts';
import { leadOf, lockLeads } from '../db/load-leads.ts';
import { saveLeads } from '../db/save-leads.ts';
import type { Lead } from '../domain/lead.ts';
import type { Billing } from '../domain/submission.ts';
import { applyBilling } from '../domain/transitions.ts';

/** Takes over billing's decisions on leads, which the supplier is to see. Implements docs/contract.md, section 6. */
export function applyBillingChanges(context: Pick<Context, 'clock' | 'keyRing' | 'wakes'>) {
  return async (tx: pg.PoolClient, events: readonly DomainEvent<BillingChanged>[]): Promise<() => void> => {
    const ids = events.map(({ aggregateId }) => aggregateId as SubmissionId);
    const rows = await lockLeads(tx, [...new Set(ids)]);
    const leads = new Map<string, Lead>(rows.map((row) => [row.id, leadOf(row)]));
    for (const { aggregateId, message, context: cause } of events) {
      const lead = leads.get(aggregateId);
      if (!lead) throw new Error('invariant violated: BillingChanged for an unknown submission');
      if (!message.billing) throw new Error('BillingChanged carries no billing state');
      const next = applyBilling(lead, billingOf(message.billing), context.clock.now());
      if (next) leads.set(aggregateId, { ...next, context: cause });
    }
    saveLeads(
      tx,
      context.keyRing,
      [...leads.values()].filter(({ unsaved }) => unsaved.events.length > 0),
    );
    return context.wakes.relaySoon;
  };
}

/** A billing state as the billing service sends it. */
export function billingOf({
  billingStatus,
  billableAt,
  notBillableReason,
}: BillingMessage): Omit<Billing, 'model'> {
  return { status: billingStatus, billableAt: billableAt ? toDate(billableAt) : null, notBillableReason };
}
