import { appendAudit, auditEntry } from '@supplier/lib/audit';
import type { SubmissionId } from '@supplier/lib/ids';
import { inTransaction } from '@supplier/lib/postgres';
import { requestedId } from '@supplier/lib/refusal';
import type { Context, Rpcs } from '../context.ts';
import { leadOf, lockLeads } from '../db/load-leads.ts';
import { saveLeads } from '../db/save-leads.ts';
import { restateToBilling } from '../domain/transitions.ts';

/**
 * Sends billing all facts of up to 100 leads again, in one transaction and with a line in the audit log for each.
 * Suppliers see no change, and no webhook follows. Unknown ids are left out; VALIDATION_ERROR for an id that is not a
 * UUID. Implements docs/contract.md, section 6.
 */
export function restateLeads(context: Context): Rpcs['restateLeads'] {
  return async ({ submissionIds }, call) => {
    const ids = submissionIds.map((id) => requestedId<SubmissionId>('submission_ids', id));
    const restated = await inTransaction(context.pool, async (tx) => {
      const leads = (await lockLeads(tx, ids)).map(leadOf);
      saveLeads(tx, context.keyRing, leads.map(restateToBilling));
      const at = context.clock.now();
      const entries = leads.map(({ state }) =>
        auditEntry(call, { at, target: state.id, accountId: state.accountId }),
      );
      await appendAudit(tx, ...entries);
      return leads.map(({ state }) => state.id);
    });
    if (restated.length > 0) context.wakes.relay();
    return { submissionIds: restated };
  };
}
