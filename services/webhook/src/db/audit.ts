import type { AccountId } from '@supplier/lib/ids';
import type { Transaction } from './database.ts';

/** One line of the audit log. */
export interface AuditLine {
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

/** Adds a line to the audit log; it can neither be changed nor taken away afterwards. */
export async function appendAuditLine(tx: Transaction, line: AuditLine): Promise<void> {
  await tx.auditLog.create({ data: line });
}
