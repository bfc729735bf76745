import { readFileSync } from 'node:fs';
import { refusalOf } from '@supplier/lib/rpc/refusal';
import { forAllTests } from '@supplier/lib/testing';
import { type AccountId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import {
  BILLABLE_AT,
  deliver,
  RETURNED_AT,
  type Submission,
  submissionOf,
} from '../../testing/submission-events.ts';
import { charge, linesOf, setPrice } from '../../testing/test-ledger.ts';
import { openTestService } from '../../testing/test-service.ts';
import type { ListedState } from '../model/reconciliation.ts';
import { NO_ID } from '../store/ledger.sql.ts';
import { compareLedger } from './compare-ledger.ts';

const AT = BILLABLE_AT.toISOString();
/** After all months of these tests. */
const CLOCK = { now: () => new Date('2027-03-01T00:00:00Z') };
const SPAN = { since: new Date('2026-11-01T00:00:00Z'), until: new Date('2026-11-02T00:00:00Z') };

let accountId: AccountId;
const service = forAllTests(() => openTestService());
beforeEach(async () => {
  accountId = newId<AccountId>();
  asked = [];
  await asSuperuser('TRUNCATE ledger_entry, line_price, price, statement');
});

const stateOf = ({ submissionId }: Submission): ListedState => ({
  submissionId,
  accountId,
  billingModel: 'accepted_submission',
  billableAt: null,
  returnedAt: null,
  isProduction: true,
});
const billable = (submission: Submission) => ({ ...stateOf(submission), billableAt: BILLABLE_AT });
const returned = (submission: Submission) => ({ ...stateOf(submission), returnedAt: RETURNED_AT });

/** Number of states requested by each call. */
let asked: number[] = [];

/** Compares and repairs submissions listed in this order; returns the differences. */
async function compare(
  states: readonly ListedState[],
  { repair = false, pageSize = 1, settle = (): Promise<unknown> => Promise.resolve(), known = states } = {},
) {
  const comparison = compareLedger(
    {
      clock: CLOCK,
      pool: service.context.pool,
      listChanged: async (_span, at) => ({
        submissionIds: states
          .slice(Number(at), Number(at) + pageSize)
          .map(({ submissionId }) => submissionId),
        next: Number(at) + pageSize < states.length ? `${Number(at) + pageSize}` : '',
      }),
      listBilled: async (ids) => {
        asked.push(ids.length);
        const wanted = new Set(ids);
        return known.filter(({ submissionId }) => wanted.has(submissionId));
      },
    },
    settle,
  );
  const found = [];
  let at = '';
  do {
    const part = await comparison({ span: SPAN, at, repair });
    found.push(...part.differences.map(({ what, target, repaired }) => [what, target, repaired]));
    at = part.next;
  } while (at !== '');
  return found;
}

/** Runs SQL that no operation of the service can run. */
async function asSuperuser(sql: string, ...values: unknown[]) {
  const tx = await service.context.pool.connect();
  try {
    await tx.query("SET session_replication_role = 'replica'");
    await tx.query(sql, values);
  } finally {
    tx.release(true);
  }
}

const lose = (kind: 'charge' | 'credit', { submissionId }: Submission) =>
  asSuperuser('DELETE FROM ledger_entry WHERE submission_id = $1 AND kind = $2', submissionId, kind);

const price = (pence: number, effectiveFrom: Date) =>
  setPrice(service.context, {
    accountId,
    billingModel: 'accepted_submission',
    pence,
    effectiveFrom,
    setAt: effectiveFrom,
  });

const kindsOf = async () => (await linesOf(service.context, accountId)).map(({ kind }) => kind);

describe('compareLedger', () => {
  it('finds no difference when both agree, even if a submission is listed repeatedly', async () => {
    const charged = await charge(service.context, accountId, AT);
    const back = await charge(service.context, accountId, AT);
    await deliver(service.context, back.returned());
    const pending = stateOf(submissionOf());
    const states = [billable(charged), returned(back), pending, returned(submissionOf())];
    expect(await compare([...states, ...states], { pageSize: 3 })).toEqual([]);
  });

  it.each(['2026-01-31', '2026-03-31', '2026-06-30', '2026-10-31'])(
    'finds no difference in the last hour of %s in UTC, whatever the month is in London',
    async (day) => {
      const charged = await charge(service.context, accountId, `${day}T23:30:00Z`);
      expect(await compare([{ ...billable(charged), billableAt: new Date(`${day}T23:30:00Z`) }])).toEqual([]);
    },
  );

  it('finds the differences of thousands of submissions on one page, 1,000 at a time', async () => {
    const submissions = Array.from({ length: 2_050 }, () => submissionOf({ accountId }));
    const found = await compare(submissions.map(billable), { pageSize: 2_050 });
    expect(found).toEqual(submissions.map(({ submissionId }) => ['not_charged', submissionId, false]));
    expect(asked).toEqual([1_000, 1_000, 50, 1_000, 1_000, 50]);
  });

  it('ignores a difference whose event arrives in the meantime', async () => {
    const submission = submissionOf({ accountId });
    const settle = () => deliver(service.context, submission.billable());
    expect(await compare([billable(submission)], { settle })).toEqual([]);
  });

  it('names the account and explains the difference', async () => {
    const submission = submissionOf({ accountId });
    const comparison = compareLedger(
      {
        clock: CLOCK,
        pool: service.context.pool,
        listChanged: async () => ({ submissionIds: [submission.submissionId], next: 'more' }),
        listBilled: async () => [billable(submission)],
      },
      async () => {},
    );
    expect(await comparison({ span: SPAN, at: '', repair: false })).toEqual({
      compared: 1,
      differences: [
        {
          what: 'not_charged',
          target: submission.submissionId,
          accountId,
          explanation: 'the submission is billable, but the ledger has no charge for it',
          repaired: false,
        },
      ],
      next: 'more',
    });
  });
});

/** Puts a charge into the database as an attacker with its password would. */
async function plant(count: number, { pence = null as number | null, account = accountId } = {}) {
  const { rows } = await service.context.pool.query<{ id: SubmissionId }>(
    `INSERT INTO ledger_entry (id, submission_id, account_id, kind, billing_model, occurred_at, event_id, pence)
     SELECT gen_random_uuid(), gen_random_uuid(), $1, 'charge', 'accepted_submission', $2::timestamptz,
            gen_random_uuid(), $3::int FROM generate_series(1, $4::int) RETURNING submission_id AS id`,
    [account, BILLABLE_AT, pence, count],
  );
  return rows.map(({ id }) => id).sort();
}

describe('compareLedger, from ledger lines to submissions', () => {
  it('finds each of thousands of lines without a submission, on any page, once and without waiting', async () => {
    const known = await charge(service.context, accountId, AT);
    const planted = [NO_ID, ...(await plant(2_100))];
    await asSuperuser(
      'UPDATE ledger_entry SET submission_id = $1 WHERE submission_id = $2',
      NO_ID,
      planted.pop(),
    );
    const settle = () => Promise.reject(new Error('waited'));
    const found = await compare([billable(known)], { settle });
    expect(found).toEqual(planted.map((submissionId) => ['unexplained', submissionId, false]));
    expect(await compare([billable(known)], { settle, repair: true })).toEqual(found);
  });

  /** Runs the statements of docs/reconciling.md that reverse a line. */
  async function reverse(submissionId: string | undefined): Promise<void> {
    const page = readFileSync(new URL('../../../../docs/reconciling.md', import.meta.url), 'utf8');
    const [, sql = ''] = page.match(/```sql\n(.*?)```/s) ?? [];
    await service.context.pool.query(sql.replaceAll(":'submission'", `'${submissionId}'`));
  }

  it('finds nothing once the line is reversed as the guide says, in its month or the first open one', async () => {
    const [open, closed] = await plant(2, { pence: 2_500 });
    const [late] = await plant(1);
    await reverse(open);
    expect(await compare([])).toEqual([closed, late].sort().map((id) => ['unexplained', id, false]));
    await asSuperuser(
      `INSERT INTO line_price (entry_id, price_sequence, pence)
       SELECT id, 1, 2500 FROM ledger_entry WHERE submission_id = $1`,
      late,
    );
    const one = { charges: 3, chargedPence: 7500, credits: 1, creditedPence: 2500, unpriced: 0 };
    await service.context.pool.query(
      `INSERT INTO statement (account_id, month, closed_at, totals) VALUES ($1, '2026-11-01', '2026-12-01', $2)`,
      [accountId, JSON.stringify({ accepted_submission: one })],
    );
    for (const id of [closed, late, late]) await reverse(id);
    expect(await compare([])).toEqual([]);
    const lines = await linesOf(service.context, accountId);
    expect(lines.map(({ kind, pence, month }) => [kind, pence, month])).toEqual([
      ...[1, 2, 3].map(() => ['charge', 2_500, '2026-11']),
      ['credit', 2_500, '2026-11'],
      ['credit', 2_500, '2026-12'],
      ['credit', 2_500, '2026-12'],
    ]);
  });

  it('still finds a line that is reversed with another amount, and a credit until it is reversed', async () => {
    const [charged] = await plant(1, { pence: 2_500 });
    await reverse(charged);
    await asSuperuser("UPDATE ledger_entry SET pence = 2400 WHERE kind = 'credit'");
    expect(await compare([])).toEqual([['unexplained', charged, false]]);
    await asSuperuser("DELETE FROM ledger_entry WHERE kind = 'charge'");
    expect(await compare([])).toEqual([['unexplained', charged, false]]);
    await reverse(charged);
    expect(await compare([])).toEqual([]);
  });

  it.each<[string, (state: ListedState) => Partial<ListedState>, string | undefined]>([
    ['is on the account of another', () => ({ accountId: newId<AccountId>() }), 'other_account'],
    ['is for a sandbox submission', () => ({ isProduction: false, billableAt: null }), 'other_environment'],
    ['has another billing model', () => ({ billingModel: 'application_created' }), 'other_model'],
    ['charges what is not billable', () => ({ billableAt: null }), 'not_billable'],
    ['has another time', () => ({ billableAt: RETURNED_AT }), 'other_time'],
    ['is explained', () => ({}), undefined],
  ])('finds a line that %s, without a change of its submission', async (_, other, what) => {
    const charged = await charge(service.context, accountId, AT);
    const state = { ...billable(charged), ...other(billable(charged)) };
    const found = await compare([], { known: [state] });
    expect(found).toEqual(what ? [[what, charged.submissionId, false]] : []);
  });

  it('finds a line whose amount is not the price in effect, whichever price was set last', async () => {
    await price(2_500, BILLABLE_AT);
    await price(1_000, new Date('2026-10-01T00:00:00Z'));
    const charged = await charge(service.context, accountId, AT);
    const back = await charge(service.context, accountId, AT);
    await price(9_900, RETURNED_AT);
    await deliver(service.context, back.returned());
    const [forged] = await plant(1, { pence: 1_000 });
    const states = [billable(charged), returned(back)];
    const known = [...states, { ...billable(charged), submissionId: forged as SubmissionId }];
    expect(await compare(states, { known })).toEqual([['other_amount', forged, false]]);
  });

  it('finds statements whose totals differ from their lines, on any page', async () => {
    const charged = await charge(service.context, accountId, AT);
    const insert = (account: string, month: string, totals: unknown) =>
      service.context.pool.query(
        `INSERT INTO statement (account_id, month, closed_at, totals) VALUES ($1, $2, '2027-02-01', $3)`,
        [account, `${month}-01`, JSON.stringify(totals)],
      );
    const one = { charges: 1, chargedPence: 0, credits: 0, creditedPence: 0, unpriced: 1 };
    await insert(accountId, '2026-09', {});
    // Closes November together with December.
    await insert(accountId, '2026-12', { accepted_submission: one });
    await insert(accountId, '2027-01', {});
    const forged = Array.from({ length: 40 }, () => newId<AccountId>());
    const months = ['2026-08', '2026-09', '2026-10'];
    for (const month of months.toReversed())
      for (const account of forged) await insert(account, month, { accepted_submission: one });
    expect(await compare([billable(charged)])).toEqual(
      forged.flatMap((account) => months.map((month) => ['other_totals', `${account} ${month}`, false])),
    );
  });

  it.each(['lines', 'lines x', 'statements', `statements ${newId()}`, `statements ${newId()} 2026-13`])(
    'rejects the token %s, which it did not issue',
    async (at) => {
      const asked = compareLedger(service.context)({ span: SPAN, at, repair: false });
      expect((await asked.then(() => undefined, refusalOf))?.violations.map(({ path }) => path)).toEqual([
        'resume_token',
      ]);
    },
  );
});

describe('compareLedger with repair', () => {
  it('posts a missing charge and a missing credit at the price of the charge, only when repair is requested', async () => {
    await price(2_500, BILLABLE_AT);
    await price(9_900, RETURNED_AT);
    const charged = await charge(service.context, accountId, AT);
    const back = await charge(service.context, accountId, AT);
    await deliver(service.context, back.returned());
    const states = [billable(charged), returned(back)];
    const before = await linesOf(service.context, accountId);
    expect(before.map(({ kind, pence }) => [kind, pence])).toEqual([
      ['charge', 2_500],
      ['charge', 2_500],
      ['credit', 2_500],
    ]);
    await lose('charge', charged);
    await lose('credit', back);
    const differences = (repaired: boolean) => [
      ['not_charged', charged.submissionId, repaired],
      ['not_credited', back.submissionId, repaired],
    ];
    expect(await compare(states)).toEqual(differences(false));
    expect(await kindsOf()).toEqual(['charge']);
    expect(await compare(states, { repair: true })).toEqual(differences(true));
    expect(await linesOf(service.context, accountId)).toEqual(before);
    expect(await compare(states, { repair: true })).toEqual([]);
  });

  it('posts a line once despite concurrent repairs and late events', async () => {
    const submissions = Array.from({ length: 20 }, () => submissionOf({ accountId }));
    const states = submissions.map(billable);
    const repairs = [1, 2, 3].map(() => compare(states, { repair: true, pageSize: 20 }));
    const events = submissions.map((one) => one.billable());
    await Promise.all([...repairs, ...events.map((event) => deliver(service.context, event))]);
    expect(await kindsOf()).toEqual(submissions.map(() => 'charge'));
    expect(await compare(states)).toEqual([]);
  });

  it('leaves ambiguous differences to a person', async () => {
    const charged = await charge(service.context, accountId, AT);
    const { submissionId } = charged;
    const stranger = { ...billable(charged), accountId: newId<AccountId>() };
    const elsewhen = { ...billable(charged), billableAt: new Date(0) };
    const repaired = (state: ListedState) => compare([state], { repair: true });
    expect(await repaired(stranger)).toEqual([['other_account', submissionId, false]]);
    expect(await repaired(elsewhen)).toEqual([['other_time', submissionId, false]]);
    expect(await repaired(stateOf(charged))).toEqual([['not_billable', submissionId, false]]);
    await deliver(service.context, charged.returned());
    expect(await repaired(billable(charged))).toEqual([['credited', submissionId, false]]);
    await lose('charge', charged);
    expect(await repaired(returned(charged))).toEqual([['credit_alone', submissionId, false]]);
    expect(await kindsOf()).toEqual(['credit']);
  });
});
