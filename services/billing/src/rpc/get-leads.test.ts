import { Code, type ConnectError } from '@connectrpc/connect';
import { newId } from '@supplier/lib/ids';
import { RefusalCode, refusalOf } from '@supplier/lib/refusal';
import { startTestRpcServer, type TestRpcServer } from '@supplier/lib/testing';
import { toTimestamp } from '@supplier/lib/time';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { BillingModel, BillingStatus, NotBillableReason } from '@supplier/proto/common/v1/status';
import { DECIDED_AT, deliver, submissionOf } from '../../testing/submission-events.ts';
import { openTestService, type TestService } from '../../testing/test-service.ts';
import { routes } from './index.ts';

let service: TestService;
let server: TestRpcServer<typeof BillingService>;
beforeAll(async () => {
  service = await openTestService();
  server = await startTestRpcServer('billing', BillingService, routes(service.context));
});
afterAll(async () => {
  await server?.close();
  await service?.close();
});

const getLeads = (submissionIds: string[]) =>
  server.as('submission', 'service:submission').getLeads({ submissionIds });

async function refusalFor(submissionIds: string[]) {
  const error = await getLeads(submissionIds).catch((refused: unknown) => refused);
  return { code: (error as ConnectError).code, refusal: refusalOf(error) };
}

describe('GetLeads', () => {
  it('answers with the billing of each submission that has a lead, and leaves the others out', async () => {
    const model = BillingModel.ACCEPTED_SUBMISSION;
    const [charged, back, waiting] = [submissionOf(model), submissionOf(model), submissionOf(model)];
    await deliver(service.context, charged.accepted(), back.accepted(), back.returned(), waiting.received());

    const ids = [back.submissionId.toUpperCase(), newId(), waiting.submissionId, charged.submissionId];
    const { leads } = await getLeads([...ids, charged.submissionId]);
    const billing = Object.fromEntries(leads.map((lead) => [lead.submissionId, lead.billing]));
    expect(leads).toHaveLength(3);
    expect(billing).toMatchObject({
      [charged.submissionId]: {
        billingModel: model,
        billingStatus: BillingStatus.BILLABLE,
        billableAt: toTimestamp(DECIDED_AT),
        notBillableReason: NotBillableReason.UNSPECIFIED,
      },
      [back.submissionId]: {
        billingStatus: BillingStatus.NOT_BILLABLE,
        notBillableReason: NotBillableReason.RETURNED,
      },
      [waiting.submissionId]: { billingStatus: BillingStatus.PENDING },
    });
    expect(billing[waiting.submissionId]?.billableAt).toBeUndefined();
  });

  it('answers for 64 submissions at once', async () => {
    const submissions = Array.from({ length: 64 }, () => submissionOf(BillingModel.ACCEPTED_SUBMISSION));
    await deliver(service.context, ...submissions.map((one) => one.accepted()));
    const { leads } = await getLeads(submissions.map(({ submissionId }) => submissionId));
    expect(leads).toHaveLength(64);
  });

  it('names the item that is no UUID', async () => {
    expect(await refusalFor([newId(), 'not-a-uuid', newId()])).toMatchObject({
      code: Code.InvalidArgument,
      refusal: {
        code: RefusalCode.VALIDATION_ERROR,
        violations: [{ path: 'submission_ids.1', message: 'must be a UUID' }],
      },
    });
  });

  it.each([[[]], [Array.from({ length: 65 }, () => newId())]])(
    'refuses none and more than 64',
    async (ids) => {
      expect(await refusalFor(ids)).toMatchObject({
        code: Code.InvalidArgument,
        refusal: { code: RefusalCode.VALIDATION_ERROR, violations: [{ path: 'submission_ids' }] },
      });
    },
  );
});
