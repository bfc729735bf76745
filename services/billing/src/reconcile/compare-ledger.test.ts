import { forAllTests } from '@supplier/lib/testing';
import { type AccountId, newId } from '@supplier/lib/text/ids';
import {
  BILLABLE_AT,
  deliver,
  RETURNED_AT,
  type Submission,
  submissionOf,
} from '../../testing/submission-events.ts';
import { charge, linesOf } from '../../testing/test-ledger.ts';
import { openTestService } from '../../testing/test-service.ts';
import type { BilledState } from '../model/ledger.ts';
import { insertPrice } from '../prices/prices.sql.ts';
import { compareLedger } from './compare-ledger.ts';

const AT = BILLABLE_AT.toISOString();
const SPAN = { since: new Date('2026-11-01T00:00:00Z'), until: new Date('2026-11-02T00:00:00Z') };

let accountId: AccountId;
const service = forAllTests(() => openTestService());
beforeEach(() => {
  accountId = newId<AccountId>();
  asked = [];
});

const stateOf = ({ submissionId }: Submission): BilledState => ({
  submissionId,
  accountId,
  billingModel: 'accepted_submission',
  billableAt: null,
  returnedAt: null,
});
const billable = (submission: Submission) => ({ ...stateOf(submission), billableAt: BILLABLE_AT });
const returned = (submission: Submission) => ({ ...stateOf(submission), returnedAt: RETURNED_AT });

/** Number of states requested by each call. */
let asked: number[] = [];

/** Compares and repairs submissions listed in this order; returns the differences. */
async function compare(
  states: readonly BilledState[],
  { repair = false, pageSize = 1, settle = async () => {} } = {},
) {
  const comparison = compareLedger(
    {
      db: service.context.db,
      pool: service.context.pool,
      listChanged: async (_span, at) => ({
        submissionIds: states
          .slice(Number(at), Number(at) + pageSize)
          .map(({ submissionId }) => submissionId),
        next: Number(at) + pageSize < states.length ? `${Number(at) + pageSize}` : '',
      }),
      listBilled: async (ids) => {
        asked.push(ids.length);
        return states.filter(({ submissionId }) => ids.includes(submissionId));
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

const kindsOf = async () => (await linesOf(service.context, accountId)).map(({ kind }) => kind);

describe('compareLedger', () => {
  it('finds no difference when both agree, even if a submission is listed repeatedly', async () => {
    const charged = await charge(service.context, accountId, AT);
    const back = await charge(service.context, accountId, AT);
    await deliver(service.context, back.returned());
    const states = [billable(charged), returned(back), stateOf(submissionOf()), returned(submissionOf())];
    expect(await compare([...states, ...states], { pageSize: 3 })).toEqual([]);
  });

  it('finds the differences of hundreds of submissions on one page, 100 at a time', async () => {
    const submissions = Array.from({ length: 250 }, () => submissionOf({ accountId }));
    const found = await compare(submissions.map(billable), { pageSize: 250 });
    expect(found).toEqual(submissions.map(({ submissionId }) => ['not_charged', submissionId, false]));
    expect(asked).toEqual([100, 100, 50, 100, 100, 50]);
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
        db: service.context.db,
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

describe('compareLedger with repair', () => {
  it('posts a missing charge and a missing credit at the price of the charge, only when repair is requested', async () => {
    for (const [pence, effectiveFrom] of [[2_500, BILLABLE_AT] as const, [9_900, RETURNED_AT] as const])
      await insertPrice(service.context.db, {
        accountId,
        billingModel: 'accepted_submission',
        pence,
        effectiveFrom,
        setAt: effectiveFrom,
      });
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
    const repaired = (state: BilledState) => compare([state], { repair: true });
    expect(await repaired(stranger)).toEqual([['other_account', submissionId, false]]);
    expect(await repaired(elsewhen)).toEqual([['other_time', submissionId, false]]);
    expect(await repaired(stateOf(charged))).toEqual([['not_credited', submissionId, false]]);
    await deliver(service.context, charged.returned());
    expect(await repaired(billable(charged))).toEqual([['credited', submissionId, false]]);
    await lose('charge', charged);
    expect(await repaired(returned(charged))).toEqual([['credit_alone', submissionId, false]]);
    expect(await kindsOf()).toEqual(['credit']);
  });
});
