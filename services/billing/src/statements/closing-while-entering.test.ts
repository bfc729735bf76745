import { inTransaction } from '@supplier/lib/data/postgres';
import { eventually, forAllTests, inProcessClient } from '@supplier/lib/testing';
import { type AccountId, newId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { BillingModel } from '@supplier/proto/common/v1/status';
import { deliver, submissionOf } from '../../testing/submission-events.ts';
import { charge, linesOf } from '../../testing/test-ledger.ts';
import { openTestService } from '../../testing/test-service.ts';
import { applySubmissionEvents } from '../ledger/apply-submission-events.ts';
import { routes } from '../routes.ts';

let accountId: AccountId;
const service = forAllTests(() => openTestService());
beforeEach(() => {
  accountId = newId<AccountId>();
});

const billing = () =>
  inProcessClient(BillingService, routes(service.context), {
    caller: { subject: 'casey', issuer: 'test', roles: ['staff:billing'] },
  });
const close = () => billing().closeMonth({ accountId, month: '2026-10', allowUnpriced: true });
const price = (pence: number) =>
  billing().setPrice({
    accountId,
    billingModel: BillingModel.ACCEPTED_SUBMISSION,
    pence,
    effectiveFrom: toTimestamp(new Date('2026-10-05T00:00:00Z')),
  });

/** Returns the number of sessions in this test's database that wait for an account's ledger lock. */
async function waiting(): Promise<number> {
  const { rows } = await service.context.pool.query(
    `SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  return rows[0]?.n;
}

/** Enters a line and commits on request. */
function entering(at: string) {
  const submission = submissionOf({ accountId, billableAt: new Date(at) });
  const commit = Promise.withResolvers<void>();
  const entered = Promise.withResolvers<void>();
  const done = inTransaction(service.context.pool, async (tx) => {
    await applySubmissionEvents(tx, [submission.billable()]);
    await tx.query('SELECT 1');
    entered.resolve();
    await commit.promise;
  });
  done.catch(entered.reject);
  return { entered: entered.promise, commit: commit.resolve, done };
}

describe('CloseMonth with concurrent lines', () => {
  it('waits for an uncommitted line and includes it in the statement', async () => {
    const line = entering('2026-10-05T00:00:00Z');
    await line.entered;
    const closed = close();
    await eventually('the closing waits', async () => (await waiting()) === 1);
    line.commit();
    await line.done;
    expect(await closed).toMatchObject({ totals: { charges: 1n } });
    expect(await linesOf(service.context, accountId)).toMatchObject([{ month: '2026-10' }]);
  });

  it('excludes a line that waited for the closing, although its transaction began earlier', async () => {
    const holder = await service.context.pool.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT pg_advisory_xact_lock(ledger_lock_key($1::uuid))', [accountId]);
      const line = charge(service.context, accountId, '2026-10-05T00:00:00Z');
      line.catch(() => {});
      await eventually('the line waits', async () => (await waiting()) === 1);
      await holder.query(
        `INSERT INTO statement (account_id, month, closed_at, totals) VALUES ($1, '2026-10-01', now(), '{}')`,
        [accountId],
      );
      await holder.query('COMMIT');
      await line;
    } finally {
      holder.release();
    }
    expect(await linesOf(service.context, accountId)).toMatchObject([{ month: '2026-11' }]);
  });

  it('never has a line in a closed month that its statement lacks', async () => {
    for (let round = 0; round < 10; round += 1) {
      accountId = newId<AccountId>();
      const others = Array.from({ length: 12 }, () =>
        submissionOf({
          accountId,
          billableAt: new Date('2026-10-05T00:00:00Z'),
          returnedAt: new Date('2026-10-06T00:00:00Z'),
        }),
      );
      const sets = others.map((submitted, place) =>
        place % 2 === 0
          ? deliver(service.context, submitted.billable(), submitted.returned())
          : deliver(service.context, submitted.billable()),
      );
      const [closed, again] = await Promise.all([close(), close(), ...sets]);
      expect(again).toEqual(closed);
      const lines = await linesOf(service.context, accountId);
      expect(lines).toHaveLength(18);
      const inMonth = lines.filter(({ month }) => month === '2026-10');
      expect(inMonth.length).toBe(Number((closed.totals?.charges ?? 0n) + (closed.totals?.credits ?? 0n)));
      expect(lines.filter(({ month }) => month === '2026-11')).toHaveLength(18 - inMonth.length);
    }
  });
});

describe('SetPrice with concurrent lines', () => {
  it('prices a line that was uncommitted when the call arrived', async () => {
    const line = entering('2026-10-05T00:00:00Z');
    await line.entered;
    const set = price(2500);
    await eventually('the price waits', async () => (await waiting()) === 1);
    line.commit();
    await line.done;
    expect(await set).toMatchObject({ linesPriced: 1 });
    expect(await linesOf(service.context, accountId)).toMatchObject([{ pence: 2500 }]);
  });

  it('prices every line once', async () => {
    for (let round = 0; round < 10; round += 1) {
      accountId = newId<AccountId>();
      const lines = Array.from({ length: 12 }, () =>
        charge(service.context, accountId, '2026-10-05T00:00:00Z'),
      );
      await Promise.all([price(2500), price(2500), ...lines]);
      const pences = (await linesOf(service.context, accountId)).map(({ pence }) => pence);
      expect(pences).toEqual(Array.from({ length: 12 }, () => 2500));
      expect((await billing().listPrices({ accountId })).prices).toHaveLength(1);
    }
  });
});
