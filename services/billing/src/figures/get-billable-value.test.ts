import { refused, startTestRpcServer, type TestRpcServer } from '@supplier/lib/testing';
import { type AccountId, newId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { BillingModel } from '@supplier/proto/common/v1/status';
import { deliver, type Submission } from '../../testing/submission-events.ts';
import { charge } from '../../testing/test-ledger.ts';
import { openTestService, type TestService } from '../../testing/test-service.ts';
import { routes } from '../routes.ts';
import { foldValue } from './billable-value.ts';
import { foldValueNotes } from './value-counts.sql.ts';

const RANGE = { fromDay: '2026-10-01', untilDay: '2026-11-30' };

let service: TestService;
let server: TestRpcServer<typeof BillingService>;
beforeEach(async () => {
  service = await openTestService();
  server = await startTestRpcServer('billing', BillingService, routes(service.context));
});
afterEach(async () => {
  await server?.close();
  await service?.close();
});

const value = (request: object = {}) =>
  server.as('casey', 'staff:viewer').getBillableValue({ ...RANGE, ...request });
const fold = () => foldValueNotes(service.context.pool, 1_000);
const price = (accountId: AccountId, pence: number, from: string) =>
  server.as('casey', 'staff:billing').setPrice({
    accountId,
    billingModel: BillingModel.ACCEPTED_SUBMISSION,
    pence,
    effectiveFrom: toTimestamp(new Date(from)),
  });

/** Returns the days with lines from GetBillableValue; `added` computes the same as a plain sum over the ledger. */
const said = async (request: object = {}) =>
  (await value(request)).periods
    .map(({ $typeName: _, ...rest }) => rest)
    .filter(({ billableSubmissions, credits }) => billableSubmissions + credits > 0n);
async function added(length = 10) {
  const { rows } = await service.context.pool.query<Record<string, string>>(
    `SELECT left((e.occurred_at AT TIME ZONE 'UTC')::date::text, $1) AS period,
            count(*) FILTER (WHERE kind = 'charge') AS "billableSubmissions", count(*) FILTER (WHERE kind = 'credit') AS credits,
            coalesce(sum(coalesce(e.pence, l.pence)) FILTER (WHERE kind = 'charge'), 0) AS "chargedPence",
            coalesce(sum(coalesce(e.pence, l.pence)) FILTER (WHERE kind = 'credit'), 0) AS "creditedPence",
            count(*) FILTER (WHERE coalesce(e.pence, l.pence) IS NULL) AS unpriced
       FROM ledger_entry e LEFT JOIN line_price l ON l.entry_id = e.id GROUP BY 1 ORDER BY 1`,
    [length],
  );
  return rows.map(({ period, ...sums }) => ({
    period,
    ...Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, BigInt(sum)])),
  }));
}

