import type { SubmissionId } from '@supplier/lib/ids';
import { requestedId } from '@supplier/lib/refusal';
import type { Context, Rpcs } from '../context.ts';
import { findLeads } from '../db/find-lead.ts';
import { billingMessage } from '../messages/billing-message.ts';

/**
 * The billing states of 1 to 64 submissions, in no particular order; those without a lead are left out, and one that is
 * named twice is answered once. Throws VALIDATION_ERROR for an id that is no UUID. Implements docs/contract.md,
 * section 6.
 */
export function getLeads({ pool }: Context): Rpcs['getLeads'] {
  return async ({ submissionIds }) => {
    const ids = submissionIds.map((text, index) =>
      requestedId<SubmissionId>(`submission_ids.${index}`, text),
    );
    const leads = await findLeads(pool, ids);
    return {
      leads: leads.map((lead) => ({
        submissionId: lead.submissionId,
        billing: billingMessage(lead.billingModel, lead),
      })),
    };
  };
}
