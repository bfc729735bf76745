import { newId, type SubmissionId } from '@supplier/lib/ids';
import { currentContext } from '@supplier/lib/request-context';
import type { Clock } from '@supplier/lib/time';
import type pg from 'pg';

/** Who did what to which submission. Holds no personal data of an applicant. */
export interface AuditEntry {
  readonly actor: string;
  readonly action:
    | 'decide-submission'
    | 'return-submission'
    | 'read-application'
    | 'restate-submission'
    | 'complete-pre-underwriting'
    | 'release-parked-work';
  readonly subject: SubmissionId;
}

/** Adds to the audit log, in the transaction of what it records. */
export async function appendAudit(
  tx: Pick<pg.PoolClient, 'query'>,
  clock: Clock,
  { actor, action, subject }: AuditEntry,
): Promise<void> {
  await tx.query({
    name: 'append-audit',
    text: 'INSERT INTO audit_log (id, at, actor, action, subject, request_id) VALUES ($1, $2, $3, $4, $5, $6)',
    values: [newId(), clock.now(), actor, action, subject, currentContext()?.requestId ?? ''],
  });
}
