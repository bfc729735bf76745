import {
  BillingModel,
  BillingStatus,
  Environment,
  NotBillableReason,
  Status,
} from '@supplier/proto/common/v1/status';
import { deliver, emittedEvents, type Submission, submissionOf } from '../../testing/submission-events.ts';
import { openTestService, type TestService } from '../../testing/test-service.ts';

let service: TestService;
beforeAll(async () => {
  service = await openTestService();
});
afterAll(async () => {
  await service?.close();
});

/** Everything billing knows of a submission, but for the version it has seen last. */
async function ledgerOf({ submissionId }: Submission) {
  const { lastSeenVersion, ...lead } = await service.context.db.lead.findUniqueOrThrow({
    where: { submissionId },
    include: { entries: true },
  });
  return { lead, emitted: await emittedEvents(service.context, submissionId) };
}

describe('a status that is published again moves nothing', () => {
  it.each<[string, (submission: Submission) => ReturnType<Submission['accepted']>[]]>([
    ['a lead that waits', ({ received }) => [received()]],
    ['a charged lead', ({ accepted }) => [accepted()]],
    [
      'a charged lead with its Application',
      (s) => [s.accepted(), s.applicationCreated(), s.acceptedWithApplication()],
    ],
    ['a charged lead whose pre-underwriting is cleared', (s) => [s.acceptedAndCleared()]],
    ['a rejected lead', ({ rejected }) => [rejected()]],
    ['a duplicate', ({ duplicate }) => [duplicate()]],
    ['a returned lead', ({ accepted, returned }) => [accepted(), returned()]],
  ])('of %s, under every model', async (_, life) => {
    for (const model of [
      BillingModel.ACCEPTED_SUBMISSION,
      BillingModel.APPLICATION_CREATED,
      BillingModel.PRE_UNDERWRITING_CLEARED,
    ]) {
      for (const environment of [Environment.PRODUCTION, Environment.SANDBOX]) {
        const submission = submissionOf(model, environment);
        for (const event of life(submission)) await deliver(service.context, event);
        const before = await ledgerOf(submission);
        // The latest status, in events of their own: what a test event and a redelivery look like from here.
        for (const event of [life(submission).at(-1), life(submission).at(-1)]) {
          if (event) await deliver(service.context, event);
        }
        expect(await ledgerOf(submission)).toEqual(before);
      }
    }
  });
});

