import { readFileSync } from 'node:fs';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type Client, Code, ConnectError } from '@connectrpc/connect';
import { type AuditEntry, AuditService, type ListAuditRequestSchema } from '@supplier/proto/audit/v1/audit';
import { runInContext } from '../../runtime/request-context/index.ts';
import { createTestDatabase, inProcessClient, type TestDatabase } from '../../testing/index.ts';
import { newId } from '../../text/ids/index.ts';
import { appendAudit, auditRoutes, sealEntries } from './index.ts';
import { newestEntries } from './read-entries.ts';

const schema = readFileSync(new URL('audit.sql', import.meta.url), 'utf8');
const SEALED_AT = new Date('2026-11-21T00:00:00.000Z');
const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 12, minute));
const [one, other] = [newId(), newId()];

let database: TestDatabase;
let admin: Client<typeof AuditService>;
beforeAll(async () => {
  database = await createTestDatabase({ schema });
  const routes = auditRoutes(database.pool);
  const caller = { subject: 'ada', issuer: 'test', roles: ['staff:admin'] };
  admin = inProcessClient(AuditService, routes, { caller });
  for (let n = 0; n < 6; n += 1)
    await runInContext({ requestId: `r-${n % 4}`, traceParent: '' }, () =>
      appendAudit(database.pool, {
        ...{ actor: n % 2 ? 'jo' : 'mo', issuer: 'test', roles: ['staff:operator', 'staff:billing'] },
        ...{ action: n < 3 ? 'Retention' : 'TakeOverTerms', at: at(n === 3 ? 2 : n), target: `t${n % 3}` },
        ...(n < 5 && { accountId: n < 2 ? one : other, before: { n }, purpose: 'why' }),
      }),
    );
  await sealEntries(database.pool, 'billing', SEALED_AT);
});
afterAll(() => database?.close());

type Query = MessageInitShape<typeof ListAuditRequestSchema>;

const numbers = (entries: readonly AuditEntry[]) => entries.map(({ sequence }) => Number(sequence));

async function listed(query: Query): Promise<number[]> {
  return numbers((await admin.listAudit(query)).entries);
}

async function exported(request: Parameters<typeof admin.exportAudit>[0]): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  for await (const entry of admin.exportAudit(request)) entries.push(entry);
  return entries;
}

async function refusal(call: Promise<unknown>): Promise<Code | undefined> {
  return call.then(
    () => undefined,
    (error: unknown) => ConnectError.from(error).code,
  );
}

