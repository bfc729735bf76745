import { Code, ConnectError } from '@connectrpc/connect';
import { type AccountId, newId, type SubmissionId } from '@supplier/lib/ids';
import { inTransaction } from '@supplier/lib/postgres';
import type { EventEnvelope } from '@supplier/proto/common/v1/event';
import { BillingModel, BillingStatus, Environment, Status } from '@supplier/proto/common/v1/status';
import { charge, leadOf, linesOf } from '../../testing/ledger.ts';
import { DECIDED_AT, deliver, type Submission, submissionOf } from '../../testing/submission-events.ts';
import { openTestService, type TestService } from '../../testing/test-service.ts';
import type { Context } from '../context.ts';
import { insertPrice } from '../db/prices.ts';
import type { ShownSubmission } from '../domain/reconciliation.ts';
import { compareLedger } from './compare-ledger.ts';

const AT = '2026-11-01T10:00:00.111Z';
const SPAN = { since: new Date('2026-11-01T00:00:00Z'), until: new Date('2026-11-02T00:00:00Z') };

let service: TestService;
let accountId: AccountId;
beforeAll(async () => {
  service = await openTestService();
});
beforeEach(() => {
  accountId = newId<AccountId>();
});
afterAll(() => service?.close());

const shownAs = (
  { submissionId }: Submission,
  billingStatus: ShownSubmission['billingStatus'],
): ShownSubmission => ({
  submissionId: submissionId as SubmissionId,
  accountId,
  environment: 'production',
  isDecided: true,
  billingStatus,
  billableAt: billingStatus === 'billable' ? DECIDED_AT : null,
});

type Restate = Context['restateLeads'];
const restatesNothing: Restate = async (ids) => {
  throw new Error(`nobody asked for ${ids.length} leads to be restated`);
};

/** What is found and repaired, of submissions that are listed one on a page unless said otherwise; page by page. */
async function compare(
  shown: readonly ShownSubmission[],
  repair: boolean,
  restateLeads = restatesNothing,
  pageSize = 1,
) {
  const comparison = compareLedger(
    {
      ...service.context,
      listChanged: async (_span, at) => ({
        submissionIds: shown.slice(Number(at), Number(at) + pageSize).map(({ submissionId }) => submissionId),
        next: Number(at) + pageSize < shown.length ? `${Number(at) + pageSize}` : '',
      }),
      listShown: async (ids) => shown.filter(({ submissionId }) => ids.includes(submissionId)),
      restateLeads,
    },
    async () => {},
  );
  const found = [];
  let at = '';
  do {
    const part = await comparison({ span: SPAN, at, repair });
    found.push(...part.differences.map(({ what, repaired }) => [what, repaired]));
    at = part.next;
  } while (at !== '');
  return found;
}

/** Runs what no operation of the service can. */
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

/** Loses a lead, and its lines unless they are to stand. */
async function loseLead({ submissionId }: Submission, linesStand = false) {
  if (!linesStand) await asSuperuser('DELETE FROM ledger_entry WHERE submission_id = $1', submissionId);
  await asSuperuser('DELETE FROM lead WHERE submission_id = $1', submissionId);
}

/** The submission service, which restates leads by events of these. */
const restatedBy =
  (...events: [Submission, EventEnvelope][]): Restate =>
  async (ids) => {
    const those = events.filter(([{ submissionId }]) => ids.includes(submissionId));
    for (const [, event] of those) await deliver(service.context, event);
    return those.map(([{ submissionId }]) => submissionId);
  };

const kindsOf = async () => (await linesOf(service.context, accountId)).map(({ kind }) => kind);

