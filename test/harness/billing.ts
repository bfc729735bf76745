import { Code, ConnectError } from '@connectrpc/connect';
import { EntryKind, type Lead } from '@supplier/proto/billing/v1/billing';
import { staff } from './rpc.ts';
import { NotYet, waitFor } from './wait.ts';

/** What billing knows of a submission, once it has heard of it and `holds`. */
export const leadOf = (submissionId: string, holds: (lead: Lead) => boolean = () => true): Promise<Lead> =>
  waitFor(`the ledger of ${submissionId}`, async () => {
    const lead = await leadIfAny(submissionId);
    if (!lead) throw new NotYet('unknown to billing');
    if (!holds(lead)) throw new NotYet(`its lines are ${chargesAndCredits(lead).join(', ') || 'none'}`);
    return lead;
  });

/** What billing knows of a submission now; undefined when it has not heard of it. */
export async function leadIfAny(submissionId: string): Promise<Lead | undefined> {
  try {
    return await staff.billing().getLead({ submissionId });
  } catch (error) {
    if (error instanceof ConnectError && error.code === Code.NotFound) return undefined;
    throw error;
  }
}

/** The lines of a ledger in their order, by kind. */
export const chargesAndCredits = (lead: Lead): string[] =>
  lead.entries.map((entry) =>
    entry.kind === EntryKind.CHARGE ? 'charge' : entry.kind === EntryKind.CREDIT ? 'credit' : 'unknown',
  );
