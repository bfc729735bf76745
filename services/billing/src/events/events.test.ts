import { toTimestamp } from '@supplier/lib/time';
import { BillingChangedSchema } from '@supplier/proto/billing/v1/events';
import type { EventEnvelope } from '@supplier/proto/common/v1/event';
import {
  BillingModel,
  BillingStatus,
  Environment,
  NotBillableReason,
} from '@supplier/proto/common/v1/status';
import {
  announcements,
  CLEARED_AT,
  CREATED_AT,
  DECIDED_AT,
  deliver,
  RETURNED_AT,
  submissionOf,
} from '../../testing/submission-events.ts';
import { openTestDatabase, type TestDatabase } from '../../testing/test-database.ts';
import type { ServiceContext } from '../context.ts';
import { findLead } from '../db/find-lead.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const { ACCEPTED_SUBMISSION, APPLICATION_CREATED, PRE_UNDERWRITING_CLEARED } = BillingModel;
const MODELS = [ACCEPTED_SUBMISSION, APPLICATION_CREATED, PRE_UNDERWRITING_CLEARED] as const;

let database: TestDatabase;
let context: ServiceContext;
beforeAll(async () => {
  database = await openTestDatabase();
  context = { db: database.db, clock: { now: () => NOW } };
});
afterAll(() => database?.close());

type Submission = ReturnType<typeof submissionOf>;

async function outcomeOf({ submissionId }: Submission) {
  const found = await findLead(context.db, submissionId);
  return {
    state: found && {
      billingStatus: found.lead.billingStatus,
      billableAt: found.lead.billableAt,
      notBillableReason: found.lead.notBillableReason,
    },
    entries: found?.entries.map(({ kind, occurredAt }) => ({ kind, occurredAt })),
    announced: await announcements(context, submissionId),
  };
}

async function deliverAll(events: EventEnvelope[]): Promise<void> {
  for (const event of events) await deliver(context, event);
}

const returned = { billingStatus: 'not_billable', billableAt: null, notBillableReason: 'returned' };
const pending = { billingStatus: 'pending', billableAt: null, notBillableReason: null };

