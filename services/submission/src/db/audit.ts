import { newId, type SubmissionId } from '@supplier/lib/ids';
import { columnMap } from '@supplier/lib/postgres';
import { currentContext } from '@supplier/lib/request-context';
import type pg from 'pg';

/** Who did what to which submission. Holds no personal data of an applicant. */
export interface AuditEntry {
  readonly at: Date;
  /** Subject of the caller's token. */
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

/** Adds entries to the audit log, in the transaction of what they record. They can neither be changed nor removed. */
export async function appendAudit(
  tx: Pick<pg.PoolClient, 'query'>,
  ...entries: readonly AuditEntry[]
): Promise<void> {
  await tx.query({
    name: 'append-audit',
    text: `INSERT INTO audit_log (${AUDIT.names}) SELECT ${AUDIT.names} FROM ${AUDIT.given()}`,
    values: AUDIT.values(entries),
  });
}

const AUDIT = columnMap<AuditEntry>({
  id: ['uuid', () => newId()],
  at: ['timestamptz', ({ at }) => at],
  actor: ['text', ({ actor }) => actor],
  action: ['text', ({ action }) => action],
  subject: ['uuid', ({ subject }) => subject],
  request_id: ['text', () => currentContext()?.requestId ?? ''],
});
