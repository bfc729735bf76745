import { Code, createClient, createRouterTransport } from '@connectrpc/connect';
import { newId } from '@supplier/lib/ids';
import { RefusalCode, refusalOf } from '@supplier/lib/refusal';
import { toTimestamp } from '@supplier/lib/time';
import { BillingService, EntryKind } from '@supplier/proto/billing/v1/billing';
import {
  BillingModel,
  BillingStatus,
  Environment,
  NotBillableReason,
} from '@supplier/proto/common/v1/status';
import { DECIDED_AT, deliver, RETURNED_AT, submissionOf } from '../../testing/submission-events.ts';
import { openTestService, type TestService } from '../../testing/test-service.ts';
import { routes } from './index.ts';

let service: TestService;
beforeAll(async () => {
  service = await openTestService();
});
afterAll(() => service?.close());

const getLead = (submissionId: string) =>
  createClient(BillingService, createRouterTransport(routes(service.context))).getLead({ submissionId });

describe('GetLead', () => {
  it('answers with the state and the ledger lines, oldest first', async () => {
    const submission = submissionOf(BillingModel.ACCEPTED_SUBMISSION);
    const [accepted, returned] = [submission.accepted(), submission.returned()];
    await deliver(service.context, accepted);
    expect(await getLead(submission.submissionId)).toMatchObject({
      submissionId: submission.submissionId,
      accountId: submission.accountId,
      environment: Environment.PRODUCTION,
      billing: {
        billingModel: BillingModel.ACCEPTED_SUBMISSION,
        billingStatus: BillingStatus.BILLABLE,
        billableAt: toTimestamp(DECIDED_AT),
        notBillableReason: NotBillableReason.UNSPECIFIED,
      },
      entries: [{ kind: EntryKind.CHARGE, eventId: accepted.eventId, occurredAt: toTimestamp(DECIDED_AT) }],
    });

    await deliver(service.context, returned);
    const lead = await getLead(submission.submissionId.toUpperCase());
    expect(lead.billing).toMatchObject({
      billingStatus: BillingStatus.NOT_BILLABLE,
      notBillableReason: NotBillableReason.RETURNED,
    });
    expect(lead.billing?.billableAt).toBeUndefined();
    expect(lead.entries).toMatchObject([
      { kind: EntryKind.CHARGE, eventId: accepted.eventId },
      { kind: EntryKind.CREDIT, eventId: returned.eventId, occurredAt: toTimestamp(RETURNED_AT) },
    ]);
  });

  it('answers NOT_FOUND while billing has no lead for the submission', async () => {
    const error = await getLead(newId()).catch((refused: unknown) => refused);
    expect(error).toMatchObject({ code: Code.NotFound });
    expect(refusalOf(error)?.code).toBe(RefusalCode.NOT_FOUND);
  });
});
