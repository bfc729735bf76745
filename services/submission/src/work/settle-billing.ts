import type { Work } from '@supplier/lib/data/work';
import type { Context } from '../context.ts';
import { LEAD_COLUMNS, type LeadRow, leadOf } from '../db/load-leads.ts';
import { saveLeads } from '../db/save-leads.ts';
import { settleBilling } from '../domain/transitions.ts';

/**
 * Sets the billing state of submissions that the previous release decided, where it is still pending although their facts
 * settle it: that release left it to the billing service. The index holds nothing else, so the next release can drop both.
 * Implements docs/contract.md, section 6.
 */
export function settleBillingLeftPending(context: Context): Work<LeadRow> {
  return {
    name: 'settle-billing',
    source: {
      table: 'submission',
      columns: LEAD_COLUMNS,
      pending: `submission w LEFT JOIN application a ON a.submission_id = w.id
                WHERE w.billing_status = 1
                  AND (w.status IN (3, 4)
                       OR w.status = 2 AND (w.billing_model = 1 OR w.application_reference IS NOT NULL))
                  AND (w.status <> 2 OR w.billing_model <> 3 OR a.pre_underwriting IN (2, 3))`,
      order: 'w.work_due_at, w.id',
    },
    lanes: 1,
    async run(tx, rows) {
      const now = context.clock.now();
      saveLeads(
        tx,
        context.keyRing,
        rows.map((row) => settleBilling(leadOf(row), now)),
      );
      return { afterCommit: context.wakes.relay };
    },
  };
}
