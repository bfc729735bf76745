import { appendAudit, auditEntry, purposeOf } from '@supplier/lib/governance/audit';
import type { SubmissionId } from '@supplier/lib/text/ids';
import type { Context, PrivacyRpcs } from '../context.ts';
import { submissionNotFound } from '../refusals.ts';
import { readForExport } from './exported-rows.ts';
import { exportedSubmission } from './exported-submission.ts';

/**
 * Everything that this service holds of the applicant of a submission, for the applicant. Audited with its purpose before
 * anything is opened. NOT_FOUND for an unknown submission. Implements docs/contract.md, section 10.
 */
export function exportSubmission({ db, pool, keyRing, clock }: Context): PrivacyRpcs['exportSubmission'] {
  return async (request, call) => {
    const purpose = purposeOf(request);
    const id = request.submissionId.toLowerCase() as SubmissionId;
    const row = await readForExport(db, id);
    if (!row) throw submissionNotFound();
    const act = { at: clock.now(), target: id, accountId: row.accountId, purpose };
    await appendAudit(pool, auditEntry(call, act));
    return exportedSubmission(keyRing, row);
  };
}
