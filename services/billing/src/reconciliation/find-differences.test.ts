import { type AccountId, newId, type SubmissionId } from '@supplier/lib/ids';
import { BillingModel, Environment } from '@supplier/proto/common/v1/status';
import { charge, leadOf } from '../../testing/ledger.ts';
import { DECIDED_AT, deliver, submissionOf } from '../../testing/submission-events.ts';
import { openTestService, type TestService } from '../../testing/test-service.ts';
import type { ShownSubmission } from '../domain/reconciliation.ts';
import { findDifferences } from './find-differences.ts';

const AT = '2026-11-01T10:00:00.111Z';

let service: TestService;
let accountId: AccountId;
beforeAll(async () => {
  service = await openTestService();
});
beforeEach(() => {
  accountId = newId<AccountId>();
});
afterAll(() => service?.close());

const billable = (submissionId: SubmissionId): ShownSubmission => ({
  submissionId,
  accountId,
  environment: 'production',
  isDecided: true,
  billingStatus: 'billable',
  billableAt: DECIDED_AT,
});
const notBillable = (submissionId: SubmissionId): ShownSubmission => ({
  ...billable(submissionId),
  billingStatus: 'not_billable',
  billableAt: null,
});

/** Compares what is shown with the ledger. */
const differencesOf = (shown: readonly ShownSubmission[], settle: () => Promise<unknown> = async () => {}) =>
  findDifferences(
    {
      pool: service.context.pool,
      listShown: async (some) => shown.filter(({ submissionId }) => some.includes(submissionId)),
      settle,
    },
    shown.map(({ submissionId }) => submissionId),
  );

const faultsOf = async (shown: readonly ShownSubmission[]) =>
  (await differencesOf(shown)).map(({ fault }) => fault);

describe('comparing the ledger with what is shown', () => {
  it('finds nothing wrong with what is billed as it is shown', async () => {
    const charged = await charge(service.context, accountId, AT);
    const back = await charge(service.context, accountId, AT);
    await deliver(service.context, back.returned());
    const waiting = submissionOf(BillingModel.APPLICATION_CREATED, Environment.PRODUCTION, { accountId });
    await deliver(service.context, waiting.accepted());
    const shown = [
      billable(charged.submissionId),
      notBillable(back.submissionId),
      { ...notBillable(waiting.submissionId), billingStatus: 'pending' },
      { ...notBillable(newId<SubmissionId>()), billingStatus: 'pending', isDecided: false },
      { ...notBillable(newId<SubmissionId>()), environment: 'sandbox' },
    ] as const;
    expect(await differencesOf(shown)).toEqual([]);
  });

  it('finds each difference, and says of whom it is', async () => {
    const charged = await charge(service.context, accountId, AT);
    const back = await charge(service.context, accountId, AT);
    await deliver(service.context, back.returned());
    const waiting = leadOf(accountId, AT);
    await deliver(service.context, waiting.received());
    const { submissionId } = charged;
    expect(await faultsOf([notBillable(submissionId)])).toEqual(['not_credited']);
    expect(await faultsOf([{ ...billable(submissionId), billableAt: new Date(0) }])).toEqual(['other_time']);
    expect(await faultsOf([{ ...billable(submissionId), accountId: newId<AccountId>() }])).toEqual([
      'other_account',
    ]);
    expect(await faultsOf([billable(back.submissionId)])).toEqual(['credited']);
    expect(await faultsOf([billable(waiting.submissionId)])).toEqual(['not_charged']);
    expect(await faultsOf([notBillable(waiting.submissionId)])).toEqual(['other_status']);
    const unknown = billable(newId<SubmissionId>());
    expect(await differencesOf([unknown, billable(submissionId)])).toEqual([
      { fault: 'unknown_lead', shown: unknown },
    ]);
  });

  it('forgets a difference that was on its way', async () => {
    const lead = leadOf(accountId, AT);
    const arrives = () => deliver(service.context, lead.accepted());
    expect(await differencesOf([billable(lead.submissionId)], arrives)).toEqual([]);
  });
});
