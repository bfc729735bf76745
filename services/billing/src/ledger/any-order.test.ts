import { forAllTests } from '@supplier/lib/testing';
import { type AccountId, newId } from '@supplier/lib/text/ids';
import { BillingModel } from '@supplier/proto/common/v1/status';
import {
  BILLABLE_AT,
  deliver,
  RETURNED_AT,
  type Submission,
  type SubmissionEvent,
  submissionOf,
} from '../../testing/submission-events.ts';
import { setPrice } from '../../testing/test-ledger.ts';
import { openTestService } from '../../testing/test-service.ts';
import { BILLING_MODELS, nameOf } from '../model/messages.ts';

const MODELS = [
  BillingModel.ACCEPTED_SUBMISSION,
  BillingModel.APPLICATION_CREATED,
  BillingModel.PRE_UNDERWRITING_CLEARED,
] as const;

const CHARGE = { kind: 'charge', at: BILLABLE_AT.toISOString(), pence: 2_500 };
const CREDIT = { kind: 'credit', at: RETURNED_AT.toISOString(), pence: 2_500 };

/** The events of a submission, and the lines implied by its final state. */
const LIVES: [events: (submission: Submission) => SubmissionEvent[], lines: object[]][] = [
  [(s) => [s.received(), s.accepted(), s.accepted()], []],
  [(s) => [s.received(), s.rejected(), s.rejected()], []],
  [(s) => [s.received(), s.duplicate(), s.duplicate()], []],
  [(s) => [s.accepted(), s.returnedWithoutTime(), s.returnedWithoutTime()], []],
  [(s) => [s.accepted(), ...twice(s.billable()), s.billable()], [CHARGE]],
  [(s) => [s.billable(), s.billable(), s.returned(), s.returned()], [CHARGE, CREDIT]],
  [(s) => [...twice(s.billable()), ...twice(s.returned())], [CHARGE, CREDIT]],
  [(s) => [s.accepted(), s.billable(), s.returned(), s.returned()], [CHARGE, CREDIT]],
];

/** Number of submissions whose events share a set. */
const AT_ONCE = 50;
const SEED = 20_261_126;

const service = forAllTests(() => openTestService());

describe('the ledger', () => {
  it.each(MODELS)(
    'has the lines implied by the final state, for every order and every split into sets, under model %s',
    async (billingModel) => {
      const accountId = newId<AccountId>();
      await setPrices(accountId, billingModel);
      const cases = LIVES.flatMap(([eventsOf, lines]) =>
        arrivalsOf(eventsOf(submissionOf()).length).map((arrival) => {
          const submission = submissionOf({ accountId, billingModel });
          const events = eventsOf(submission);
          const sets = arrival.map((places) => places.map((place) => events[place] as SubmissionEvent));
          return { submissionId: submission.submissionId, sets, lines };
        }),
      );
      shuffle(cases);
      for (let from = 0; from < cases.length; from += AT_ONCE) {
        const some = cases.slice(from, from + AT_ONCE);
        for (let step = 0; some.some(({ sets }) => step < sets.length); step += 1)
          await deliver(service.context, ...some.flatMap(({ sets }) => sets[step] ?? []));
      }
      const ledger = await ledgerOf(accountId);
      for (const { submissionId, lines } of cases) expect(ledger.get(submissionId) ?? []).toEqual(lines);
      expect(cases).toHaveLength(4 * 24 + 4 * 192);
    },
    60_000,
  );
});

/** Duplicates a delivery by the stream. A redelivery by the submission service is a separate event. */
function twice(event: SubmissionEvent): SubmissionEvent[] {
  return [event, event];
}

/** Sets prices such that the submission becomes billable at the first and is returned at the second. */
async function setPrices(accountId: AccountId, model: (typeof MODELS)[number]): Promise<void> {
  const billingModel = nameOf(BILLING_MODELS, model);
  for (const [pence, effectiveFrom] of [[2_500, BILLABLE_AT] as const, [9_900, RETURNED_AT] as const])
    await setPrice(service.context, {
      accountId,
      billingModel,
      pence,
      effectiveFrom,
      setAt: effectiveFrom,
    });
}

async function ledgerOf(accountId: AccountId) {
  const entries = await service.context.db.ledgerEntry.findMany({
    where: { accountId },
    orderBy: { kind: 'asc' },
  });
  return new Map(
    [...Map.groupBy(entries, ({ submissionId }) => submissionId)].map(([submissionId, lines]) => [
      submissionId,
      lines.map(({ kind, occurredAt, pence }) => ({ kind, at: occurredAt.toISOString(), pence })),
    ]),
  );
}

/** Returns every order of `count` events, in every split into sets. */
function arrivalsOf(count: number): number[][][] {
  return ordersOf(Array.from({ length: count }, (_, place) => place)).flatMap(splitsOf);
}

function ordersOf(items: number[]): number[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((first) =>
    ordersOf(items.filter((item) => item !== first)).map((rest) => [first, ...rest]),
  );
}

function splitsOf(items: number[]): number[][][] {
  if (items.length === 0) return [[]];
  return items.flatMap((_, last) =>
    splitsOf(items.slice(last + 1)).map((rest) => [items.slice(0, last + 1), ...rest]),
  );
}

/** Shuffles in place, identically in every run. */
function shuffle(items: unknown[]): void {
  let seed = SEED;
  for (let place = items.length - 1; place > 0; place -= 1) {
    seed = (seed * 48_271) % 2_147_483_647;
    const other = seed % (place + 1);
    [items[place], items[other]] = [items[other], items[place]];
  }
}
