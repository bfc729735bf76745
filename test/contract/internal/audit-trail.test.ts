import { createHash } from 'node:crypto';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { type AuditEntry, AuditService } from '@supplier/proto/audit/v1/audit';
import { rpcClient } from '../../harness/rpc.ts';
import type { ServiceName } from '../../harness/stack.ts';

const SERVICES: ServiceName[] = ['account', 'submission', 'document', 'billing', 'webhook'];
const trailOf = (name: ServiceName) => rpcClient(name, AuditService);

async function exported(name: ServiceName): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  for await (const entry of trailOf(name).exportAudit({})) entries.push(entry);
  return entries;
}

/** Computes the hash of an entry as docs/internal-api.md describes it, from only the export. */
function hashOf(previous: string, entry: AuditEntry): string {
  const time = (at: AuditEntry['at']) => at && timestampDate(at).toISOString();
  const covered = [
    ...['audit/1', previous, String(entry.position), time(entry.sealedAt), String(entry.sequence)],
    ...[time(entry.at), entry.actor, entry.issuer, entry.roles, entry.action, entry.target],
    ...[entry.accountId || null, entry.beforeJson || null, entry.afterJson || null],
    ...[entry.purpose, entry.requestId],
  ];
  return createHash('sha256').update(JSON.stringify(covered)).digest('hex');
}

describe('the audit log', () => {
  it.each(SERVICES)('of %s is a chain that can be verified from only an export', async (name) => {
    const entries = await exported(name);
    let previous = createHash('sha256').update(`audit of ${name}`).digest('hex');
    for (const [index, entry] of entries.entries()) {
      expect(entry.position).toBe(BigInt(index + 1));
      const hash = Buffer.from(entry.hash).toString('hex');
      expect([entry.position, hash]).toEqual([entry.position, hashOf(previous, entry)]);
      previous = hash;
    }
    if (name !== 'billing') expect(entries.length).toBeGreaterThan(0);
  });
});
