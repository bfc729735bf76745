import { createHash, randomUUID } from 'node:crypto';
import { timestampDate, timestampFromMs } from '@bufbuild/protobuf/wkt';
import { type AuditEntry, AuditService } from '@supplier/proto/audit/v1/audit';
import { newAccount } from '../../harness/accounts.ts';
import { enquiry } from '../../harness/enquiries.ts';
import { rpcClient, staff } from '../../harness/rpc.ts';
import type { ServiceName } from '../../harness/stack.ts';
import { decided } from '../../harness/suppliers.ts';
import { NotYet, waitFor } from '../../harness/wait.ts';

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
  it('shows an action with its actor, issuer, roles, target and previous values, and is sealed soon after', async () => {
    const requestId = `trail-${randomUUID()}`;
    const { accountId } = await newAccount();
    const { revision, permittedScopes, terms } = await staff.account().getAccount({ accountId });
    const change = { accountId, revision, permittedScopes, ...(terms && { terms }), state: 2 };
    await staff.account().updateAccount(change, { headers: { 'x-request-id': requestId } });
    const entry = await waitFor('the entry to be sealed', async () => {
      const { entries } = await trailOf('account').listAudit({ accountId, action: 'UpdateAccount' });
      const found = entries.find((one) => one.requestId === requestId);
      if (!found || found.position === 0n) throw new NotYet('not sealed');
      return found;
    });
    expect(entry).toMatchObject({ actor: 'local-administrator', roles: ['staff:admin'], target: accountId });
    expect(entry.issuer).not.toBe('');
    expect(JSON.parse(entry.beforeJson)).toMatchObject({ state: 'ACCOUNT_STATE_ACTIVE' });
    expect(JSON.parse(entry.afterJson)).toMatchObject({ state: 'ACCOUNT_STATE_SUSPENDED' });
  });

  it('contains nothing about an applicant whose data staff have read', async () => {
    const since = timestampFromMs(Date.now() - 1000);
    const body = enquiry();
    const { submission_id: submissionId } = await decided(await (await newAccount()).issue(), body);
    await staff.submission().getApplication({ purpose: 'read by a test', submissionId });
    const { entries } = await trailOf('submission').listAudit({ target: submissionId, since });
    expect(entries.map(({ action }) => action)).toContain('GetApplication');
    const text = JSON.stringify(entries, (_, value) => (typeof value === 'bigint' ? String(value) : value));
    for (const personal of [body.telephone, body.email, body.last_name]) expect(text).not.toContain(personal);
  });

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
