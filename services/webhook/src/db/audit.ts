import type { AccountId } from '@supplier/lib/ids';
import type { Transaction } from './database.ts';

/** One entry of the audit log. */
export interface AuditEntry {
  readonly at: Date;
  /** Subject of the caller's token. */
  readonly actor: string;
  /** Name of the RPC. */
  readonly action: string;
  readonly accountId: AccountId;
  /** What was set; never a secret, never anything about an applicant. */
  readonly details: Readonly<Record<string, string | boolean>>;
  readonly requestId: string;
}

/** Appends entries to the audit log, in their order; the database refuses to change or delete them afterwards. */
export async function appendAudit(tx: Transaction, ...entries: readonly AuditEntry[]): Promise<void> {
  await tx.auditLog.createMany({ data: [...entries] });
}
