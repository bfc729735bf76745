import { create } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { forAllTests, refused, startTestRpcServer } from '@supplier/lib/testing';
import { newId, type SubmissionId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { BillingService, EntryKind } from '@supplier/proto/billing/v1/billing';
import {
  BillingModel,
  BillingStatus,
  Environment,
  NotBillableReason,
} from '@supplier/proto/common/v1/status';
import { type SubmissionBilling, SubmissionBillingSchema } from '@supplier/proto/submission/v1/list_billing';
import {
  BILLABLE_AT,
  deliver,
  RETURNED_AT,
  type Submission,
  submissionOf,
} from '../../testing/submission-events.ts';
import { setPrice } from '../../testing/test-ledger.ts';
import { openTestService } from '../../testing/test-service.ts';
import { routes } from '../routes.ts';

/** Submissions known to the fake submission service. */
const submissions = new Map<SubmissionId, SubmissionBilling>();
let isAway = false;

const service = forAllTests(() =>
  openTestService({
    billingOf: async (submissionId) => {
      if (isAway) throw new ConnectError('The submission service is unavailable.', Code.Unavailable);
      return submissions.get(submissionId);
    },
  }),
);
const server = forAllTests(() => startTestRpcServer('billing', BillingService, routes(service.context)));

const getSubmissionLedger = (submissionId: string) =>
  server.as('casey', 'staff:viewer').getSubmissionLedger({ submissionId });

function knows({ submissionId, accountId }: Submission, billingStatus: BillingStatus) {
  const billing = {
    billingModel: BillingModel.ACCEPTED_SUBMISSION,
    billingStatus,
    ...(billingStatus === BillingStatus.BILLABLE
      ? { billableAt: toTimestamp(BILLABLE_AT) }
      : { notBillableReason: NotBillableReason.RETURNED }),
  };
  const environment = Environment.PRODUCTION;
  submissions.set(
    submissionId,
    create(SubmissionBillingSchema, { submissionId, accountId, environment, billing }),
  );
  return billing;
}

describe('GetSubmissionLedger', () => {
  it('returns the billing state of the submission service and the ledger lines, oldest first', async () => {
    const submission = submissionOf();
    const [billable, returned] = [submission.billable(), submission.returned()];
    const billing = knows(submission, BillingStatus.BILLABLE);
    await deliver(service.context, billable);
    expect(await getSubmissionLedger(submission.submissionId)).toMatchObject({
      submissionId: submission.submissionId,
      accountId: submission.accountId,
      environment: Environment.PRODUCTION,
      billing,
      entries: [{ kind: EntryKind.CHARGE, eventId: billable.id, occurredAt: toTimestamp(BILLABLE_AT) }],
    });

    await deliver(service.context, returned);
    const afterReturn = knows(submission, BillingStatus.NOT_BILLABLE);
    expect(await getSubmissionLedger(submission.submissionId.toUpperCase())).toMatchObject({
      billing: afterReturn,
      entries: [
        { kind: EntryKind.CHARGE, eventId: billable.id },
        { kind: EntryKind.CREDIT, eventId: returned.id, occurredAt: toTimestamp(RETURNED_AT) },
      ],
    });
  });

  it('tells a price of nothing from no price', async () => {
    const [unpriced, free] = [submissionOf(), submissionOf()];
    for (const submission of [unpriced, free]) {
      knows(submission, BillingStatus.BILLABLE);
      await deliver(service.context, submission.billable());
    }
    const { accountId } = free;
    const price = { accountId, billingModel: 'accepted_submission', pence: 0, setAt: BILLABLE_AT } as const;
    await setPrice(service.context, { ...price, effectiveFrom: BILLABLE_AT });
    const penceOf = async ({ submissionId }: Submission) =>
      (await getSubmissionLedger(submissionId)).entries[0]?.pence;
    expect([await penceOf(unpriced), await penceOf(free)]).toEqual([undefined, 0]);
  });

  it('returns no line for a submission that was never charged', async () => {
    const submission = submissionOf();
    const billing = knows(submission, BillingStatus.NOT_BILLABLE);
    expect(await getSubmissionLedger(submission.submissionId)).toMatchObject({ billing, entries: [] });
  });

  it('returns NOT_FOUND for a submission that the submission service does not know', async () => {
    for (const submissionId of [newId(), submissionOf().submissionId])
      expect(await refused(getSubmissionLedger(submissionId))).toMatchObject({
        code: 'NotFound',
        refusal: 'NOT_FOUND',
      });
  });

  it('returns UNAVAILABLE while the submission service does not respond', async () => {
    const submission = submissionOf();
    knows(submission, BillingStatus.BILLABLE);
    isAway = true;
    expect(await refused(getSubmissionLedger(submission.submissionId))).toMatchObject({
      code: 'Unavailable',
    });
    isAway = false;
    expect(await getSubmissionLedger(submission.submissionId)).toMatchObject({ entries: [] });
  });
});
