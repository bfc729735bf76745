import type { AccountId } from '@supplier/lib/ids';
import { currentContext } from '@supplier/lib/request-context';
import type { Database, Transaction } from './database.ts';

/** One entry of the audit log. */
export interface AuditEntry {
  readonly at: Date;
  /** Subject of the caller's token, or the part of the service that acted on its own. */
  readonly actor: string;
  /** Name of the RPC or of the sweep. */
  readonly action: string;
  readonly accountId: AccountId;
  /** The documents concerned; never a filename. */
  readonly details: Readonly<Record<string, string | string[]>>;
}

/**
 * Appends entries to the audit log, with the request id of the current context. Entries cannot be changed or deleted.
 */
export async function appendAudit(
  tx: Database | Transaction,
  ...entries: readonly AuditEntry[]
): Promise<void> {
  const requestId = currentContext()?.requestId ?? '';
  await tx.auditLog.createMany({ data: entries.map((entry) => ({ ...entry, requestId })) });
}
