import { inTransaction } from '@supplier/lib/data/postgres';
import { countStatements, eventually, forAllTests } from '@supplier/lib/testing';
import { type AccountId, newId } from '@supplier/lib/text/ids';
import { BillingModel, Environment } from '@supplier/proto/common/v1/status';
import {
  BILLABLE_AT,
  deliver,
  RETURNED_AT,
  type Submission,
  type SubmissionEvent,
  submissionOf,
} from '../../testing/submission-events.ts';
import { linesOf, setPrice } from '../../testing/test-ledger.ts';
import { openTestService } from '../../testing/test-service.ts';
import { findLines } from '../store/ledger.sql.ts';
import { applySubmissionEvents } from './apply-submission-events.ts';

const service = forAllTests(() => openTestService());

const entriesOf = ({ submissionId }: Submission) => findLines(service.context.pool, submissionId);

describe('applySubmissionEvents', () => {
  it.each([
    BillingModel.ACCEPTED_SUBMISSION,
    BillingModel.APPLICATION_CREATED,
    BillingModel.PRE_UNDERWRITING_CLEARED,
  ])('posts a charge at billable_at for a billable event under model %s', async (billingModel) => {
    const submission = submissionOf({ billingModel });
    const event = submission.billable();
    await deliver(service.context, event);
    expect(await entriesOf(submission)).toMatchObject([
      { kind: 'charge', occurredAt: BILLABLE_AT, eventId: event.id },
    ]);
    expect(
      await service.context.db.ledgerEntry.findFirst({ where: { submissionId: submission.submissionId } }),
    ).toMatchObject({
      accountId: submission.accountId,
      billingModel: BillingModel[billingModel].toLowerCase(),
    });
  });

  it('posts a credit at returned_at for a returned event, and the charge if there is none', async () => {
    const [charged, returned] = [submissionOf(), submissionOf()];
    const [billable, first, second] = [charged.billable(), charged.returned(), returned.returned()];
    await deliver(service.context, billable);
    await deliver(service.context, first, second);
    expect(await entriesOf(charged)).toMatchObject([
      { kind: 'charge', occurredAt: BILLABLE_AT, eventId: billable.id },
      { kind: 'credit', occurredAt: RETURNED_AT, eventId: first.id },
    ]);
    expect(await entriesOf(returned)).toMatchObject([
      { kind: 'charge', occurredAt: BILLABLE_AT, eventId: second.id },
      { kind: 'credit', occurredAt: RETURNED_AT, eventId: second.id },
    ]);
  });

  it.each(['received', 'accepted', 'rejected', 'duplicate', 'sandbox'] as const)(
    'posts nothing for a %s event',
    async (state) => {
      const environment = state === 'sandbox' ? Environment.SANDBOX : Environment.PRODUCTION;
      const submission = submissionOf({ environment });
      await deliver(service.context, submission[state]());
      expect(await entriesOf(submission)).toEqual([]);
    },
  );

  it.each(Object.keys(submissionOf().broken) as (keyof Submission['broken'])[])(
    'fails for an event that is %s and posts nothing from its set',
    async (fault) => {
      const [good, bad] = [submissionOf(), submissionOf()];
      const set = deliver(service.context, good.billable(), bad.broken[fault]());
      await expect(set).rejects.toThrow(/^(invalid billing state|the enum value)/);
      expect([await entriesOf(good), await entriesOf(bad)]).toEqual([[], []]);
    },
  );
});

describe('an event without the billing time', () => {
  it('posts no line when accepted and pending, and does not block a later charge', async () => {
    const submission = submissionOf();
    await deliver(service.context, submission.accepted());
    expect(await entriesOf(submission)).toEqual([]);
    await deliver(service.context, submission.billable(), submission.accepted());
    expect(await entriesOf(submission)).toMatchObject([{ kind: 'charge' }]);
  });

  it('credits a charge at its price when returned, whether the charge came earlier or in the same set', async () => {
    const accountId = newId<AccountId>();
    await price(accountId, 2_500, BILLABLE_AT);
    await price(accountId, 9_900, RETURNED_AT);
    const [before, together] = [submissionOf({ accountId }), submissionOf({ accountId })];
    await deliver(service.context, before.billable());
    await deliver(service.context, before.returnedWithoutTime());
    await deliver(service.context, together.returnedWithoutTime(), together.billable());
    for (const submission of [before, together])
      expect(await entriesOf(submission)).toMatchObject([
        { kind: 'charge', pence: 2_500 },
        { kind: 'credit', pence: 2_500, occurredAt: RETURNED_AT },
      ]);
  });

  it('posts nothing for a returned submission that was never charged', async () => {
    for (const environment of [Environment.PRODUCTION, Environment.SANDBOX]) {
      const submission = submissionOf({ environment });
      await deliver(service.context, submission.returnedWithoutTime());
      expect(await entriesOf(submission)).toEqual([]);
    }
  });
});

describe('a set of events', () => {
  it('takes two statements, and none when it posts nothing', async () => {
    const submissions = Array.from({ length: 64 }, () => submissionOf());
    expect(await statementsOf(submissions.map((one) => one.returned()))).toBe(2);
    expect(await statementsOf(submissions.map((one) => one.accepted()))).toBe(0);
  });

  it('waits for a set with the same submissions in the opposite order without a deadlock', async () => {
    const accountId = newId<AccountId>();
    const submissions = Array.from({ length: 64 }, () => submissionOf({ accountId }));
    const holder = await service.context.pool.connect();
    try {
      // One set stops half-way: if the other started at the opposite end, each would hold a lock that the other needs.
      await holder.query('BEGIN');
      await holder.query(
        `INSERT INTO ledger_entry (id, submission_id, account_id, kind, billing_model, occurred_at, event_id)
         VALUES (gen_random_uuid(), $1, $2, 'charge', 'accepted_submission', now(), gen_random_uuid())`,
        [submissions[32]?.submissionId, accountId],
      );
      const both = Promise.all([
        deliver(service.context, ...submissions.map((one) => one.billable())),
        deliver(service.context, ...submissions.map((one) => one.returned()).reverse()),
      ]);
      both.catch(() => {});
      await eventually('both sets wait for a lock', async () => (await waiting()) === 2);
      await holder.query('ROLLBACK');
      await both;
    } finally {
      holder.release();
    }
    expect(await linesOf(service.context, accountId)).toHaveLength(128);
  });
});

const price = (accountId: AccountId, pence: number, effectiveFrom: Date) =>
  setPrice(service.context, {
    accountId,
    billingModel: 'accepted_submission',
    pence,
    effectiveFrom,
    setAt: effectiveFrom,
  });

function statementsOf(events: readonly SubmissionEvent[]): Promise<number> {
  return inTransaction(service.context.pool, async (tx) => {
    const counted = countStatements(tx);
    await applySubmissionEvents(tx, events);
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
