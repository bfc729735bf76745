import { inTransaction } from '@supplier/lib/data/postgres';
import { actorOf, purposeOf } from '@supplier/lib/governance/audit';
import { ErasureReason } from '@supplier/proto/submission/v1/erasures';
import { REQUEST_ERASURE } from '../approvable-acts.ts';
import type { Context, PrivacyRpcs } from '../context.ts';
import { erasureMessage } from './erasure-message.ts';
import { recordErasure } from './new-erasure.ts';
import { readErasure } from './read-erasures.sql.ts';
import { lockErasable, requestedSubmissions } from './subjects.ts';

/**
 * Requests the erasure of applicants: of all the submissions or, if one is refused, of none. Erased ones may be
 * requested again, as after a restore. Audited for each with its purpose. WRONG_STATE for one under legal hold or whose
 * erasure is under way, and, where SSS_FOUR_EYES is required, without an approval of exactly this; NOT_FOUND for an
 * unknown one. Implements docs/contract.md, section 10.
 */
export function requestErasure(context: Context): PrivacyRpcs['requestErasure'] {
  return async (request, call) => {
    const { pool, clock, wakes, approvals } = context;
    const purpose = purposeOf(request);
    const ids = requestedSubmissions(request.submissionIds);
    const id = await inTransaction(pool, async (tx) => {
      const subjects = await lockErasable(tx, ids);
      const approvalId = await approvals.take(tx, REQUEST_ERASURE, request, call);
      const by = actorOf(call);
      const reason = ErasureReason.REQUEST;
      const order = { at: clock.now(), by, action: call.method.name, reason, purpose, approvalId };
      return recordErasure(tx, order, subjects);
    });
    wakes.erasures();
    const made = await readErasure(pool, id);
    if (!made) throw new Error('invariant violated: no erasure that was just recorded');
    return erasureMessage(made.erasure, made.submissions);
  };
}
