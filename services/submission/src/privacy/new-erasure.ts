import { type AuditActor, type AuditEntry, appendAudit } from '@supplier/lib/governance/audit';
import { currentContext } from '@supplier/lib/runtime/request-context';
import { newId, type SubmissionId } from '@supplier/lib/text/ids';
import type { ErasureReason } from '@supplier/proto/submission/v1/erasures';
import type pg from 'pg';
import { insertErasure } from './erasures.sql.ts';
import type { SubjectRow } from './legal-holds.sql.ts';

/** Who requests an erasure, and why. */
export interface ErasureOrder {
  readonly at: Date;
  readonly by: AuditActor;
  /** Name of the RPC or the sweep, for the audit log. */
  readonly action: string;
  readonly reason: ErasureReason;
  readonly purpose: string;
  /** Approval of a second person, if one was used. */
  readonly approvalId?: string | undefined;
}

/**
 * Records the erasure of locked submissions, which the worker then carries out; audited for each. The caller has
 * already refused those that are held or part of another erasure. Resolves to the erasure's id.
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
