import { RefusalCode, refuse } from '@supplier/lib/rpc/refusal';
import { parseId, type SubmissionId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import type { Context, Rpcs } from '../context.ts';
import { ENTRY_KINDS } from '../model/messages.ts';
import { findLines } from '../store/ledger.sql.ts';

/**
 * Returns the billing state of a submission, from the submission service, and its ledger lines, oldest first. Throws
 * NOT_FOUND for an unknown submission and UNAVAILABLE while the submission service does not respond. Implements
 * docs/contract.md, section 6.
 */
export function getSubmissionLedger({ pool, billingOf }: Context): Rpcs['getSubmissionLedger'] {
  return async (request) => {
    const submissionId = parseId<SubmissionId>(request.submissionId);
    const found = submissionId && (await billingOf(submissionId));
    if (!found) throw refuse(RefusalCode.NOT_FOUND, 'There is no such submission.');
    const { accountId, environment, billing } = found;
    const entries = await findLines(pool, submissionId);
    return {
      submissionId,
      accountId,
      environment,
      ...(billing && { billing }),
      entries: entries.map(({ id, kind, occurredAt, eventId, pence, statementMonth }) => ({
        entryId: id,
        kind: ENTRY_KINDS[kind],
        ...(occurredAt && { occurredAt: toTimestamp(occurredAt) }),
        eventId,
        ...(pence === null ? {} : { pence }),
        statementMonth,
      })),
    };
  };
}
