import type { AccountId } from '@supplier/lib/ids';
import { currentContext } from '@supplier/lib/request-context';
import type { Database, Transaction } from './database.ts';

/** One line of the audit log. */
export interface AuditLine {
  readonly at: Date;
  /** Subject of the caller's token, or the part of the service that acted by itself. */
  readonly actor: string;
  /** Name of the RPC or of the sweep. */
  readonly action: string;
  readonly accountId: AccountId;
  /** Which documents it was about; never the name of a file. */
  readonly details: Readonly<Record<string, string | string[]>>;
}

/** Adds lines to the audit log; they can neither be changed nor taken away afterwards. */
export async function appendAudit(tx: Database | Transaction, lines: readonly AuditLine[]): Promise<void> {
  const requestId = currentContext()?.requestId ?? '';
  await tx.auditLog.createMany({ data: lines.map((line) => ({ ...line, requestId })) });
}
