import { inTransaction } from '@supplier/lib/postgres';
import { countStatements, eventually } from '@supplier/lib/testing';
import { toTimestamp } from '@supplier/lib/time';
import { relayWakes } from '@supplier/lib/wakeable';
import { BillingChangedSchema } from '@supplier/proto/billing/v1/events';
import type { EventEnvelope } from '@supplier/proto/common/v1/event';
import {
  BillingModel,
  BillingStatus,
  Environment,
  NotBillableReason,
} from '@supplier/proto/common/v1/status';
import {
  CLEARED_AT,
  CREATED_AT,
  DECIDED_AT,
  deliver,
  domainEvent,
  emittedEvents,
  NOW,
  RETURNED_AT,
  type Submission,
  submissionOf,
} from '../../testing/submission-events.ts';
import { openTestService, type TestService } from '../../testing/test-service.ts';
import { findLead } from '../db/find-lead.ts';
import { applySubmissionEvents } from './apply-submission-events.ts';

const { ACCEPTED_SUBMISSION, APPLICATION_CREATED, PRE_UNDERWRITING_CLEARED } = BillingModel;
const MODELS = [ACCEPTED_SUBMISSION, APPLICATION_CREATED, PRE_UNDERWRITING_CLEARED] as const;

let service: TestService;
beforeAll(async () => {
  service = await openTestService();
});
afterAll(() => service?.close());

async function outcomeOf({ submissionId }: Submission) {
  const found = await findLead(service.context.db, submissionId);
  return {
    state: found && {
      billingStatus: found.lead.billingStatus,
      billableAt: found.lead.billableAt,
      notBillableReason: found.lead.notBillableReason,
    },
    entries: found?.entries.map(({ kind, occurredAt }) => ({ kind, occurredAt })),
    emitted: await emittedEvents(service.context, submissionId),
  };
}

/** Delivers events each in a set of its own. */
async function deliverEach(events: EventEnvelope[]): Promise<void> {
  for (const event of events) await deliver(service.context, event);
}

const returned = { billingStatus: 'not_billable', billableAt: null, notBillableReason: 'returned' };
const pending = { billingStatus: 'pending', billableAt: null, notBillableReason: null };

