import { parseId, type SubmissionId } from '@supplier/lib/ids';
import { toTimestamp } from '@supplier/lib/time';
import type { Context, Rpcs } from '../context.ts';
import { findLead } from '../db/find-lead.ts';
import { billingMessage } from '../messages/billing-message.ts';
import { ENTRY_KINDS, ENVIRONMENTS } from '../messages/enum-mapping.ts';
import { unknownLead } from '../requests/refusals.ts';

/**
 * The billing state of a submission with its ledger lines, oldest first. Throws NOT_FOUND while billing has no lead for
 * it. Implements docs/contract.md, section 6.
 */
export function getLead({ db }: Context): Rpcs['getLead'] {
  return async (request) => {
    const submissionId = parseId<SubmissionId>(request.submissionId);
    const found = submissionId && (await findLead(db, submissionId));
    if (!found) throw unknownLead();
    const { lead, entries } = found;
    return {
      submissionId: lead.submissionId,
      accountId: lead.accountId,
      environment: ENVIRONMENTS[lead.environment],
      billing: billingMessage(lead.billingModel, lead),
      entries: entries.map(({ id, kind, occurredAt, eventId, pence, statementMonth }) => ({
        entryId: id,
        kind: ENTRY_KINDS[kind],
        occurredAt: toTimestamp(occurredAt),
        eventId,
        ...(pence === null ? {} : { pence }),
        statementMonth,
      })),
    };
  };
}