describe('GetBillableValue', () => {
  it('equals a plain sum over the ledger before, between and after folds', async () => {
    const accounts = [newId<AccountId>(), newId<AccountId>()];
    const submissions: Submission[] = [];
    for (let n = 0; n < 24; n += 1) {
      const accountId = accounts[n % 2] ?? newId<AccountId>();
      const day = `2026-${n % 3 === 0 ? '10' : '11'}-0${1 + (n % 7)}`;
      const submission = await charge(service.context, accountId, `${day}T23:59:59.999Z`, {
        returnedAt: new Date(`2026-11-1${n % 10}T00:00:00Z`),
      });
      submissions.push(submission);
      if (n % 4 === 0) await deliver(service.context, (submissions.shift() as Submission).returned());
      if (n === 6) await price(accounts[0] as AccountId, 2_500, '2026-10-01T00:00:00Z');
      if (n === 15) await price(accounts[1] as AccountId, 900, '2026-11-02T00:00:00Z');
      if (n % 5 === 0) await fold();
      expect(await said()).toEqual(await added());
    }
    while ((await fold()) > 0);
    const days = await said();
    expect(days).toEqual(await added());
    for (const sum of ['creditedPence', 'chargedPence', 'unpriced'] as const)
      expect([sum, days.some((day) => day[sum] > 0n)]).toEqual([sum, true]);
    expect(await said({ byMonth: true })).toEqual(await added(7));
  });

  it('groups by account with the highest charges first, and filters by account', async () => {
    const [one, other] = [newId<AccountId>(), newId<AccountId>()];
    await price(other, 9_000, '2026-10-01T00:00:00Z');
    for (const accountId of [one, one, other])
      await charge(service.context, accountId, '2026-11-05T10:00:00Z');
    expect((await value()).accounts).toMatchObject([
      { accountId: other, billableSubmissions: 1n, chargedPence: 9_000n, unpriced: 0n },
      { accountId: one, billableSubmissions: 2n, chargedPence: 0n, unpriced: 2n },
    ]);
    for (const isFolded of [false, true]) {
      if (isFolded) await fold();
      const { accounts, periods } = await value({ accountId: one, byMonth: true });
      expect(accounts).toMatchObject([{ accountId: one }]);
      expect(periods).toMatchObject([
        { period: '2026-10', billableSubmissions: 0n },
        { period: '2026-11', billableSubmissions: 2n },
      ]);
    }
  });

  it('returns at most 50 accounts, all of 92 days and all months of 366 days', async () => {
    await service.context.pool.query(
      `INSERT INTO value_count SELECT '2026-10-05', gen_random_uuid(), 'charge', 1, n, 0 FROM generate_series(1, 200) n`,
    );
    // A day's sum is as small as that of any supplier, as on a bank holiday.
    const days = ['2026-09-01', '2026-11-30'];
    await service.context.pool.query(
      "INSERT INTO value_count SELECT unnest($1::date[]), gen_random_uuid(), 'charge', 1, 0, 1",
      [days],
    );
    const { accounts, periods } = await value({ fromDay: '2026-08-31' });
    expect(accounts.map(({ chargedPence }) => chargedPence)).toEqual(
      Array.from({ length: 50 }, (_, n) => BigInt(200 - n)),
    );
    expect(periods).toHaveLength(92);
    expect(periods[35]).toMatchObject({
      period: '2026-10-05',
      billableSubmissions: 200n,
      chargedPence: 20_100n,
    });
    const unpriced = periods.filter((day) => day.unpriced > 0n);
    expect(unpriced.map(({ period, billableSubmissions }) => [period, billableSubmissions])).toEqual(
      days.map((day) => [day, 1n]),
    );
    const byMonth = await value({ fromDay: '2025-12-01', byMonth: true });
    expect(byMonth.periods.map(({ period }) => period)).toHaveLength(12);
  });

  it('rejects an invalid range', async () => {
    for (const [range, path] of [
      [{ fromDay: '2026-02-29' }, 'from_day'],
      [{ untilDay: '2026-09-30' }, 'until_day'],
      [{ fromDay: '2026-08-30' }, 'until_day'],
      [{ fromDay: '2025-11-29', byMonth: true }, 'until_day'],
      [{ accountId: 'x' }, 'account_id'],
    ] as const)
      expect(await refused(value(range))).toMatchObject({ refusal: 'VALIDATION_ERROR', paths: [path] });
  });
});

describe('foldValueNotes', () => {
  it('does nothing when interrupted, and the next fold counts everything once', async () => {
    await charge(service.context, newId<AccountId>(), '2026-11-05T10:00:00Z');
    const { pool } = service.context;
    const client = await pool.connect();
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await client.query('BEGIN');
    expect(await foldValueNotes(client, 1_000)).toBe(1);
    expect(await fold()).toBe(0);
    const broken = new Promise((resolve) => client.on('error', resolve));
    await pool.query('SELECT pg_terminate_backend($1, 10000)', [rows[0]?.pid]);
    await broken;
    client.release(true);
    expect(await said()).toEqual(await added());
    expect([await fold(), await fold()]).toEqual([1, 0]);
    expect(await said()).toEqual(await added());
  });

  it('continues at once while more than 10,000 notes are left', async () => {
    await service.context.pool.query(
      `INSERT INTO value_note (day, account_id, kind, lines, pence, unpriced)
       SELECT '2026-11-05', $1, 'charge', 1, 0, 0 FROM generate_series(1, 20001)`,
      [newId<AccountId>()],
    );
    const runs = [];
    for (let run = 0; run < 3; run += 1) runs.push(await foldValue.run(service.context));
    expect(runs.map(({ more }) => more)).toEqual([true, true, false]);
    expect(await said()).toMatchObject([{ period: '2026-11-05', billableSubmissions: 20_001n }]);
  });
});