describe('billing', () => {
  it.each([
    ['accepted_submission', ACCEPTED_SUBMISSION, 'accepted', DECIDED_AT],
    ['application_created', APPLICATION_CREATED, 'applicationCreated', CREATED_AT],
    ['application_created, by the status', APPLICATION_CREATED, 'acceptedWithApplication', CREATED_AT],
    ['pre_underwriting_cleared', PRE_UNDERWRITING_CLEARED, 'cleared', CLEARED_AT],
    ['pre_underwriting_cleared, by the status', PRE_UNDERWRITING_CLEARED, 'acceptedAndCleared', CLEARED_AT],
    ['application_created, all in one event', APPLICATION_CREATED, 'acceptedAndCleared', CREATED_AT],
    ['accepted_submission, all in one event', ACCEPTED_SUBMISSION, 'acceptedAndCleared', DECIDED_AT],
  ] as const)(
    'under %s charges once and emits BillingChanged, with line and event together',
    async (_, model, event, at) => {
      const submission = submissionOf(model);
      const trigger = submission[event]();
      await deliverEach([submission.received(), trigger, trigger, submission[event]()]);

      const { state, entries, emitted } = await outcomeOf(submission);
      expect(state).toEqual({ billingStatus: 'billable', billableAt: at, notBillableReason: null });
      expect(entries).toEqual([{ kind: 'charge', occurredAt: at }]);
      expect(emitted).toHaveLength(1);
      expect(emitted[0]).toMatchObject({
        type: BillingChangedSchema.typeName,
        aggregateVersion: 1n,
        occurredAt: toTimestamp(NOW),
        requestId: `request-of-${submission.submissionId}`,
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
      const [line] = await service.context.db.ledgerEntry.findMany({
        where: { submissionId: submission.submissionId },
      });
      expect(line?.eventId).toBe(trigger.eventId);
    },
  );

  it.each([
    ['accepted', APPLICATION_CREATED],
    ['accepted', PRE_UNDERWRITING_CLEARED],
    ['acceptedWithApplication', PRE_UNDERWRITING_CLEARED],
    ['acceptedAndQueued', PRE_UNDERWRITING_CLEARED],
    ['applicationCreated', PRE_UNDERWRITING_CLEARED],
    ['applicationCreated', ACCEPTED_SUBMISSION],
    ['cleared', ACCEPTED_SUBMISSION],
    ['cleared', APPLICATION_CREATED],
    ['notCleared', PRE_UNDERWRITING_CLEARED],
    ['closed', ACCEPTED_SUBMISSION],
    ['closed', APPLICATION_CREATED],
    ['received', ACCEPTED_SUBMISSION],
  ] as const)('leaves a lead pending that was only %s under model %s', async (event, model) => {
    const submission = submissionOf(model);
    await deliver(service.context, submission[event]());
    expect(await outcomeOf(submission)).toEqual({ state: pending, entries: [], emitted: [] });
  });

  it.each([
    ['rejected', NotBillableReason.REJECTED],
    ['duplicate', NotBillableReason.DUPLICATE],
  ] as const)('emits that a %s lead is not billable, without a line', async (reason, choice) => {
    const submission = submissionOf(ACCEPTED_SUBMISSION);
    await deliverEach([submission[reason](), submission[reason](), submission.accepted()]);
    const { state, entries, emitted } = await outcomeOf(submission);
    expect(state).toEqual({ billingStatus: 'not_billable', billableAt: null, notBillableReason: reason });
    expect(entries).toEqual([]);
    const billing = emitted.map(({ message }) => message.billing);
    expect(billing).toMatchObject([{ billingStatus: BillingStatus.NOT_BILLABLE, notBillableReason: choice }]);
    expect(billing[0]?.billableAt).toBeUndefined();
  });

  it('credits a charged lead that is returned, and emits nothing about it', async () => {
    const submission = submissionOf(ACCEPTED_SUBMISSION);
    await deliverEach([submission.accepted(), submission.returned(), submission.returned()]);
    const { state, entries, emitted } = await outcomeOf(submission);
    expect(state).toEqual(returned);
    expect(entries).toEqual([
      { kind: 'charge', occurredAt: DECIDED_AT },
      { kind: 'credit', occurredAt: RETURNED_AT },
    ]);
    expect(emitted).toHaveLength(1);
  });

  it('neither charges nor emits a lead whose return is applied before its acceptance', async () => {
    const submission = submissionOf(ACCEPTED_SUBMISSION);
    await deliverEach([submission.returned(), submission.accepted()]);
    expect(await outcomeOf(submission)).toEqual({ state: returned, entries: [], emitted: [] });
  });

  it.each(MODELS)('in the sandbox, under model %s, never writes a line or an event', async (model) => {
    const submission = submissionOf(model, Environment.SANDBOX);
    const { received, acceptedWithApplication, applicationCreated, cleared } = submission;
    await deliverEach([
      received(),
      acceptedWithApplication(),
      applicationCreated(),
      cleared(),
      submission.returned(),
    ]);
    const state = { billingStatus: 'not_billable', billableAt: null, notBillableReason: 'sandbox' };
    expect(await outcomeOf(submission)).toEqual({ state, entries: [], emitted: [] });
  });

  it.each(['withoutStatus', 'withoutModel', 'withoutTime', 'withoutState', 'unfinished'] as const)(
    'refuses an event that breaks its contract (%s) and keeps nothing of it',
    async (fault) => {
      const submission = submissionOf(PRE_UNDERWRITING_CLEARED);
      const event = submission.broken[fault]();
      await expect(deliver(service.context, event)).rejects.toThrow();
      expect(await findLead(service.context.db, submission.submissionId)).toBeUndefined();
      expect(await service.context.db.inbox.count({ where: { eventId: event.eventId } })).toBe(0);
    },
  );

  it.each(['outbox', 'ledger_entry'])(
    'keeps nothing when the %s cannot be written, and all at the next try',
    async (table) => {
      const submission = submissionOf(ACCEPTED_SUBMISSION);
      const event = submission.accepted();
      await service.context.pool.query(`ALTER TABLE ${table} ADD CONSTRAINT broken CHECK (false) NOT VALID`);
      await expect(deliver(service.context, event)).rejects.toThrow();
      await service.context.pool.query(`ALTER TABLE ${table} DROP CONSTRAINT broken`);
      expect(await outcomeOf(submission)).toEqual({ state: undefined, entries: undefined, emitted: [] });

      await deliver(service.context, event);
      const { entries, emitted } = await outcomeOf(submission);
      expect(entries).toHaveLength(1);
      expect(emitted).toHaveLength(1);
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
        for (const event of events)
          await Promise.all([deliver(service.context, event), deliver(service.context, event)]);
        await deliverEach(events);

        const { state, entries = [], emitted } = await outcomeOf(submission);
        const kinds = entries.map(({ kind }) => kind);
        expect([[], ['charge', 'credit']]).toContainEqual(kinds);
        expect(emitted).toHaveLength(kinds.length / 2);
        const { lastSeenVersion } = await service.context.db.lead.findUniqueOrThrow({
          where: { submissionId: submission.submissionId },
        });
        outcomes.push(JSON.stringify([state, Number(lastSeenVersion)]));
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
      await Promise.all([...events, ...events].map((event) => deliver(service.context, event)));
      const { state, entries = [] } = await outcomeOf(submission);
      expect(state).toEqual(returned);
      expect([[], ['charge', 'credit']]).toContainEqual(entries.map(({ kind }) => kind));
    }
  });
});

describe('a set of events', () => {
  it('moves each lead by its own events, in their order', async () => {
    const [charged, rejected, unmoved] = [1, 2, 3].map(() => submissionOf(APPLICATION_CREATED)) as [
      Submission,
      Submission,
      Submission,
    ];
    const created = charged.applicationCreated();
    const events = [charged.accepted(), unmoved.accepted(), rejected.rejected(), created];
    expect(await deliver(service.context, ...events)).toBe(true);

    expect(await outcomeOf(charged)).toMatchObject({
      state: { billingStatus: 'billable', billableAt: CREATED_AT },
      entries: [{ kind: 'charge', occurredAt: CREATED_AT }],
      emitted: [{ aggregateVersion: 1n, requestId: `request-of-${charged.submissionId}` }],
    });
    expect(await outcomeOf(rejected)).toMatchObject({
      state: { billingStatus: 'not_billable', notBillableReason: 'rejected' },
      entries: [],
      emitted: [{ aggregateVersion: 1n, requestId: `request-of-${rejected.submissionId}` }],
    });
    expect(await outcomeOf(unmoved)).toEqual({ state: pending, entries: [], emitted: [] });
  });

  it.each([
    ['together', (events: EventEnvelope[]) => deliver(service.context, ...events)],
    ['one by one', deliverEach],
  ])('charges and credits a lead that was accepted and returned, %s', async (_, deliverThem) => {
    const submission = submissionOf(PRE_UNDERWRITING_CLEARED);
    const [cleared, back] = [submission.acceptedAndCleared(), submission.returned()];
    await deliverThem([cleared, back]);
    const { state, entries, emitted } = await outcomeOf(submission);
    expect(state).toEqual(returned);
    expect(entries).toEqual([
      { kind: 'charge', occurredAt: CLEARED_AT },
      { kind: 'credit', occurredAt: RETURNED_AT },
    ]);
    expect(emitted).toMatchObject([
      {
        aggregateVersion: 1n,
        message: { billing: { billingStatus: BillingStatus.BILLABLE, billableAt: toTimestamp(CLEARED_AT) } },
      },
    ]);
    const lines = await service.context.db.ledgerEntry.findMany({
      orderBy: { kind: 'asc' },
      where: { submissionId: submission.submissionId },
    });
    expect(lines.map(({ eventId }) => eventId)).toEqual([cleared.eventId, back.eventId]);
    expect(
      await service.context.db.lead.findUnique({ where: { submissionId: submission.submissionId } }),
    ).toMatchObject({
      lastSeenVersion: 5n,
      version: 1n,
    });
  });

  it('changes nothing when it comes again, as it was or as new events with the same facts', async () => {
    const submissions = MODELS.map((model) => submissionOf(model));
    const life = () => submissions.flatMap((one) => [one.acceptedAndCleared(), one.returned()]);
    const set = life();
    expect(await deliver(service.context, ...set)).toBe(true);
    const before = await Promise.all(submissions.map(outcomeOf));
    expect(before.map(({ entries }) => entries?.length)).toEqual([2, 2, 2]);

    expect(await deliver(service.context, ...set)).toBe(false);
    expect(await deliver(service.context, ...life())).toBe(false);
    expect(await deliver(service.context, ...life().reverse())).toBe(false);
    expect(await Promise.all(submissions.map(outcomeOf))).toEqual(before);
  });

  it('and another with the same leads in the opposite order wait for each other without a deadlock', async () => {
    const submissions = Array.from({ length: 64 }, () => submissionOf(ACCEPTED_SUBMISSION));
    await deliver(service.context, ...submissions.map((one) => one.received()));
    const holder = await service.context.pool.connect();
    try {
      // Both get half-way before either goes on: each would hold what the other needs, were the order not the same.
      await holder.query('BEGIN');
      const middle = submissions[32]?.submissionId;
      await holder.query('SELECT FROM lead WHERE submission_id = $1 FOR UPDATE', [middle]);
      const both = Promise.all([
        deliver(service.context, ...submissions.map((one) => one.accepted())),
        deliver(service.context, ...submissions.map((one) => one.applicationCreated()).reverse()),
      ]);
      both.catch(() => {});
      await eventually('both sets wait for a lock', async () => (await waiting()) === 2);
      await holder.query('COMMIT');
      await both;
    } finally {
      holder.release();
    }
    const charges = await service.context.db.ledgerEntry.count({
      where: { submissionId: { in: submissions.map(({ submissionId }) => submissionId) } },
    });
    expect(charges).toBe(64);
  });

  it.each(['withoutTime', 'ofAnotherAccount'] as const)(
    'is refused as a whole for one event that breaks its contract (%s)',
    async (fault) => {
      const [good, bad] = [submissionOf(ACCEPTED_SUBMISSION), submissionOf(APPLICATION_CREATED)];
      const set = [good.accepted(), bad.received(), bad.broken[fault]()];
      await expect(deliver(service.context, ...set)).rejects.toThrow(/^invalid event\b/);
      for (const one of [good, bad]) {
        expect(await outcomeOf(one)).toEqual({ state: undefined, entries: undefined, emitted: [] });
      }
    },
  );

  it('takes three statements, and one when nothing moves', async () => {
    const submissions = Array.from({ length: 64 }, (_, index) =>
      submissionOf(MODELS[index % 3] ?? ACCEPTED_SUBMISSION),
    );
    expect(await statementsOf(submissions.flatMap((one) => [one.acceptedAndCleared(), one.returned()]))).toBe(
      3,
    );
    expect(await statementsOf(submissions.map((one) => one.accepted()))).toBe(1);
  });
});

/** How many statements `apply` sends for a set. */
async function statementsOf(envelopes: EventEnvelope[]): Promise<number> {
  const apply = applySubmissionEvents({ clock: { now: () => NOW }, wakes: relayWakes() });
  return inTransaction(service.context.pool, async (tx) => {
    const counted = countStatements(tx);
    await apply(tx, envelopes.map(domainEvent));
    return counted();
  });
}

async function waiting(): Promise<number> {
  const { rows } = await service.context.pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return rows[0]?.count ?? 0;
}

function ordersOf(items: number[]): number[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((first) =>
    ordersOf(items.filter((item) => item !== first)).map((rest) => [first, ...rest]),
  );
}
