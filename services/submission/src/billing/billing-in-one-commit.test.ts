import { fromBinary } from '@bufbuild/protobuf';
import { forAllTests } from '@supplier/lib/testing';
import { type AccountId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { toDate } from '@supplier/lib/text/time';
import { ScreeningResult } from '@supplier/proto/common/v1/enquiry';
import { EventEnvelopeSchema } from '@supplier/proto/common/v1/event';
import { ApplicationMinting, PreUnderwritingFailure } from '@supplier/proto/common/v1/principal';
import {
  BillingModel,
  BillingStatus,
  Level,
  ReturnReasonCategory,
  Status,
} from '@supplier/proto/common/v1/status';
import { StatusChange, SubmissionStatusChangedSchema } from '@supplier/proto/submission/v1/events';
import { CloseReason } from '@supplier/proto/submission/v1/pending_billing';
import { PreUnderwritingState } from '@supplier/proto/submission/v1/submission';
import { basicSubmissions } from '../../testing/basic-submissions.ts';
import { openTestService } from '../../testing/test-service.ts';

const service = forAllTests(() => openTestService());

const MODELS = {
  accepted_submission: BillingModel.ACCEPTED_SUBMISSION,
  application_created: BillingModel.APPLICATION_CREATED,
  pre_underwriting_cleared: BillingModel.PRE_UNDERWRITING_CLEARED,
} as const;
type Model = keyof typeof MODELS;
const FAILING = { creditScreening: { provider: 'p', unsatisfiedCcjs: ScreeningResult.FAIL } };

/** Maps each act to the acts that may follow it. */
const ACTS = {
  promote: (id: SubmissionId, accountId: AccountId) =>
    basicSubmissions(service)
      .promote({ id, accountId }, { enquiry: FAILING })
      .then(() => service.work()),
  clear: (submissionId: SubmissionId) =>
    service.staff.completePreUnderwriting({ submissionId, outcome: PreUnderwritingState.CLEARED }),
  closeLate: async (submissionId: SubmissionId) => {
    service.at('2027-02-20T10:00:00Z');
    await service.staff.completePreUnderwriting({
      submissionId,
      outcome: PreUnderwritingState.NOT_CLEARED,
      closeReason: 'seen',
    });
  },
  close: (submissionId: SubmissionId) =>
    service.staff.closePendingBilling({ submissionId, closeReason: CloseReason.OTHER }),
  return: (submissionId: SubmissionId) =>
    service.staff.returnSubmission({ submissionId, reasonCategory: ReturnReasonCategory.OVERDUE_FILINGS }),
} as const;
type Act = keyof typeof ACTS;
const FOLLOWS: Readonly<Record<Act | 'accepted', readonly Act[]>> = {
  accepted: ['promote', 'close', 'return'],
  promote: ['clear', 'closeLate', 'return'],
  clear: ['return'],
  closeLate: [],
  close: ['return'],
  return: [],
};

/** Returns every sequence of acts after a basic submission is accepted, up to an act that nothing can follow. */
function sequences(after: Act | 'accepted' = 'accepted'): Act[][] {
  if (FOLLOWS[after].length === 0) return [[]];
  return FOLLOWS[after].flatMap((act) => sequences(act).map((rest) => [act, ...rest]));
}

async function rowOf(id: SubmissionId) {
  return service.context.db.submission.findUniqueOrThrow({ where: { id } });
}

async function eventsOf(id: SubmissionId) {
  const rows = await service.context.db.domainEvent.findMany({
    where: { aggregateId: id },
    orderBy: { eventId: 'asc' },
  });
  return rows.map(({ subject, type, envelope }) => ({
    type,
    isForLedger: subject.endsWith('.billing'),
    message: fromBinary(SubmissionStatusChangedSchema, fromBinary(EventEnvelopeSchema, envelope).payload),
  }));
}

/** Returns the time of the only charge that the events add up to, in any order; null for none. */
function chargeOf(events: Awaited<ReturnType<typeof eventsOf>>): Date | null {
  const times = events.flatMap(({ isForLedger, message: { submission, wasBillableAt } }) => {
    const at = wasBillableAt ?? submission?.billing?.billableAt;
    return isForLedger && at ? [toDate(at).getTime()] : [];
  });
  expect(new Set(times).size).toBeLessThanOrEqual(1);
  return times[0] === undefined ? null : new Date(times[0]);
}

/** Expects the events to tell the state of the row, and to add up to its only charge. */
async function expectEventsOf(id: SubmissionId, wasBillableAt: Date | null): Promise<void> {
  const row = await rowOf(id);
  const events = await eventsOf(id);
  expect(new Set(events.map(({ type }) => type))).toEqual(new Set([SubmissionStatusChangedSchema.typeName]));
  expect(events.at(-1)?.message.submission).toMatchObject({
    status: row.status,
    billing: { billingStatus: row.billingStatus, notBillableReason: row.notBillableReason },
  });
  expect(chargeOf(events)).toEqual(wasBillableAt);
  const returned = events.filter(({ message }) => message.change === StatusChange.RETURNED);
  for (const { message, isForLedger } of returned) {
    expect(Boolean(message.wasBillableAt)).toBe(wasBillableAt !== null);
    expect(isForLedger).toBe(wasBillableAt !== null);
  }
}

const CASES = (Object.keys(MODELS) as Model[]).flatMap((model) =>
  sequences().map((acts) => [model, acts.join(', '), acts] as const),
);

describe('a submission accepted at basic level', () => {
  beforeEach(() => service.at('2026-11-20T10:00:00Z'));

  it.each(CASES)(
    'billed by %s, then %s: emits one event for each change, matching the row',
    async (model, _, acts) => {
      const accountId = newId<AccountId>();
      const { id } = await service.submit({
        accountId,
        level: Level.BASIC,
        terms: {
          billingModel: MODELS[model],
          applicationMinting: ApplicationMinting.ON_PROMOTION,
          preUnderwritingFailure: PreUnderwritingFailure.QUEUE_FOR_STAFF,
        },
      });
      let wasBillableAt = (await rowOf(id)).billableAt;
      await expectEventsOf(id, wasBillableAt);
      for (const act of acts) {
        const before = await rowOf(id);
        // Staff can't close billing that is already billable or was promoted.
        if (act === 'close' && before.billingStatus !== BillingStatus.PENDING) {
          await expect(ACTS.close(id)).rejects.toThrow('not pending');
          continue;
        }
        const events = (await eventsOf(id)).length;
        await ACTS[act](id, accountId);
        const after = await rowOf(id);
        const isVisible = after.status !== before.status || after.billingStatus !== before.billingStatus;
        expect((await eventsOf(id)).length - events).toBe(isVisible ? 1 : 0);
        wasBillableAt ??= after.billableAt;
        await expectEventsOf(id, wasBillableAt);
      }
    },
  );
});

describe.each(Object.entries(MODELS))(
  'a submission accepted at application level, billed by %s',
  (_, billingModel) => {
    it('is decided, gets its Application, is cleared and becomes billable in one event', async () => {
      const { id } = await service.submit({ terms: { billingModel } });
      await service.decide(id);
      const [event, ...others] = await eventsOf(id);
      expect(others).toEqual([]);
      expect(event).toMatchObject({
        isForLedger: true,
        message: {
          change: StatusChange.DECIDED,
          submission: { status: Status.ACCEPTED, billing: { billingStatus: BillingStatus.BILLABLE } },
        },
      });
    });

    it('emits a second event for the return when pre-underwriting fails, stating whether it had been billable', async () => {
      const { id } = await service.submit({ terms: { billingModel }, enquiry: FAILING });
      await service.decide(id);
      const events = await eventsOf(id);
      const wasBillable = billingModel !== BillingModel.PRE_UNDERWRITING_CLEARED;
      expect(events).toMatchObject([
        { isForLedger: wasBillable, message: { change: StatusChange.DECIDED } },
        { isForLedger: wasBillable, message: { change: StatusChange.RETURNED } },
      ]);
      const [accepted, returned] = events;
      expect(accepted?.message.submission?.billing?.billingStatus).toBe(
        wasBillable ? BillingStatus.BILLABLE : BillingStatus.PENDING,
      );
      expect(returned?.message.wasBillableAt).toEqual(accepted?.message.submission?.billing?.billableAt);
    });
  },
);