describe('a restated lead', () => {
  const MODELS = [
    [BillingModel.ACCEPTED_SUBMISSION],
    [BillingModel.APPLICATION_CREATED],
    [BillingModel.PRE_UNDERWRITING_CLEARED],
  ];

  it.each(MODELS)('is charged once when its events were missed, under model %s', async (model) => {
    const submission = submissionOf(model);
    expect(await deliver(service.context, submission.restated(Status.ACCEPTED))).toBe(true);
    const { lead, emitted } = await ledgerOf(submission);
    expect(lead).toMatchObject({ billingStatus: 'billable', entries: [{ kind: 'charge' }] });
    expect(emitted).toMatchObject([
      { aggregateVersion: 1n, message: { billing: { billingStatus: BillingStatus.BILLABLE } } },
    ]);
  });

  it.each(MODELS)(
    'that is shown as pending has its decision emitted again, under model %s',
    async (model) => {
      const submission = submissionOf(model);
      await deliver(service.context, submission.acceptedAndCleared());
      const before = await ledgerOf(submission);
      expect(await deliver(service.context, submission.restated(Status.ACCEPTED))).toBe(true);

      const { lead, emitted } = await ledgerOf(submission);
      expect(lead).toEqual({ ...before.lead, version: 2n });
      expect(emitted).toHaveLength(2);
      expect(emitted[1]).toMatchObject({ aggregateVersion: 2n, message: before.emitted[0]?.message });
      expect(emitted[1]?.eventId).not.toBe(emitted[0]?.eventId);
    },
  );

  it.each([
    ['rejected', Status.REJECTED, NotBillableReason.REJECTED],
    ['duplicate', Status.DUPLICATE_NOT_ACCEPTED, NotBillableReason.DUPLICATE],
  ] as const)('that was %s is emitted again as not billable', async (reason, status, notBillableReason) => {
    const submission = submissionOf(BillingModel.ACCEPTED_SUBMISSION);
    await deliver(service.context, submission[reason](), submission.restated(status));
    const { emitted } = await ledgerOf(submission);
    expect(emitted.map(({ message }) => message.billing)).toMatchObject([
      { billingStatus: BillingStatus.NOT_BILLABLE, notBillableReason },
      { billingStatus: BillingStatus.NOT_BILLABLE, notBillableReason },
    ]);
  });

  it.each(MODELS)(
    'that billing has lost is charged from the time that its supplier is shown, and told once, under model %s',
    async (model) => {
      const submission = submissionOf(model);
      const billableAt = new Date('2026-11-03T09:00:00.007Z');
      const event = () => submission.restated(Status.ACCEPTED, BillingStatus.BILLABLE, billableAt);
      await deliver(service.context, event());
      await deliver(service.context, event());
      const { lead, emitted } = await ledgerOf(submission);
      expect(lead).toMatchObject({
        billingStatus: 'billable',
        billableAt,
        entries: [{ kind: 'charge', occurredAt: billableAt }],
      });
      expect(emitted).toHaveLength(1);
    },
  );

  it.each(MODELS)(
    'that staff had ended before billing lost it stays so, whatever has come since, under model %s',
    async (model) => {
      const submission = submissionOf(model);
      const later = [submission.applicationCreated(), submission.cleared(), submission.accepted()];
      await deliver(
        service.context,
        submission.restated(Status.ACCEPTED, BillingStatus.NOT_BILLABLE),
        ...later,
      );
      const { lead } = await ledgerOf(submission);
      expect(lead).toMatchObject({
        billingStatus: 'not_billable',
        notBillableReason: 'rejected',
        entries: [],
      });
    },
  );

  it('that is shown as billing has decided it is not emitted again', async () => {
    const submission = submissionOf(BillingModel.ACCEPTED_SUBMISSION);
    await deliver(service.context, submission.accepted());
    const before = await ledgerOf(submission);
    expect(await deliver(service.context, submission.restated(Status.ACCEPTED, BillingStatus.BILLABLE))).toBe(
      false,
    );
    expect(await ledgerOf(submission)).toEqual(before);
  });

  it('that was returned is not emitted again, and neither is one that still waits', async () => {
    const back = submissionOf(BillingModel.ACCEPTED_SUBMISSION);
    const waiting = submissionOf(BillingModel.ACCEPTED_SUBMISSION);
    await deliver(service.context, back.accepted(), back.returned(), waiting.received());
    const before = await Promise.all([back, waiting].map(ledgerOf));
    expect(
      await deliver(service.context, back.restated(Status.ACCEPTED), waiting.restated(Status.RECEIVED)),
    ).toBe(false);
    expect(await Promise.all([back, waiting].map(ledgerOf))).toEqual(before);
  });
});

describe('a lead that staff close without a return', () => {
  it.each(['closed', 'restatedAsClosed'] as const)(
    'and that is %s ends its billing once, without a line, where it waited for pre-underwriting',
    async (event) => {
      const submission = submissionOf(BillingModel.PRE_UNDERWRITING_CLEARED);
      for (const next of [submission.acceptedAndQueued(), submission[event](), submission.closed()]) {
        await deliver(service.context, next);
      }
      const { lead, emitted } = await ledgerOf(submission);
      expect(lead).toMatchObject({
        billingStatus: 'not_billable',
        notBillableReason: 'rejected',
        entries: [],
      });
      expect(emitted.map(({ message }) => message.billing)).toMatchObject([
        { billingStatus: BillingStatus.NOT_BILLABLE, notBillableReason: NotBillableReason.REJECTED },
      ]);
    },
  );
});
