import { forAllTests, startTestRpcServer } from '@supplier/lib/testing';
import { type AccountId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { charge, linesOf } from '../../testing/test-ledger.ts';
import { openTestService } from '../../testing/test-service.ts';
import type { ListedState } from '../model/reconciliation.ts';
import { routes } from '../routes.ts';
import { NO_ID } from '../store/ledger.sql.ts';
import { compareLedger } from './compare-ledger.ts';

const AT = new Date('2026-10-05T10:00:00.111Z');
const SPAN = { since: new Date('2026-11-01T00:00:00Z'), until: new Date('2026-11-02T00:00:00Z') };

let accountId: AccountId;
let known: ListedState[];
const service = forAllTests(async () => {
  const opened = await openTestService();
  // As a database whose owner dropped the checks, or restored it without them.
  await opened.context.pool.query(`
    ALTER TABLE ledger_entry DROP CONSTRAINT IF EXISTS ledger_entry_times_check,
                             DROP CONSTRAINT IF EXISTS ledger_entry_month_check;
    ALTER TABLE statement DROP CONSTRAINT IF EXISTS statement_month_check,
                          DROP CONSTRAINT IF EXISTS statement_closed_at_check`);
  const listBilled = async (ids: readonly SubmissionId[]) =>
    known.filter(({ submissionId }) => ids.includes(submissionId));
  return { ...opened, context: { ...opened.context, listBilled } };
});
const server = forAllTests(() => startTestRpcServer('billing', BillingService, routes(service.context)));
beforeEach(async () => {
  accountId = newId<AccountId>();
  known = [];
  const tx = await service.context.pool.connect();
  await tx.query(`SET session_replication_role = 'replica'; TRUNCATE ledger_entry, statement`);
  tx.release(true);
});

const stateOf = (submissionId: SubmissionId, billableAt: Date | null): ListedState => ({
  submissionId,
  accountId,
  billingModel: 'accepted_submission',
  billableAt,
  returnedAt: null,
  isProduction: true,
});

/** Enters a line as an attacker with the service's database password would. */
async function plant(
  occurredAt: string,
  { kind = 'charge', month = '2026-10-01' as string | null, id = newId() as string } = {},
): Promise<SubmissionId> {
  const submissionId = newId<SubmissionId>();
  await service.context.pool.query(
    `INSERT INTO ledger_entry (id, submission_id, account_id, kind, billing_model, occurred_at, event_id, statement_month)
     VALUES ($1, $2, $3, $4::entry_kind, 'accepted_submission', $5, gen_random_uuid(), $6)`,
    [id, submissionId, accountId, kind, occurredAt, month],
  );
  return submissionId;
}

const plantStatement = (month: string, closedAt = '2026-11-02') =>
  service.context.pool.query(
    `INSERT INTO statement (account_id, month, closed_at, totals) VALUES ($1, $2, $3, '{}')`,
    [accountId, month, closedAt],
  );

async function differences(): Promise<string[][]> {
  const comparison = compareLedger(
    { ...service.context, listChanged: async () => ({ submissionIds: [], next: '' }) },
    async () => {},
  );
  const found: string[][] = [];
  let at = '';
  do {
    const part = await comparison({ span: SPAN, at, repair: false });
    found.push(...part.differences.map(({ what, target }) => [what, target]));
    at = part.next;
  } while (at !== '');
  return found;
}

const closeOctober = () =>
  server.as('casey', 'staff:billing').closeMonth({ accountId, month: '2026-10', allowUnpriced: true });

const IMPOSSIBLE = ['infinity', '-infinity', '0044-03-15 BC', '1970-01-01', '290000-01-01'];

describe.each(IMPOSSIBLE)('a planted line at %s', (time) => {
  it.each(['charge', 'credit'])('as a %s is one difference of its own, and hides no other', async (kind) => {
    const month = kind === 'charge' ? '2026-10-01' : null;
    const [planted, other] = [await plant(time, { kind, month }), await plant(AT.toISOString())];
    known = [stateOf(planted, AT)];
    expect((await differences()).sort()).toEqual([
      ['invalid_time', planted],
      ['unexplained', other],
    ]);
  });

  it('keeps its month open by its name, whatever its id', async () => {
    const planted = await plant(time, { id: NO_ID });
    await expect(closeOctober()).rejects.toThrow(planted);
    known = [stateOf(planted, AT)];
    await expect(closeOctober()).rejects.toThrow(`${planted} doesn't explain its line of the month`);
  });

  it('is shown without its time, with the other lines', async () => {
    const [planted, other] = [await plant(time, { id: NO_ID }), await plant(AT.toISOString())];
    const shown: string[] = [];
    const call = server.overGrpcAs('casey', 'staff:viewer');
    for await (const { lines } of call.streamStatement({ accountId, month: '2026-10' }))
      for (const line of lines) shown.push(`${line.submissionId} ${line.occurredAt !== undefined}`);
    expect(shown.sort()).toEqual([`${planted} false`, `${other} true`].sort());
    const { entries } = await call.getSubmissionLedger({ submissionId: planted });
    expect(entries).toMatchObject([{ entryId: NO_ID, statementMonth: '2026-10' }]);
    expect(entries[0]?.occurredAt).toBeUndefined();
  });
});

describe('a planted statement', () => {
  it.each([
    ['of a month far ahead', '2199-11-01', '2199-11'],
    ['of the current month', '2026-11-01', '2026-11'],
    ['of no month', 'infinity', 'infinity'],
    ['before all months', '0044-03-01 BC', '0044-03-01 BC'],
    ['beyond all months', '300000-01-01', '300000-01'],
  ])('%s is found, whenever it says that it was closed', async (_, month, target) => {
    for (const closedAt of ['2026-11-02', 'infinity', '-infinity']) {
      accountId = newId<AccountId>();
      await plantStatement(month, closedAt);
      expect(await differences()).toContainEqual(['future_statement', `${accountId} ${target}`]);
    }
  });

  it('is found on any page', async () => {
    for (let count = 0; count < 120; count += 1) {
      accountId = newId<AccountId>();
      await plantStatement(count % 2 ? 'infinity' : '300000-01-01');
    }
    expect(await differences()).toHaveLength(120);
  });

  it('is found with the charge that it moves to a month that never comes', async () => {
    await plantStatement('2199-11-01');
    const charged = await charge(service.context, accountId, AT.toISOString());
    expect((await linesOf(service.context, accountId)).map(({ month }) => month)).toEqual(['2199-12']);
    known = [stateOf(charged.submissionId, AT)];
    expect(await differences()).toEqual([
      ['other_month', charged.submissionId],
      ['future_statement', `${accountId} 2199-11`],
    ]);
  });
});

it('finds nothing about a line that came after its month was closed', async () => {
  await closeOctober();
  const charged = await charge(service.context, accountId, AT.toISOString());
  expect((await linesOf(service.context, accountId)).map(({ month }) => month)).toEqual(['2026-11']);
  known = [stateOf(charged.submissionId, AT)];
  expect(await differences()).toEqual([]);
});

it('finds a statement that was closed before its month ended, and a charge on the next one', async () => {
  await plantStatement('2026-10-01', '2026-10-20');
  const charged = await charge(service.context, accountId, AT.toISOString());
  known = [stateOf(charged.submissionId, AT)];
  expect(await differences()).toEqual([
    ['other_month', charged.submissionId],
    ['future_statement', `${accountId} 2026-10`],
  ]);
});

it('finds a charge that was planted in another month than its own', async () => {
  for (const [month, found, at = AT.toISOString()] of [
    ['2026-09-01', 1],
    ['2026-12-01', 1],
    ['2026-10-01', 0],
    [null, 0],
    // Already the next month in London.
    [null, 0, '2026-09-30T23:30:00Z'],
  ] as const) {
    const planted = await plant(at, { month });
    known = [stateOf(planted, new Date(at))];
    expect((await differences()).filter(([what]) => what === 'other_month')).toHaveLength(found);
  }
});
