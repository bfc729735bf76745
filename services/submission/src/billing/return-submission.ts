import { inTransaction } from '@supplier/lib/data/postgres';
import { auditCall } from '@supplier/lib/governance/audit';
import { RefusalCode, refuse } from '@supplier/lib/rpc/refusal';
import type { SubmissionId } from '@supplier/lib/text/ids';
import { ReturnReasonCategory, Status } from '@supplier/proto/common/v1/status';
import type pg from 'pg';
import type { Context, Rpcs } from '../context.ts';
import { runBatch } from '../decide/index.ts';
import type { LockedSubmission } from '../model/locked-submission.ts';
import { toStatusMessage } from '../model/status-message.ts';
import { canBeReturned, returnSubmission as markReturned } from '../model/transitions.ts';
import { submissionNotFound } from '../refusals.ts';
import { COMPLETIONS, findActor, RETURNS } from '../store/find-actor.sql.ts';
import { lockSubmission, submissionOf } from '../store/load-submissions.sql.ts';
import { saveSubmissions } from '../store/save-submissions.sql.ts';

/**
 * Returns an accepted lead to its supplier, on behalf of staff. A return is final and possible only within the return
 * window. It closes pre-underwriting that awaits review as not cleared. Implements docs/contract.md, section 5.
 */
export function returnSubmission(context: Context): Rpcs['returnSubmission'] {
  return async (request, call) => {
    const { clock, config, keyRing, pool, wakes } = context;
    const state = await inTransaction(pool, async (tx) => {
      const row = await lockSubmission(tx, request.submissionId.toLowerCase() as SubmissionId);
      if (!row) throw submissionNotFound();
      const submission = submissionOf(row);
      const now = clock.now();
      if (!canBeReturned(submission, now, config.returnWindowDays)) {
        throw refuse(RefusalCode.WRONG_STATE, await returnRefusal(tx, submission));
      }
      const returned = markReturned(submission, request.reasonCategory, now);
      saveSubmissions(tx, keyRing, [returned]);
      await auditCall(tx, call, {
        at: now,
        target: row.id,
        accountId: row.account_id,
        before: { status: Status[row.status] },
        after: {
          status: Status[returned.state.status],
          reasonCategory: ReturnReasonCategory[request.reasonCategory],
        },
      });
      return returned.state;
    });
    wakes.relay();
    return toStatusMessage(state);
  };
}

async function returnRefusal(
  tx: pg.PoolClient,
  { state: { id, returned } }: LockedSubmission,
): Promise<string> {
  if (!returned)
    return 'Only an accepted submission whose billing has not been closed can be returned, within the return window.';
  const by = await findActor(tx, id, [...RETURNS, ...COMPLETIONS]);
  return `The submission has already been returned, by ${by} at ${returned.at.toISOString()}.`;
}

/** Returns up to 100 submissions on behalf of staff, with a result for each. Implements docs/contract.md, section 5. */
export function returnSubmissions(context: Context): Rpcs['returnSubmissions'] {
  const act = returnSubmission(context);
  return ({ returns }, call) => runBatch(context, 'returns', returns, call, act);
}
