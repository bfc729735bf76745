import { inTransaction } from '@supplier/lib/data/postgres';
import { approvableAction, type Evaluate, factLines } from '@supplier/lib/governance/approvals';
import {
  type AuditActor,
  type AuditEntry,
  type AuditedAction,
  actorOf,
  appendAudit,
  auditedRpc,
} from '@supplier/lib/governance/audit';
import { currentContext } from '@supplier/lib/runtime/request-context';
import { newId, type SubmissionId } from '@supplier/lib/text/ids';
import { ErasureReason, type RequestErasureRequest } from '@supplier/proto/submission/v1/erasures';
import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import type pg from 'pg';
import type { Context, PrivacyRpcs } from '../context.ts';
import { erasureMessage } from './erasure-message.ts';
import { insertErasure } from './erasures.sql.ts';
import type { SubjectRow } from './legal-holds.sql.ts';
import { readErasure } from './read-erasures.ts';
import { lockErasable, requestedSubmissions } from './subjects.ts';

/** Erasure is permanent. The request names submissions, not people. */
const evaluateErasure: Evaluate<pg.PoolClient, RequestErasureRequest> = async (tx, { submissionIds }) => {
  const subjects = await lockErasable(tx, requestedSubmissions(submissionIds));
  return {
    target: submissionIds[0] ?? '',
    reasons: ['erased data cannot be restored'],
    further: factLines({
      of_accounts: [...new Set(subjects.map((one) => one.account_id))].sort().join(', '),
    }),
  };
};

export const REQUEST_ERASURE = approvableAction(PrivacyService.method.requestErasure, evaluateErasure);

/**
 * Requests the erasure of applicants: of all the submissions or, if one is refused, of none. Erased submissions may be
 * requested again, as after a restore. Audited for each with its purpose. WRONG_STATE for a submission under legal hold
 * or already being erased and, if SSS_FOUR_EYES is required, without a matching approval; NOT_FOUND for an unknown one.
 * Implements docs/contract.md, section 10.
 */
export function requestErasure(context: Context): PrivacyRpcs['requestErasure'] {
  return async (request, call) => {
    const { db, pool, clock, wakes, approvals } = context;
    const purpose = request.purpose.trim();
    const ids = requestedSubmissions(request.submissionIds);
    const id = await inTransaction(pool, async (tx) => {
      const subjects = await lockErasable(tx, ids);
      const approvalId = await approvals.take(tx, REQUEST_ERASURE, request, call);
      const by = actorOf(call);
      const reason = ErasureReason.REQUEST;
      const order = { at: clock.now(), by, action: auditedRpc(call.method), reason, purpose, approvalId };
      return recordErasure(tx, order, subjects);
    });
    wakes.erasures();
    const made = await readErasure(db, id);
    if (!made) throw new Error('invariant violated: no erasure that was just recorded');
    return erasureMessage(made);
  };
}

interface ErasureOrder {
  readonly at: Date;
  readonly by: AuditActor;
  readonly action: AuditedAction['action'];
  readonly reason: ErasureReason;
  readonly purpose: string;
  /** Approval of a second person, if one was used. */
  readonly approvalId?: string | undefined;
}

/**
 * Records the erasure of locked submissions, which the worker then carries out; audited for each. The caller has
 * already refused submissions that are held or part of another erasure. Resolves to the id of the erasure.
 */
export async function recordErasure(
  tx: pg.PoolClient,
  { at, by, action, reason, purpose, approvalId }: ErasureOrder,
  subjects: readonly SubjectRow[],
): Promise<string> {
  const id: string = newId();
  const ids: SubmissionId[] = subjects.map((subject) => subject.id);
  const requestId = currentContext()?.requestId ?? '';
  await insertErasure(tx, { id, requestedAt: at, requestedBy: by, reason, purpose, requestId }, ids);
  const entries = subjects.map(
    ({ id: target, account_id }): AuditEntry => ({
      ...by,
      at,
      action,
      target,
      accountId: account_id,
      after: { erasureId: id, ...(approvalId && { approvalId }) },
      purpose,
    }),
  );
  await appendAudit(tx, ...entries);
  return id;
}