describe('billing', () => {
  it.each([
    ['accepted_submission', ACCEPTED_SUBMISSION, 'accepted', DECIDED_AT],
    ['application_created', APPLICATION_CREATED, 'applicationCreated', CREATED_AT],
    ['application_created, told by the status', APPLICATION_CREATED, 'acceptedWithApplication', CREATED_AT],
    ['pre_underwriting_cleared', PRE_UNDERWRITING_CLEARED, 'cleared', CLEARED_AT],
  ] as const)(
    'under %s charges once and tells it, with line and event together',
    async (_, model, event, at) => {
      const submission = submissionOf(model);
      const trigger = submission[event]();
      await deliverAll([submission.received(), trigger, trigger, submission[event]()]);

      const { state, entries, announced } = await outcomeOf(submission);
      expect(state).toEqual({ billingStatus: 'billable', billableAt: at, notBillableReason: null });
      expect(entries).toEqual([{ kind: 'charge', occurredAt: at }]);
      expect(announced).toHaveLength(1);
      expect(announced[0]).toMatchObject({
        type: BillingChangedSchema.typeName,
        aggregateVersion: 1n,
        occurredAt: toTimestamp(NOW),
        message: {
          accountId: submission.accountId,
          environment: Environment.PRODUCTION,
          billing: {
            billingStatus: BillingStatus.BILLABLE,
            billableAt: toTimestamp(at),
            billingModel: model,
            notBillableReason: NotBillableReason.UNSPECIFIED,
          },
        },
      });
      const [line] = await context.db.ledgerEntry.findMany({
        where: { submissionId: submission.submissionId },
      });
      expect(line?.eventId).toBe(trigger.eventId);
    },
  );

  it.each([
    ['accepted', APPLICATION_CREATED],
    ['accepted', PRE_UNDERWRITING_CLEARED],
    ['acceptedWithApplication', PRE_UNDERWRITING_CLEARED],
    ['applicationCreated', PRE_UNDERWRITING_CLEARED],
    ['applicationCreated', ACCEPTED_SUBMISSION],
    ['cleared', ACCEPTED_SUBMISSION],
    ['cleared', APPLICATION_CREATED],
    ['notCleared', PRE_UNDERWRITING_CLEARED],
    ['received', ACCEPTED_SUBMISSION],
  ] as const)('leaves a lead pending that was only %s under model %s', async (event, model) => {
    const submission = submissionOf(model);
    await deliver(context, submission[event]());
    expect(await outcomeOf(submission)).toEqual({ state: pending, entries: [], announced: [] });
  });

  it.each([
    ['rejected', NotBillableReason.REJECTED],
    ['duplicate', NotBillableReason.DUPLICATE],
  ] as const)('tells that a %s lead is not billable, without a line', async (reason, choice) => {
    const submission = submissionOf(ACCEPTED_SUBMISSION);
    await deliverAll([submission[reason](), submission[reason](), submission.accepted()]);
    const { state, entries, announced } = await outcomeOf(submission);
    expect(state).toEqual({ billingStatus: 'not_billable', billableAt: null, notBillableReason: reason });
    expect(entries).toEqual([]);
    const told = announced.map(({ message }) => message.billing);
    expect(told).toMatchObject([{ billingStatus: BillingStatus.NOT_BILLABLE, notBillableReason: choice }]);
    expect(told[0]?.billableAt).toBeUndefined();
  });

  it('credits a charged lead that is returned, and tells nothing of it', async () => {
    const submission = submissionOf(ACCEPTED_SUBMISSION);
    await deliverAll([submission.accepted(), submission.returned(), submission.returned()]);
    const { state, entries, announced } = await outcomeOf(submission);
    expect(state).toEqual(returned);
    expect(entries).toEqual([
      { kind: 'charge', occurredAt: DECIDED_AT },
      { kind: 'credit', occurredAt: RETURNED_AT },
    ]);
    expect(announced).toHaveLength(1);
  });

  it('neither charges nor tells a lead whose return is heard before its acceptance', async () => {
    const submission = submissionOf(ACCEPTED_SUBMISSION);
    await deliverAll([submission.returned(), submission.accepted()]);
    expect(await outcomeOf(submission)).toEqual({ state: returned, entries: [], announced: [] });
  });

  it.each(MODELS)('in the sandbox, under model %s, never writes a line or an event', async (model) => {
    const submission = submissionOf(model, Environment.SANDBOX);
    const { received, acceptedWithApplication, applicationCreated, cleared } = submission;
    await deliverAll([
      received(),
      acceptedWithApplication(),
      applicationCreated(),
      cleared(),
      submission.returned(),
    ]);
    const state = { billingStatus: 'not_billable', billableAt: null, notBillableReason: 'sandbox' };
    expect(await outcomeOf(submission)).toEqual({ state, entries: [], announced: [] });
  });

  it.each(['withoutStatus', 'withoutModel', 'withoutTime', 'unfinished'] as const)(
    'refuses an event that breaks its contract (%s) and keeps nothing of it',
    async (fault) => {
      const submission = submissionOf(PRE_UNDERWRITING_CLEARED);
      const event = submission.broken[fault]();
      await expect(deliver(context, event)).rejects.toThrow();
      expect(await findLead(context.db, submission.submissionId)).toBeUndefined();
      expect(await context.db.inbox.count({ where: { eventId: event.eventId } })).toBe(0);
    },
  );

  it.each(['outbox', 'ledger_entry'])(
    'keeps nothing when the %s cannot be written, and all at the next try',
    async (table) => {
      const submission = submissionOf(ACCEPTED_SUBMISSION);
      const event = submission.accepted();
      await database.pool.query(`ALTER TABLE ${table} ADD CONSTRAINT broken CHECK (false) NOT VALID`);
      await expect(deliver(context, event)).rejects.toThrow();
      await database.pool.query(`ALTER TABLE ${table} DROP CONSTRAINT broken`);
      expect(await outcomeOf(submission)).toEqual({ state: undefined, entries: undefined, announced: [] });

      await deliver(context, event);
      const { entries, announced } = await outcomeOf(submission);
      expect(entries).toHaveLength(1);
      expect(announced).toHaveLength(1);
    },
  );
});

describe('the events of a returned life', () => {
  it.each(MODELS)(
    'under model %s end the same in every order, each delivered twice',
    async (model) => {
      const outcomes: string[] = [];
      for (const order of ordersOf([0, 1, 2, 3])) {
        const submission = submissionOf(model);
        const life = [
          submission.accepted(),
          submission.applicationCreated(),
          submission.cleared(),
          submission.returned(),
        ];
        const events = order.flatMap((index) => life.slice(index, index + 1));
        for (const event of events) await Promise.all([deliver(context, event), deliver(context, event)]);
        await deliverAll(events);

        const { state, entries = [], announced } = await outcomeOf(submission);
        const kinds = entries.map(({ kind }) => kind);
        expect([[], ['charge', 'credit']]).toContainEqual(kinds);
        expect(announced).toHaveLength(kinds.length / 2);
        const { heardVersion } = await context.db.lead.findUniqueOrThrow({
          where: { submissionId: submission.submissionId },
        });
        outcomes.push(JSON.stringify([state, Number(heardVersion)]));
      }
      expect(outcomes).toHaveLength(24);
      expect(new Set(outcomes)).toEqual(new Set([JSON.stringify([returned, 5])]));
    },
    60_000,
  );

  it('end the same when all arrive at once', async () => {
    for (let round = 0; round < 10; round += 1) {
      const submission = submissionOf(ACCEPTED_SUBMISSION);
      const { accepted, applicationCreated, cleared, returned: returnedNow } = submission;
      const events = [accepted(), accepted(), applicationCreated(), cleared(), returnedNow(), returnedNow()];
      await Promise.all([...events, ...events].map((event) => deliver(context, event)));
      const { state, entries = [] } = await outcomeOf(submission);
      expect(state).toEqual(returned);
      expect([[], ['charge', 'credit']]).toContainEqual(entries.map(({ kind }) => kind));
    }
  }, 60_000);
});

function ordersOf(items: number[]): number[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((first) =>
    ordersOf(items.filter((item) => item !== first)).map((rest) => [first, ...rest]),
  );
}
