import { randomUUID } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import { DecisionMode } from '@supplier/proto/common/v1/principal';
import { RefusalCode } from '@supplier/proto/common/v1/refusal';
import { Status } from '@supplier/proto/common/v1/status';
import { DecideSubmissionRequestSchema } from '@supplier/proto/submission/v1/staff_decisions';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { newSupplier } from '../../harness/accounts.ts';
import { enquiry } from '../../harness/enquiries.ts';
import { grpcCall } from '../../harness/grpc.ts';
import { submissionOf } from '../../harness/responses.ts';
import { refusalCodeOf, rpcErrorOf, staff } from '../../harness/rpc.ts';
import { readStack } from '../../harness/stack.ts';
import { created, decided, supplier } from '../../harness/suppliers.ts';

// A new account, because another test uses the webhooks of the seeded one.
const staffed = await newSupplier({ decisionMode: DecisionMode.STAFF });
const reason = 'looked at by hand';

describe('an account whose decisions are made by staff', () => {
  it('keeps its submissions received while other accounts’ are decided', async () => {
    const waiting = await created(staffed, enquiry());
    await decided(supplier('alpha'), enquiry());
    expect(submissionOf(await staffed.read(waiting.submission_id), 200)).toEqual(waiting);
  });

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

  it.each([
    ['rejected', Status.REJECTED],
    ['duplicate_not_accepted', Status.DUPLICATE_NOT_ACCEPTED],
  ])('staff can decide a submission as %s', async (status, decision) => {
    const { submission_id } = await created(staffed, enquiry());
    await staff.submission().decideSubmission({ submissionId: submission_id, decision, reason });
    expect(submissionOf(await staffed.read(submission_id), 200)).toMatchObject({
      status,
      decided_at: expect.any(String),
      application_reference: null,
    });
  });
});

describe('a refused decision by staff', () => {
  it('is refused when a decision exists, by rule or by staff', async () => {
    const byRule = await decided(supplier('alpha'), enquiry());
    const { submission_id } = await created(staffed, enquiry());
    const accept = { submissionId: submission_id, decision: Status.ACCEPTED, reason };
    await staff.submission().decideSubmission(accept);
    for (const submissionId of [submission_id, byRule.submission_id]) {
      const again = { submissionId, decision: Status.REJECTED, reason };
      const error = await rpcErrorOf(staff.submission().decideSubmission(again));
      expect([error.code, refusalCodeOf(error)]).toEqual([Code.FailedPrecondition, RefusalCode.WRONG_STATE]);
    }
    expect(submissionOf(await staffed.read(submission_id), 200).status).toBe('accepted');
  });

  it('is made once when two people decide concurrently, and the other is refused', async () => {
    const { submission_id } = await created(staffed, enquiry());
    const decide = (decision: Status) =>
      staff.submission().decideSubmission({ submissionId: submission_id, decision, reason });
    const outcomes = await Promise.allSettled([
      decide(Status.ACCEPTED),
      decide(Status.REJECTED),
      decide(Status.ACCEPTED),
      decide(Status.REJECTED),
    ]);
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1);
  });

  it.each([Status.RECEIVED, Status.RETURNED, Status.UNSPECIFIED])(
    'is refused when the decision is %s, which is not a decision',
    async (decision) => {
      const { submission_id } = await created(staffed, enquiry());
      const error = await rpcErrorOf(
        staff.submission().decideSubmission({ submissionId: submission_id, decision, reason }),
      );
      expect(error.code).toBe(Code.InvalidArgument);
      expect(submissionOf(await staffed.read(submission_id), 200).status).toBe('received');
    },
  );

  it('is refused when the submission is unknown', async () => {
    const unknown = { submissionId: randomUUID(), decision: Status.ACCEPTED, reason };
    expect((await rpcErrorOf(staff.submission().decideSubmission(unknown))).code).toBe(Code.NotFound);
  });
});
