import { newId, type SubmissionId } from '@supplier/lib/ids';
import { currentContext } from '@supplier/lib/request-context';
import type { Clock } from '@supplier/lib/time';
import type { Transaction } from './database.ts';

/** Who did what to which submission. Holds no personal data of an applicant. */
export interface AuditEntry {
  readonly actor: string;
  readonly action:
    | 'decide-submission'
    | 'return-submission'
    | 'read-application'
    | 'restate-submission'
    | 'complete-pre-underwriting';
  readonly subject: SubmissionId;
}

/** Adds to the audit log, in the transaction of what it tells of. */
export async function appendAudit(tx: Transaction, clock: Clock, entry: AuditEntry): Promise<void> {
  const requestId = currentContext()?.requestId ?? '';
  await tx.auditLog.create({
    data: { id: newId(), at: clock.now(), ...entry, requestId },
    select: { id: true },
  });
}
