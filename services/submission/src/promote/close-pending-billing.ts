import { inTransaction } from '@supplier/lib/data/postgres';
import { auditCall } from '@supplier/lib/governance/audit';
import { RefusalCode, refuse, requestedId } from '@supplier/lib/rpc/refusal';
import type { SubmissionId } from '@supplier/lib/text/ids';
import { CloseReason } from '@supplier/proto/submission/v1/pending_billing';
import type { Context, Rpcs } from '../context.ts';
import { closeRefusal } from '../model/billing.ts';
import { toStatusMessage } from '../model/status-message.ts';
import { closeBilling } from '../model/transitions.ts';
import { submissionNotFound } from '../refusals.ts';
import { lockSubmission, submissionOf } from '../store/load-submissions.sql.ts';
import { saveSubmissions } from '../store/save-submissions.sql.ts';

/**
 * Ends the billing of an accepted submission that will not get an Application: it becomes `not_billable` with the
 * reason `rejected`, and the supplier gets a webhook. NOT_FOUND for an unknown submission, WRONG_STATE unless it is
 * accepted without an Application and its billing is pending. The reason is one of a list, since free text about a
 * person would stay in the audit log after an erasure. Implements docs/contract.md, section 6.
 */
export function closePendingBilling(context: Context): Rpcs['closePendingBilling'] {
  const { pool, clock, keyRing, wakes } = context;
  return async (request, call) => {
    const submissionId = requestedId<SubmissionId>('submission_id', request.submissionId);
    const state = await inTransaction(pool, async (tx) => {
      const row = await lockSubmission(tx, submissionId);
      if (!row) throw submissionNotFound();
      const submission = submissionOf(row);
      const wrong = closeRefusal(submission.state);
      if (wrong) throw refuse(RefusalCode.WRONG_STATE, wrong);
      const now = clock.now();
      const closed = closeBilling(submission, now);
      saveSubmissions(tx, keyRing, [closed]);
      const { accountId } = closed.state;
      const after = { reason: CloseReason[request.closeReason] };
      await auditCall(tx, call, { at: now, target: submissionId, accountId, after });
      return closed.state;
    });
    wakes.relay();
    const { billing } = toStatusMessage(state);
    return { submissionId, ...(billing && { billing }) };
  };
}
