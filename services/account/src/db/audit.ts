import type { AccountId } from '@supplier/lib/ids';
import { currentContext } from '@supplier/lib/request-context';
import type { Transaction } from './database.ts';

/** One entry of the audit log. */
export interface AuditEntry {
  readonly at: Date;
  /** Subject of the caller's token. */
  readonly actor: string;
  /** Name of the RPC. */
  readonly action: string;
  readonly accountId: AccountId;
  /** JSON of what was set; never a secret, never anything about an applicant. */
  readonly details: string;
}

/**
 * Appends entries to the audit log, with the request id of the current context. Entries cannot be changed or deleted.
 */
export async function appendAudit(tx: Transaction, ...entries: readonly AuditEntry[]): Promise<void> {
  const requestId = currentContext()?.requestId ?? '';
  await tx.auditLog.createMany({
    data: entries.map((entry) => ({ ...entry, details: JSON.parse(entry.details), requestId })),
  });
}
