import { randomUUID } from 'node:crypto';
import { create, toJsonString } from '@bufbuild/protobuf';
import { timestampMs } from '@bufbuild/protobuf/wkt';
import { status as grpcStatus } from '@grpc/grpc-js';
import { DecisionMode, PreUnderwritingFailure } from '@supplier/proto/common/v1/principal';
import { ReturnReasonCategory, Status } from '@supplier/proto/common/v1/status';
import {
  type ListSubmissionsRequest,
  ListSubmissionsRequestSchema,
  type ListSubmissionsResponse,
  ListSubmissionsResponseSchema,
} from '@supplier/proto/submission/v1/list_submissions';
import { type GetQueuesResponse, Queue } from '@supplier/proto/submission/v1/queues';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { TimelineSchema } from '@supplier/proto/submission/v1/timeline';
import { newSupplier } from '../../harness/accounts.ts';
import { park } from '../../harness/audit.ts';
import { correction, delivery, enquiry, screening } from '../../harness/enquiries.ts';
import { grpcCall } from '../../harness/grpc.ts';
import { staff } from '../../harness/rpc.ts';
import { created, createdBasic, decided, type SupplierApi, settled } from '../../harness/suppliers.ts';
import { token } from '../../harness/tokens.ts';
import { finalized } from '../../harness/uploads.ts';
import { NotYet, waitFor } from '../../harness/wait.ts';

const list = (request: Omit<Partial<ListSubmissionsRequest>, '$typeName' | '$unknown'>) =>
  staff.submission().listSubmissions(request);
const idsOf = ({ submissions }: ListSubmissionsResponse) =>
  submissions.map(({ submissionId }) => submissionId);
const idOf = async (api: SupplierApi, body: object) => (await created(api, body)).submission_id;

describe('ListSubmissions', () => {
  it('returns only the submissions of one account to another team’s client, newest first, without the applicant', async () => {
    const [mine, other] = [await newSupplier(), await newSupplier()];
    const bodies = [enquiry(), enquiry()] as const;
    const first = await idOf(mine, bodies[0]);
    await idOf(other, enquiry());
    const second = await idOf(mine, bodies[1]);
    const request = create(ListSubmissionsRequestSchema, { accountId: mine.accountId });
    const bearer = token({ roles: ['staff:viewer'], audience: 'submission' });
    const { code, reply } = await grpcCall(
      'submission',
      SubmissionService,
      'ListSubmissions',
      request,
      bearer,
    );
    expect(grpcStatus[code]).toBe('OK');
    const answer = reply as ListSubmissionsResponse;
    expect(idsOf(answer)).toEqual([second, first]);
    const text = toJsonString(ListSubmissionsResponseSchema, answer);
    for (const body of bodies)
      for (const field of ['email', 'telephone', 'business_name'])
        expect(text).not.toContain(String((body as Record<string, unknown>)[field]));
    expect(idsOf(await list({ accountId: randomUUID() }))).toEqual([]);
  });
});

describe('work queues', () => {
  const queueOf = ({ queues }: GetQueuesResponse, queue: Queue) =>
    queues.find((found) => found.queue === queue);

  it('count submissions awaiting a decision by staff, and list them until staff have decided', async () => {
    const api = await newSupplier({ decisionMode: DecisionMode.STAFF });
    const submissionId = await idOf(api, enquiry());
    const waiting = {
      accountId: api.accountId,
      queues: [Queue.STAFF_DECISION, Queue.STAFF_PRE_UNDERWRITING],
    };
    expect(await list(waiting)).toMatchObject({
      submissions: [{ submissionId, waitsForStaff: true, parked: false }],
    });
    const counted = queueOf(await staff.submission().getQueues({}), Queue.STAFF_DECISION);
    expect(counted?.count).toBeGreaterThan(0n);
    expect(counted?.oldestSince).toBeDefined();
    await staff.submission().decideSubmission({ submissionId, decision: Status.REJECTED, reason: 'by hand' });
    expect(idsOf(await list(waiting))).toEqual([]);
  });

  it('contain pre-underwriting reviews and parked work', async () => {
    const api = await newSupplier({ preUnderwritingFailure: PreUnderwritingFailure.QUEUE_FOR_STAFF });
    const body = enquiry({ credit_screening: screening({ unsatisfied_ccjs: 'fail' }) });
    const { submission_id: failed } = await decided(api, body);
    const { submission_id: parked } = await decided(api, enquiry());
    await park(parked);
    const inQueue = async (queue: Queue) => idsOf(await list({ accountId: api.accountId, queues: [queue] }));
    await waitFor('pre-underwriting to fail', async () => {
      const ids = await inQueue(Queue.STAFF_PRE_UNDERWRITING);
      if (ids.length === 0) throw new NotYet('not in the queue');
      expect(ids).toEqual([failed]);
    });
    expect(await inQueue(Queue.PARKED)).toEqual([parked]);
    await staff.submission().releaseParkedWork({ submissionIds: [parked] });
    expect(await inQueue(Queue.PARKED)).toEqual([]);
  });

  it('list documents without a scan result', async () => {
    const api = await newSupplier();
    const { documentId, submissionId } = await finalized(api);
    const { documents } = await staff.document().listWaitingDocuments({ accountId: api.accountId });
    // A scanner may have been quicker.
    for (const document of documents) expect(document).toMatchObject({ documentId, submissionId });
    expect((await staff.document().listWaitingDocuments({ accountId: randomUUID() })).documents).toEqual([]);
  });
});

describe('GetTimeline', () => {
  it('shows the history of a submission in time order, including staff actions, without the applicant', async () => {
    const api = await newSupplier();
    const body = delivery();
    const { submission_id: submissionId } = await createdBasic(api, body);
    await settled(api, submissionId, 'with its Application', (found) => found.application_reference !== null);
    const corrected = correction({ expected_revision: 0, email: 'somebody.else@example.test' });
    expect((await api.correct(submissionId, corrected)).status).toBe(200);
    await staff.submission().getApplication({ purpose: 'read by a test', submissionId });
    const reasonCategory = ReturnReasonCategory.OVERDUE_FILINGS;
    await staff.submission().returnSubmission({ submissionId, reasonCategory });
    const timeline = await staff.submission().getTimeline({ submissionId });
    const cases = timeline.entries.map(({ what }) => what.case);
    expect(cases[0]).toBe('received');
    for (const what of [
      'decided',
      'applicationCreated',
      'preUnderwriting',
      'billing',
      'contactCorrected',
      'returned',
      'event',
    ])
      expect(cases).toContain(what);
    const acts = timeline.entries.flatMap(({ what }) =>
      what.case === 'staffAction' ? [what.value.action] : [],
    );
    expect(acts).toEqual(['GetApplication', 'ReturnSubmission']);
    const times = timeline.entries.map(({ at }) => (at ? timestampMs(at) : 0));
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    const text = toJsonString(TimelineSchema, timeline);
    expect(text).toContain('"fields":["');
    for (const field of ['telephone', 'business_name', 'email'])
      expect(text).not.toContain(String((body as Record<string, unknown>)[field]));
    expect(text).not.toContain('somebody.else');
  });
});
