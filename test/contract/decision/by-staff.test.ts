import { create } from '@bufbuild/protobuf';
import { DecisionMode } from '@supplier/proto/common/v1/principal';
import { Status } from '@supplier/proto/common/v1/status';
import { DecideSubmissionRequestSchema } from '@supplier/proto/submission/v1/staff_decisions';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { newSupplier } from '../../harness/accounts.ts';
import { enquiry } from '../../harness/enquiries.ts';
import { grpcCall } from '../../harness/grpc.ts';
import { submissionOf } from '../../harness/responses.ts';
import { readStack } from '../../harness/stack.ts';
import { created } from '../../harness/suppliers.ts';

// A new account, because another test uses the webhooks of the seeded one.
const staffed = await newSupplier({ decisionMode: DecisionMode.STAFF });
const reason = 'looked at by hand';

describe('an account whose decisions are made by staff', () => {
  it('staff accept a submission through gRPC and get its application in the same response', async () => {
    const { submission_id } = await created(staffed, enquiry());
    const { code, reply } = await grpcCall(
      'submission',
      SubmissionService,
      'DecideSubmission',
      create(DecideSubmissionRequestSchema, {
        submissionId: submission_id,
        decision: Status.ACCEPTED,
        reason,
      }),
      readStack().staffToken,
    );
    expect(code).toBe(0);
    expect(reply).toMatchObject({ submissionId: submission_id, status: Status.ACCEPTED });
    const seen = submissionOf(await staffed.read(submission_id), 200);
    expect(seen).toMatchObject({ status: 'accepted', application_reference: expect.any(String) });
    expect(reply).toMatchObject({ applicationReference: seen.application_reference });
  });
});
