import { fromBinary } from '@bufbuild/protobuf';
import { newId, type SubmissionId } from '@supplier/lib/ids';
import { refused, startTestRpcServer, type TestRpcServer } from '@supplier/lib/testing';
import { toTimestamp } from '@supplier/lib/time';
import { ScreeningResult } from '@supplier/proto/common/v1/enquiry';
import { EventEnvelopeSchema } from '@supplier/proto/common/v1/event';
import {
  BillingModel,
  BillingStatus,
  NotBillableReason,
  ReturnReasonCategory,
  Status,
} from '@supplier/proto/common/v1/status';
import { LeadRestatedSchema } from '@supplier/proto/submission/v1/events';
import { PreUnderwritingState, SubmissionService } from '@supplier/proto/submission/v1/submission';
import { basicLeads } from '../../testing/basic-leads.ts';
import { otherServices } from '../../testing/other-services.ts';
import { openTestService, type SubmitOptions, type TestService } from '../../testing/test-service.ts';
import { routes } from './index.ts';

let service: TestService;
let server: TestRpcServer<typeof SubmissionService>;
beforeAll(async () => {
  service = await openTestService({ others: otherServices() });
  server = await startTestRpcServer('submission', SubmissionService, routes(service.context));
});
afterAll(async () => {
  await server?.close();
  await service?.close();
});

const restate = (...submissionIds: string[]) =>
  server.as('billing', 'service:billing').restateLeads({ submissionIds });

async function accepted(options: SubmitOptions = {}): Promise<SubmissionId> {
  const { id } = await service.submit(options);
  await service.decide(id);
  return id;
}

async function billed(): Promise<SubmissionId> {
  const id = await accepted();
  await service.bill(id);
  return id;
}

async function returned(): Promise<SubmissionId> {
  const id = await billed();
  const reasonCategory = ReturnReasonCategory.OVERDUE_FILINGS;
  await service.staff.returnSubmission({ submissionId: id, reasonCategory });
  return id;
}

async function erased(): Promise<SubmissionId> {
  const id = await billed();
  await service.privacy.requestErasure({ submissionIds: [id], purpose: 'erasure request 18' });
  await service.erase();
  const { erasedAt } = await service.context.db.submission.findUniqueOrThrow({ where: { id } });
  expect(erasedAt).not.toBeNull();
  return id;
}

const rejected = () =>
  accepted({ enquiry: { creditScreening: { provider: 'p', companyStatus: ScreeningResult.FAIL } } });

const basicUntilPromoted = async () =>
  (await basicLeads(service).submit({ terms: { billingModel: 2, applicationMinting: 2 } })).id;

/** All that is kept of a submission but for how many events it has had. */
async function rowOf(id: SubmissionId) {
  const { version, ...row } = await service.context.db.submission.findUniqueOrThrow({
    where: { id },
    include: { application: true },
  });
  return row;
}

async function lastEventOf(id: SubmissionId) {
  const row = await service.context.db.outbox.findFirstOrThrow({
    where: { aggregateId: id },
    orderBy: { seq: 'desc' },
  });
  return { row, envelope: fromBinary(EventEnvelopeSchema, row.envelope) };
}

const countOf = async (type: string, id: SubmissionId) =>
  (await service.eventsOf(id)).filter((each) => each === type).length;

const PENDING = { billingStatus: BillingStatus.PENDING };
const NOT_BILLABLE = { billingStatus: BillingStatus.NOT_BILLABLE };

describe('RestateLeads', () => {
  it.each<[string, () => Promise<SubmissionId>, object]>([
    [
      'accepted',
      accepted,
      {
        submission: {
          status: Status.ACCEPTED,
          applicationReference: expect.stringMatching(/^APP-/),
          billing: { ...PENDING, billingModel: BillingModel.ACCEPTED_SUBMISSION },
        },
        preUnderwriting: { state: PreUnderwritingState.CLEARED },
      },
    ],
    [
      'billed',
      billed,
      { submission: { status: Status.ACCEPTED, billing: { billingStatus: BillingStatus.BILLABLE } } },
    ],
    [
      'returned',
      returned,
      {
        submission: {
          status: Status.RETURNED,
          return: { returnedAt: expect.anything() },
          billing: { ...NOT_BILLABLE, notBillableReason: NotBillableReason.RETURNED },
        },
      },
    ],
    ['rejected', rejected, { submission: { status: Status.REJECTED, billing: PENDING } }],
    [
      'basic and without its Application',
      basicUntilPromoted,
      { submission: { status: Status.ACCEPTED, billing: PENDING } },
    ],
    [
      'erased',
      erased,
      { submission: { status: Status.ACCEPTED, billing: { billingStatus: BillingStatus.BILLABLE } } },
    ],
  ])(
    'gives billing all facts of a lead that is %s, and moves nothing that its supplier sees',
    async (_, make, facts) => {
      const id = await make();
      const before = await rowOf(id);
      const changes = await countOf('SubmissionStatusChanged', id);
      expect((await restate(id.toUpperCase())).submissionIds).toEqual([id]);
      expect(await rowOf(id)).toEqual(before);
      expect(await countOf('SubmissionStatusChanged', id)).toBe(changes);
      const { row, envelope } = await lastEventOf(id);
      expect(row.subject).toBe('supplier.submission.LeadRestated.lead');
      const message = fromBinary(LeadRestatedSchema, envelope.payload);
      expect(message).toMatchObject(facts);
      expect(message.accountId).toBe(before.accountId);
      expect(message.submission?.billing?.billableAt).toEqual(
        before.billableAt ? toTimestamp(before.billableAt) : undefined,
      );
    },
  );

  it('restates many in one call, each under a version of its own when several people ask at once', async () => {
    const ids = await Promise.all([accepted(), accepted(), billed()]);
    const answers = await Promise.all([restate(...ids), restate(...[...ids].reverse()), restate(...ids)]);
    for (const { submissionIds } of answers) expect(submissionIds.sort()).toEqual(ids.toSorted());
    for (const id of ids) {
      const rows = await service.context.db.outbox.findMany({ where: { aggregateId: id } });
      const versions = rows.map((row) => fromBinary(EventEnvelopeSchema, row.envelope).aggregateVersion);
      expect(new Set(versions).size).toBe(rows.length);
      expect(await countOf('LeadRestated', id)).toBe(3);
    }
  });

  it('leaves out what does not exist, and leaves a line in the audit log for each of the others', async () => {
    const [one, other] = [await accepted(), await billed()];
    const unknown = newId<SubmissionId>();
    expect((await restate(one, unknown, other, one)).submissionIds.sort()).toEqual([one, other].sort());
    const lines = await service.context.db.auditEntry.findMany({
      where: { action: 'RestateLeads', target: { in: [one, other, unknown] } },
    });
    expect(lines.map(({ actor, target }) => [actor, target]).sort()).toEqual(
      [one, other].map((target) => ['billing', target]).sort(),
    );
    expect(lines.every(({ accountId }) => accountId !== null)).toBe(true);
  });

  it('refuses what is no id, no id at all and more than a hundred, and restates none of them', async () => {
    const id = await accepted();
    const invalid = { code: 'InvalidArgument', paths: ['submission_ids'] };
    expect(await refused(restate(id, 'nobody'))).toMatchObject(invalid);
    expect(await refused(restate())).toMatchObject(invalid);
    expect(await refused(restate(...Array<string>(101).fill(id)))).toMatchObject(invalid);
    expect(await countOf('LeadRestated', id)).toBe(0);
  });
});
