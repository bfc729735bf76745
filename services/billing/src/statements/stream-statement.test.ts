import { Code, ConnectError } from '@connectrpc/connect';
import { eventually, forAllTests, refused, startTestRpcServer } from '@supplier/lib/testing';
import { type AccountId, newId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { BillingService, EntryKind, type StatementLine } from '@supplier/proto/billing/v1/billing';
import { BillingModel } from '@supplier/proto/common/v1/status';
import { deliver } from '../../testing/submission-events.ts';
import { charge, fillOctober } from '../../testing/test-ledger.ts';
import { openTestService, referenceOf } from '../../testing/test-service.ts';
import { routes } from '../routes.ts';

const unknown = newId<AccountId>();
let isSubmissionAway = false;

let accountId: AccountId;
const service = forAllTests(() =>
  openTestService({
    accountExists: async (id) => id !== unknown,
    referencesOf: async (ids) => {
      if (isSubmissionAway)
        throw new ConnectError('The submission service is unavailable.', Code.Unavailable);
      return new Map(ids.map((id) => [id, referenceOf(id)]));
    },
  }),
);
const server = forAllTests(() => startTestRpcServer('billing', BillingService, routes(service.context)));
beforeEach(() => {
  accountId = newId<AccountId>();
});

const client = (role = 'staff:viewer') => server.overGrpcAs('casey', role);

async function linesOf(month: string, afterEntryId = '', account = accountId): Promise<StatementLine[]> {
  const lines: StatementLine[] = [];
  for await (const message of client().streamStatement({ accountId: account, month, afterEntryId }))
    lines.push(...message.lines);
  return lines;
}

const fill = (count: number) => fillOctober(service.context, accountId, count, 25);

describe('StreamStatement', () => {
  it('returns the lines of the month ordered by time, with their prices', async () => {
    await client('staff:billing').setPrice({
      accountId,
      billingModel: BillingModel.ACCEPTED_SUBMISSION,
      pence: 2500,
      effectiveFrom: toTimestamp(new Date('2026-10-03T00:00:00Z')),
    });
    const late = await charge(service.context, accountId, '2026-10-04T00:00:00Z', {
      returnedAt: new Date('2026-10-05T00:00:00Z'),
    });
    const early = await charge(service.context, accountId, '2026-10-02T00:00:00Z');
    await charge(service.context, accountId, '2026-11-02T00:00:00Z');
    await deliver(service.context, late.returned());
    const lines = await linesOf('2026-10');
    const billingModel = BillingModel.ACCEPTED_SUBMISSION;
    expect(lines).toMatchObject([
      { submissionId: early.submissionId, kind: EntryKind.CHARGE, billingModel },
      { submissionId: late.submissionId, kind: EntryKind.CHARGE, pence: 2500, netPence: 2500 },
      { submissionId: late.submissionId, kind: EntryKind.CREDIT, pence: 2500, netPence: -2500 },
    ]);
    expect(lines.map((line) => line.externalReference)).toEqual(
      lines.map((line) => referenceOf(line.submissionId)),
    );
    expect(lines[0]?.pence).toBeUndefined();
    expect(lines[0]?.netPence).toBeUndefined();
    expect(lines[2]?.occurredAt).toEqual(toTimestamp(new Date('2026-10-05T00:00:00Z')));
  });

  it('resumes after any line without duplicates or gaps', async () => {
    await fill(1_203);
    const all = (await linesOf('2026-10')).map(({ entryId }) => entryId);
    expect(new Set(all).size).toBe(1_203);
    for (const place of [0, 499, 500, 1_201, 1_202]) {
      const rest = await linesOf('2026-10', all[place]);
      expect(rest.map(({ entryId }) => entryId)).toEqual(all.slice(place + 1));
    }
  });

  it('is unavailable while references cannot be read, and complete afterwards', async () => {
    await fill(3);
    isSubmissionAway = true;
    expect(await refused(linesOf('2026-10'))).toMatchObject({ code: 'Unavailable' });
    isSubmissionAway = false;
    expect(await linesOf('2026-10')).toHaveLength(3);
  });

  it('waits for its reader and fetches no more than is read', async () => {
    await fill(40_000);
    const call = new AbortController();
    const statements = countReads();
    const stream = client().streamStatement({ accountId, month: '2026-10' }, { signal: call.signal });
    const reader = stream[Symbol.asyncIterator]();
    await reader.next();
    let before = -1;
    // Fetching stops when the buffers between server and client are full.
    await eventually('nothing more is fetched', async () => {
      const now = statements.count();
      const still = now === before;
      before = now;
      return still;
    });
    expect(statements.count()).toBeLessThan(60);
    call.abort();
    await expect(reader.next()).rejects.toThrow();
    statements.stop();
  });

  it('serves eight concurrent readers per process, and another once one has left', async () => {
    await fill(40_000);
    const calls = Array.from({ length: 8 }, () => new AbortController());
    for (const [at, { signal }] of calls.entries())
      await server
        .overGrpcAs(`reader ${at}`, 'staff:viewer')
        .streamStatement({ accountId, month: '2026-10' }, { signal })
        [Symbol.asyncIterator]()
        .next();
    expect(await refused(linesOf('2026-11'))).toMatchObject({ code: 'Unavailable' });
    for (const call of calls) call.abort();
    await eventually('a place is free', () =>
      linesOf('2026-11').then(
        () => true,
        () => false,
      ),
    );
  });

  it('ends after five minutes and resumes after the last line read', async () => {
    await fill(40_000);
    const read: StatementLine[] = [];
    const { now } = performance;
    const readAll = async () => {
      for await (const { lines } of client().streamStatement({ accountId, month: '2026-10' })) {
        read.push(...lines);
        const value = () => Reflect.apply(now, performance, []) + 5 * 60_000;
        Object.defineProperty(performance, 'now', { value, configurable: true });
      }
    };
    try {
      expect(await refused(readAll())).toMatchObject({ code: 'DeadlineExceeded' });
    } finally {
      Reflect.deleteProperty(performance, 'now');
    }
    expect(read.length).toBeLessThan(40_000);
    expect(read.length + (await linesOf('2026-10', read.at(-1)?.entryId)).length).toBe(40_000);
  });

  it('returns no lines for a month without lines', async () => {
    expect(await linesOf('2026-10')).toEqual([]);
  });

  it.each([
    ['a future month', { month: '2026-12' }, 'month'],
    ['no month', { month: 'october' }, 'month'],
    ['no account', { accountId: 'nobody' }, 'account_id'],
    ['an invalid line', { afterEntryId: 'x' }, 'after_entry_id'],
    ['a nonexistent line', { afterEntryId: newId() }, 'after_entry_id'],
  ])('rejects %s', async (_, part, path) => {
    const read = async () => {
      for await (const _message of client().streamStatement({ accountId, month: '2026-10', ...part }));
    };
    expect(await refused(read())).toMatchObject({ code: 'InvalidArgument', paths: [path] });
  });

  it('rejects a line of another month or account', async () => {
    await fill(1);
    const [line] = await linesOf('2026-10');
    expect(await refused(linesOf('2026-11', line?.entryId))).toMatchObject({ paths: ['after_entry_id'] });
    const other = linesOf('2026-10', line?.entryId, newId<AccountId>());
    expect(await refused(other)).toMatchObject({ paths: ['after_entry_id'] });
  });

  it('rejects an unknown account', async () => {
    expect(await refused(linesOf('2026-10', '', unknown))).toMatchObject({ code: 'NotFound' });
  });

  it('hides the cause of a failure', async () => {
    await service.context.pool.query('ALTER TABLE line_price RENAME TO moved');
    try {
      const error = await linesOf('2026-10').catch((cause: unknown) => cause);
      expect(String(error)).not.toContain('line_price');
      expect(await refused(linesOf('2026-10'))).toMatchObject({ code: 'Internal' });
    } finally {
      await service.context.pool.query('ALTER TABLE moved RENAME TO line_price');
    }
  });
});

/** Counts database queries. */
function countReads() {
  const { pool } = service.context;
  const original = pool.query;
  let count = 0;
  const value = (...args: unknown[]) => {
    count += 1;
    return Reflect.apply(original, pool, args);
  };
  Object.defineProperty(pool, 'query', { value, configurable: true, writable: true });
  return { count: () => count, stop: () => Reflect.deleteProperty(pool, 'query') };
}
