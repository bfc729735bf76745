import { AuditService } from '@supplier/proto/audit/v1/audit';
import pg from 'pg';
import { rpcClient } from './rpc.ts';
import { readStack, type ServiceName } from './stack.ts';

/** A line of an audit log, as far as all services have it. */
export interface AuditLine {
  readonly at: Date;
  readonly actor: string;
  readonly action: string;
  readonly request_id: string;
}

/** The lines that one request has left in the audit log of a service. */
export async function auditOf(name: ServiceName, requestId: string): Promise<AuditLine[]> {
  const sql = 'SELECT at, actor, action, request_id FROM audit_entry WHERE request_id = $1 ORDER BY at';
  return (await inDatabase(name, sql, [requestId])) as AuditLine[];
}

/** Who did what to a target for a purpose, "ada ReadEnquiry", as the audit log of a service shows it to staff; newest first. */
export async function staffActs(service: ServiceName, target: string, purpose: string): Promise<string[]> {
  const { entries } = await rpcClient(service, AuditService).listAudit({ target });
  return entries
    .filter((entry) => entry.purpose === purpose)
    .map(({ actor, action }) => `${actor} ${action}`);
}

/** Parks the work of a submission, which takes minutes of failures: the database is told. */
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
