import { inTransaction } from '@supplier/lib/data/postgres';
import { appendAudit, auditEntry } from '@supplier/lib/governance/audit';
import { requestedId } from '@supplier/lib/rpc/refusal';
import type { SubmissionId } from '@supplier/lib/text/ids';
import { ReleaseOutcome } from '@supplier/proto/submission/v1/parked_work';
import type { Context, Rpcs } from '../context.ts';
import { ownersOf } from '../store/submissions.sql.ts';
import { workQueue } from '../work/index.ts';

/**
 * Makes the work of parked submissions due immediately, as if it had never failed, and returns for each whether it was
 * parked. Audited. Implements docs/contract.md, section 11.
 */
export function releaseParkedWork(context: Context): Rpcs['releaseParkedWork'] {
  return async ({ submissionIds }, call) => {
    const ids = submissionIds.map((id, index) => requestedId<SubmissionId>(`submission_ids.${index}`, id));
    const { released, existing } = await inTransaction(context.pool, async (tx) => {
      const given = { where: 'id = ANY($1::uuid[])', values: [ids] };
      const released = new Set(await workQueue('submission').release(tx, given, 'id'));
      const at = context.clock.now();
      const owners = await ownersOf(tx, ids);
      const entries = owners
        .filter(({ id }) => released.has(id))
        .map(({ id, account_id }) => auditEntry(call, { at, target: id, accountId: account_id }));
      await appendAudit(tx, ...entries);
      return { released, existing: new Set(owners.map(({ id }) => id)) };
    });
    const { undecided, unminted, unassessed } = context.wakes;
    undecided();
    unminted();
    unassessed();
    const results = ids.map((id) => ({ submissionId: id, outcome: outcomeOf(id) }));
    return { releasedIds: [...released], results };

    function outcomeOf(id: SubmissionId): ReleaseOutcome {
      if (released.has(id)) return ReleaseOutcome.RELEASED;
      return existing.has(id) ? ReleaseOutcome.NOT_PARKED : ReleaseOutcome.UNKNOWN;
    }
  };
}
