import { auditCall } from '@supplier/lib/governance/audit';
import { RefusalCode, refuse } from '@supplier/lib/rpc/refusal';
import type { SubmissionId } from '@supplier/lib/text/ids';
import type { Context, Rpcs } from '../context.ts';
import { submissionNotFound } from '../refusals.ts';
import { valuesCompared } from './compared.ts';

/**
 * Returns the values that the rules of a submission compared, as sentences. Audited with its purpose before any data is
 * opened. Throws VALIDATION_ERROR without a purpose, NOT_FOUND, and WRONG_STATE after the data has been erased.
 * Implements docs/contract.md, section 10.
 */
export function getDecisionFacts({ db, pool, keyRing, clock, policies }: Context): Rpcs['getDecisionFacts'] {
  return async (request, call) => {
    const purpose = request.purpose.trim();
    const id = request.submissionId.toLowerCase() as SubmissionId;
    const row = await db.submission.findUnique({ where: { id }, select: COMPARED });
    if (!row) throw submissionNotFound();
    if (row.enquiry === null) throw refuse(RefusalCode.WRONG_STATE, "The applicant's data has been erased.");
    await auditCall(pool, call, { at: clock.now(), target: id, accountId: row.accountId, purpose });
    return valuesCompared({ pool, keyRing, policies }, row);
  };
}

const COMPARED = {
  ...{ id: true, accountId: true, enquiry: true, terms: true, duplicateOf: true, contactChecks: true },
  ...{ decisionPolicy: true, decisionRule: true, acceptedToday: true, acceptedThisMonth: true },
  application: { select: { snapshot: true, preUnderwritingPolicy: true, preUnderwritingReasons: true } },
} as const;