it('enters a lost charge and a lost credit again, and only when asked to', async () => {
  const charged = await charge(service.context, accountId, AT);
  const back = await charge(service.context, accountId, AT);
  await deliver(service.context, back.returned());
  const shown = [shownAs(charged, 'billable'), shownAs(back, 'not_billable')];
  const before = await linesOf(service.context, accountId);
  await lose('charge', charged);
  await lose('credit', back);
  const [notCharged, notCredited] = ['not_charged', 'not_credited'];
  expect(await compare(shown, false)).toEqual([
    [notCharged, false],
    [notCredited, false],
  ]);
  expect(await kindsOf()).toEqual(['charge']);
  expect(await compare(shown, true)).toEqual([
    [notCharged, true],
    [notCredited, true],
  ]);
  expect((await kindsOf()).sort()).toEqual(before.map(({ kind }) => kind).sort());
  expect(await compare(shown, true)).toEqual([]);
});

it('tells a decision again that the submission service has not heard', async () => {
  const charged = await charge(service.context, accountId, AT);
  const told = async () =>
    (await service.context.pool.query('SELECT FROM outbox WHERE aggregate_id = $1', [charged.submissionId]))
      .rowCount;
  const before = (await told()) ?? 0;
  expect(await compare([{ ...shownAs(charged, 'pending'), billableAt: null }], true)).toEqual([
    ['not_credited', true],
  ]);
  expect(await told()).toBe(before + 1);
  expect(await kindsOf()).toEqual(['charge']);
});

