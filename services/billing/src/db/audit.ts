import type { AccountId } from '@supplier/lib/ids';
import { enqueue } from '@supplier/lib/postgres';
import { currentContext } from '@supplier/lib/request-context';
import type pg from 'pg';

/** One entry of the audit log. */
export interface AuditEntry {
  readonly at: Date;
  /** Subject of the caller's token. */
  readonly actor: string;
  /** Name of the RPC. */
  readonly action: string;
  readonly accountId: AccountId;
  /** What was set; never a secret, never anything about an applicant. */
  readonly details: Readonly<Record<string, string | number | boolean>>;
}

/**
 * Appends an entry to the audit log in the action's own transaction, with the request id of the current context. Entries
 * cannot be changed or deleted.
 */
export function appendAudit(tx: pg.PoolClient, { at, actor, action, accountId, details }: AuditEntry): void {
  enqueue(tx, {
    name: 'append-audit',
    text: `INSERT INTO audit_log (at, actor, action, account_id, details, request_id) VALUES ($1, $2, $3, $4, $5, $6)`,
    values: [at, actor, action, accountId, JSON.stringify(details), currentContext()?.requestId ?? ''],
  });
}
