import { refusalOf } from '@supplier/lib/rpc/refusal';
import { forAllTests } from '@supplier/lib/testing';
import { newId } from '@supplier/lib/text/ids';
import {
  BillingModel,
  BillingStatus,
  Environment,
  NotBillableReason,
  Status,
} from '@supplier/proto/common/v1/status';
import { openTestService } from '../../testing/test-service.ts';

const service = forAllTests(() => openTestService());

const listBilling = (submissionIds: string[]) => service.as('webhook').listBilling({ submissionIds });

describe('ListBilling', () => {
  it('returns the status and billing of each existing submission once, and of no other', async () => {
    const waiting = await service.submitUndecided();
    const played = await service.submit({ environment: Environment.SANDBOX });
    await service.decide(played.id);
    const { submissions } = await listBilling([waiting.id, newId(), played.id.toUpperCase(), waiting.id]);
    expect(submissions).toHaveLength(2);
    const byId = Object.fromEntries(submissions.map((one) => [one.submissionId, one]));
    expect(byId).toMatchObject({
      [waiting.id]: {
        environment: Environment.PRODUCTION,
        status: Status.RECEIVED,
        externalReference: waiting.submission.externalReference,
        billing: { billingStatus: BillingStatus.PENDING, billingModel: BillingModel.ACCEPTED_SUBMISSION },
      },
      [played.id]: {
        environment: Environment.SANDBOX,
        status: Status.ACCEPTED,
        billing: {
          billingStatus: BillingStatus.NOT_BILLABLE,
          notBillableReason: NotBillableReason.SANDBOX,
        },
      },
    });
  });

  it('rejects a value that is not a UUID', async () => {
    const error = await listBilling(['nobody']).catch((refused: unknown) => refused);
    expect(refusalOf(error)?.violations).toMatchObject([{ path: 'submission_ids' }]);
  });
});