describe('a lead that billing has lost', () => {
  const { BILLABLE, NOT_BILLABLE } = BillingStatus;
  const UNKNOWN = 'unknown_lead';

  it('is restated when asked to, and charged for once, at the price of its time', async () => {
    const first = new Date('2026-10-01T00:00:00Z');
    const setAt = new Date('2026-10-01T00:00:00Z');
    const price = { accountId, billingModel: 'accepted_submission', setAt } as const;
    await inTransaction(service.context.pool, async (tx) => {
      await insertPrice(tx, { ...price, pence: 2_500, effectiveFrom: first });
      await insertPrice(tx, { ...price, pence: 9_900, effectiveFrom: new Date('2026-11-05T00:00:00Z') });
    });
    const charged = await charge(service.context, accountId, AT);
    const shown = [shownAs(charged, 'billable')];
    const before = await linesOf(service.context, accountId);
    expect(before).toMatchObject([{ kind: 'charge', pence: 2_500 }]);
    await loseLead(charged);
    expect(await compare(shown, false)).toEqual([[UNKNOWN, false]]);
    const restate = restatedBy([charged, charged.restated(Status.ACCEPTED, BILLABLE)]);
    expect(await compare(shown, true, restate)).toEqual([[UNKNOWN, true]]);
    expect(await linesOf(service.context, accountId)).toEqual(before);
    expect(await compare(shown, true)).toEqual([]);
  });

  it('is charged for once however many people repair at once and however often the event comes', async () => {
    const charged = await charge(service.context, accountId, AT);
    const shown = [shownAs(charged, 'billable')];
    await loseLead(charged);
    const restate: Restate = async (ids) => {
      const event = charged.restated(Status.ACCEPTED, BILLABLE);
      await Promise.all([deliver(service.context, event), deliver(service.context, event)]);
      return ids;
    };
    await Promise.all([
      compare(shown, true, restate),
      compare(shown, true, restate),
      compare(shown, true, restate),
    ]);
    expect(await kindsOf()).toEqual(['charge']);
    expect(await compare(shown, true)).toEqual([]);
  });

  it('keeps a line that has outlived it, and only a credit that is missing is entered', async () => {
    const [kept, back] = [
      await charge(service.context, accountId, AT),
      await charge(service.context, accountId, AT),
    ];
    await deliver(service.context, back.returned());
    const shown = [shownAs(kept, 'billable'), shownAs(back, 'not_billable')];
    await lose('credit', back);
    for (const lead of [kept, back]) await loseLead(lead, true);
    const restate = restatedBy(
      [kept, kept.restated(Status.ACCEPTED, BILLABLE)],
      [back, back.restated(Status.RETURNED, NOT_BILLABLE)],
    );
    expect(await compare(shown, true, restate)).toEqual([
      [UNKNOWN, true],
      [UNKNOWN, true],
    ]);
    expect(await compare(shown, true)).toEqual([['not_credited', true]]);
    expect(await compare(shown, true)).toEqual([]);
    expect((await kindsOf()).sort()).toEqual(['charge', 'charge', 'credit']);
  });

  it.each<[string, (lead: Submission) => EventEnvelope]>([
    ['was returned', (lead) => lead.restated(Status.RETURNED, NOT_BILLABLE)],
    ['was rejected', (lead) => lead.restated(Status.REJECTED, NOT_BILLABLE)],
    [
      'was ended by staff before its Application came',
      (lead) => lead.restated(Status.ACCEPTED, NOT_BILLABLE),
    ],
    ['was closed', (lead) => lead.restatedAsClosed(NOT_BILLABLE)],
  ])('and that %s is charged nothing', async (_, event) => {
    const lead = submissionOf(BillingModel.APPLICATION_CREATED, Environment.PRODUCTION, { accountId });
    const shown = [shownAs(lead, 'not_billable')];
    expect(await compare(shown, true, restatedBy([lead, event(lead)]))).toEqual([[UNKNOWN, true]]);
    expect(await compare(shown, true)).toEqual([]);
    expect(await kindsOf()).toEqual([]);
  });

  it('is restated, too, when a later event has opened it again, without what it was decided by', async () => {
    const charged = await charge(service.context, accountId, AT);
    await loseLead(charged);
    await deliver(service.context, charged.received());
    const shown = [shownAs(charged, 'billable')];
    const restate = restatedBy([charged, charged.restated(Status.ACCEPTED, BILLABLE)]);
    expect(await compare(shown, true, restate)).toEqual([['not_charged', true]]);
    expect(await compare(shown, true)).toEqual([]);
    expect(await kindsOf()).toEqual(['charge']);
  });

  it('is asked for with a hundred others at most, and called repaired only when it exists', async () => {
    const some = Array.from({ length: 250 }, () => leadOf(accountId, AT));
    const shown = some.map((lead) => shownAs(lead, 'billable'));
    const asked: number[] = [];
    const restate: Restate = async (ids) => {
      asked.push(ids.length);
      return ids.filter((id) => id !== some[0]?.submissionId);
    };
    const found = await compare(shown, true, restate, 250);
    expect(asked).toEqual([100, 100, 50]);
    expect(found.filter(([, repaired]) => !repaired)).toHaveLength(1);
  });

  it('ends the repair with a clear error, and enters nothing, while the submission service does not answer', async () => {
    const [unknown, charged] = [leadOf(accountId, AT), await charge(service.context, accountId, AT)];
    await lose('charge', charged);
    const failing: Restate = async () => {
      throw new ConnectError('away', Code.Unavailable);
    };
    const shown = [charged, unknown].map((lead) => shownAs(lead, 'billable'));
    await expect(compare(shown, true, failing, 2)).rejects.toMatchObject({ code: Code.Unavailable });
    expect(await kindsOf()).toEqual([]);
  });
});

it('leaves to people what it cannot know', async () => {
  const charged = await charge(service.context, accountId, AT);
  const stranger = { ...shownAs(charged, 'billable'), accountId: newId<AccountId>() };
  const elsewhen = { ...shownAs(charged, 'billable'), billableAt: new Date(0) };
  expect(await compare([stranger], true)).toEqual([['other_account', false]]);
  expect(await compare([elsewhen], true)).toEqual([['other_time', false]]);
  const back = await charge(service.context, accountId, AT);
  await deliver(service.context, back.returned());
  expect(await compare([shownAs(back, 'billable')], true)).toEqual([['credited', false]]);
  await lose('charge', back);
  expect(await compare([shownAs(back, 'not_billable')], true)).toEqual([['credit_alone', false]]);
});
