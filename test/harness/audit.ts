import { AuditService } from '@supplier/proto/audit/v1/audit';
import pg from 'pg';
import { rpcClient } from './rpc.ts';
import { readStack, type ServiceName } from './stack.ts';

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
  const url = Object.assign(new URL(readStack().postgres), { pathname: '/submission' });
  const client = new pg.Client({ connectionString: url.href, connectionTimeoutMillis: 5000 });
  await client.connect();
  try {
    const sql = 'UPDATE submission SET work_attempts = 5, work_parked_at = now() WHERE id = $1';
    await client.query(sql, [submissionId]);
  } finally {
    await client.end();
  }
}
