import { AuditService } from '@supplier/proto/audit/v1/audit';
import pg from 'pg';
import { rpcClient } from './rpc.ts';
import { readStack, type ServiceName } from './stack.ts';

/** An audit log entry, with the columns that every service has. */
export interface AuditLine {
  readonly at: Date;
  readonly actor: string;
  readonly action: string;
  readonly request_id: string;
}

/** Returns the entries that one request left in a service's audit log. */
export async function auditOf(name: ServiceName, requestId: string): Promise<AuditLine[]> {
  const sql = 'SELECT at, actor, action, request_id FROM audit_entry WHERE request_id = $1 ORDER BY at';
  return (await inDatabase(name, sql, [requestId])) as AuditLine[];
}

/**
 * Returns who did what to a target for a purpose, as in "ada ReadEnquiry", from the audit log that staff see; newest
 * first.
 */
export async function staffActs(service: ServiceName, target: string, purpose: string): Promise<string[]> {
  const { entries } = await rpcClient(service, AuditService).listAudit({ target });
  return entries
    .filter((entry) => entry.purpose === purpose)
    .map(({ actor, action }) => `${actor} ${action}`);
}

/** Parks a submission's work by updating the database, because parking normally takes minutes of failures. */
export async function park(submissionId: string): Promise<void> {
  const sql = 'UPDATE submission SET work_attempts = 5, work_parked_at = now() WHERE id = $1';
  await inDatabase('submission', sql, [submissionId]);
}

async function inDatabase(name: ServiceName, sql: string, values: unknown[]): Promise<unknown[]> {
  const url = Object.assign(new URL(readStack().postgres), { pathname: `/${name}` });
  const client = new pg.Client({ connectionString: url.href, connectionTimeoutMillis: 5000 });
  await client.connect();
  try {
    return (await client.query(sql, values)).rows;
  } finally {
    await client.end();
  }
}