describe('ListAudit', () => {
  it('returns full entries, newest first', async () => {
    const { entries, nextPageToken } = await admin.listAudit({});
    expect(numbers(entries)).toEqual([6, 5, 4, 3, 2, 1]);
    expect(nextPageToken).toBe('');
    const last = entries.at(-1);
    expect(last).toMatchObject({
      ...{ actor: 'mo', issuer: 'test', roles: ['staff:operator', 'staff:billing'], action: 'Retention' },
      ...{
        target: 't0',
        accountId: one,
        beforeJson: '{"n": 0}',
        afterJson: '',
        purpose: 'why',
        position: 1n,
      },
    });
    expect(last?.at && timestampDate(last.at)).toEqual(at(0));
    expect(last?.sealedAt && timestampDate(last.sealedAt)).toEqual(SEALED_AT);
    expect(last?.hash).toHaveLength(32);
    expect(entries[0]).toMatchObject({ accountId: '', beforeJson: '', purpose: '' });
  });

  it.each<[string, Query, number[]]>([
    ['since a time, inclusive', { since: timestampFromDate(at(4)) }, [6, 5]],
    ['until a time, exclusive', { until: timestampFromDate(at(2)) }, [2, 1]],
    ['of an actor', { actor: 'jo' }, [6, 4, 2]],
    ['of an action', { action: 'TakeOverTerms' }, [6, 5, 4]],
    ['of any of some actions', { actions: ['Retention', 'SetPrice'] }, [3, 2, 1]],
    ['of an account', { accountId: other.toUpperCase() }, [5, 4, 3]],
    ['of a target', { target: 't1' }, [5, 2]],
    ['of a request', { requestId: 'r-1' }, [6, 2]],
    ['of a request and an account', { requestId: 'r-1', accountId: one }, [2]],
    ['of a request that did nothing', { requestId: newId() }, []],
    ['matching all filters together', { actor: 'mo', accountId: other, action: 'TakeOverTerms' }, [5]],
    ['of an actor without entries', { actor: 'nobody' }, []],
  ])('lists entries %s', async (_what, query, expected) => {
    expect(await listed(query)).toEqual(expected);
  });

  it('uses an index for each equality filter, in page order', async () => {
    const planner = await database.pool.connect();
    await planner.query('SET enable_seqscan = off');
    const explaining = {
      query: (text: string) => planner.query(`EXPLAIN (GENERIC_PLAN) ${text}`),
    } as unknown as typeof database.pool;
    const filters = {
      ...{ actor: { actor: 'jo' }, action: { action: 'Retention' }, account_id: { accountId: one } },
      ...{ target: { target: 't0' }, request_id: { requestId: 'r-1' } },
    };
    const plans: Record<string, string> = {};
    for (const [column, filter] of Object.entries(filters)) {
      const rows: unknown[] = await newestEntries(explaining, filter, undefined, 51);
      plans[column] = rows.map((row) => (row as { 'QUERY PLAN': string })['QUERY PLAN']).join('\n');
    }
    planner.release(true);
    for (const [column, plan] of Object.entries(plans)) {
      expect(plan).toContain(`Index Scan Backward using audit_entry_${column}_idx`);
      expect(plan).not.toContain('Sort');
    }
  });

  it('continues page by page, also between entries of the same time', async () => {
    const first = await admin.listAudit({ accountId: other, pageSize: 2 });
    expect(numbers(first.entries)).toEqual([5, 4]);
    const next = await admin.listAudit({ accountId: other, pageSize: 2, pageToken: first.nextPageToken });
    expect(numbers(next.entries)).toEqual([3]);
    expect(next.nextPageToken).toBe('');
  });
});

describe('ExportAudit', () => {
  it('streams the chain in order and continues after a given position', async () => {
    const all = await exported({});
    expect(all.map(({ position }) => Number(position))).toEqual([1, 2, 3, 4, 5, 6]);
    expect(numbers(await exported({ afterPosition: 4n }))).toEqual([5, 6]);
    expect(await exported({ afterPosition: 6n })).toEqual([]);
  });

  it('starts with entries sealed at a given time', async () => {
    expect(await exported({ since: timestampFromDate(SEALED_AT) })).toHaveLength(6);
    expect(await exported({ since: timestampFromDate(new Date(SEALED_AT.getTime() + 1)) })).toEqual([]);
  });

  it('omits entries that are not sealed yet', async () => {
    await appendAudit(database.pool, {
      ...{ actor: 'jo', issuer: 'test', roles: [], action: 'EraseSubmission', at: at(50), target: '' },
    });
    expect(await exported({ afterPosition: 5n })).toHaveLength(1);
    expect((await admin.listAudit({ action: 'EraseSubmission' })).entries).toMatchObject([{ position: 0n }]);
  });

  it('streams each entry once when there are several batches', async () => {
    const by = { actor: 'jo', issuer: 'test', roles: [] };
    const entry = { ...by, action: 'EraseSubmission', at: at(51), target: '' } as const;
    await appendAudit(database.pool, ...Array.from({ length: 1_100 }, () => entry));
    while (await sealEntries(database.pool, 'billing', SEALED_AT));
    const positions = (await exported({})).map(({ position }) => Number(position));
    expect(positions).toEqual(Array.from({ length: 1_107 }, (_, n) => n + 1));
  });

  it('rejects a negative position, and a position together with a time', async () => {
    expect(await refusal(exported({ afterPosition: -1n }))).toBe(Code.InvalidArgument);
    const both = { afterPosition: 1n, since: timestampFromDate(SEALED_AT) };
    expect(await refusal(exported(both))).toBe(Code.InvalidArgument);
  });
});
