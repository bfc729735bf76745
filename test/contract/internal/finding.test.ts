import { randomUUID } from 'node:crypto';
import { create, toJsonString } from '@bufbuild/protobuf';
import { timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt';
import type { ConnectError } from '@connectrpc/connect';
import { status as grpcStatus } from '@grpc/grpc-js';
import {
  AccountService,
  ListAccountsRequestSchema,
  ListAccountsResponseSchema,
} from '@supplier/proto/account/v1/account';
import { DecisionMode, PreUnderwritingFailure } from '@supplier/proto/common/v1/principal';
import { RefusalSchema } from '@supplier/proto/common/v1/refusal';
import { Environment, ReturnReasonCategory, Status } from '@supplier/proto/common/v1/status';
import { DocumentService, ListWaitingDocumentsRequestSchema } from '@supplier/proto/document/v1/document';
import {
  type ListSubmissionsRequest,
  ListSubmissionsRequestSchema,
  type ListSubmissionsResponse,
  ListSubmissionsResponseSchema,
} from '@supplier/proto/submission/v1/list_submissions';
import { GetQueuesRequestSchema, type GetQueuesResponse, Queue } from '@supplier/proto/submission/v1/queues';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { GetTimelineRequestSchema, TimelineSchema } from '@supplier/proto/submission/v1/timeline';
import { ListEndpointsRequestSchema } from '@supplier/proto/webhook/v1/list_endpoints';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { newAccount, newSupplier } from '../../harness/accounts.ts';
import { park } from '../../harness/audit.ts';
import { correction, delivery, enquiry, newReference, screening } from '../../harness/enquiries.ts';
import { grpcCall } from '../../harness/grpc.ts';
import { rpcErrorOf, staff } from '../../harness/rpc.ts';
import { readStack } from '../../harness/stack.ts';
import { created, createdBasic, decided, type SupplierApi, settled } from '../../harness/suppliers.ts';
import { token } from '../../harness/tokens.ts';
import { finalized } from '../../harness/uploads.ts';
import { NotYet, waitFor } from '../../harness/wait.ts';

const LISTS = [
  ['submission', SubmissionService, 'ListSubmissions', ListSubmissionsRequestSchema],
  ['submission', SubmissionService, 'GetTimeline', GetTimelineRequestSchema],
  ['submission', SubmissionService, 'GetQueues', GetQueuesRequestSchema],
  ['webhook', WebhookService, 'ListEndpoints', ListEndpointsRequestSchema],
  ['document', DocumentService, 'ListWaitingDocuments', ListWaitingDocumentsRequestSchema],
  ['account', AccountService, 'ListAccounts', ListAccountsRequestSchema],
] as const;

const list = (request: Omit<Partial<ListSubmissionsRequest>, '$typeName' | '$unknown'>) =>
  staff.submission().listSubmissions(request);
const idsOf = ({ submissions }: ListSubmissionsResponse) =>
  submissions.map(({ submissionId }) => submissionId);
const refusedFields = (error: ConnectError) =>
  error.findDetails(RefusalSchema)[0]?.violations.map(({ path }) => path);
const idOf = async (api: SupplierApi, body: object) => (await created(api, body)).submission_id;

describe('list permissions', () => {
  it.each(LISTS)(
    '%s %# is open to every staff role, and to no other role',
    async (name, service, method, schema) => {
      const codes: Record<string, string | undefined> = {};
      for (const role of [
        'staff:viewer',
        'staff:operator',
        'staff:admin',
        'service:gateway',
        'service:webhook',
      ]) {
        const bearer = token({ roles: [role], audience: name });
        codes[role] = grpcStatus[(await grpcCall(name, service, method, create(schema), bearer)).code];
      }
      codes.nobody = grpcStatus[(await grpcCall(name, service, method, create(schema))).code];
      // Without an id there is no timeline; the id is checked after the role.
      const open = method === 'GetTimeline' ? 'INVALID_ARGUMENT' : 'OK';
      expect(codes).toEqual({
        'staff:viewer': open,
        'staff:operator': open,
        'staff:admin': open,
        'service:gateway': 'PERMISSION_DENIED',
        'service:webhook': 'PERMISSION_DENIED',
        nobody: 'UNAUTHENTICATED',
      });
    },
  );
});

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

  it('finds by reference, time, status and Application', async () => {
    const api = await newSupplier();
    const prefix = newReference();
    const since = Date.now() - 1_000;
    const one = await decided(api, enquiry({ external_reference: `${prefix}-1` }));
    const two = await decided(api, enquiry({ external_reference: `${prefix}-2` }));
    const of = { accountId: api.accountId, environment: Environment.SANDBOX };
    expect(idsOf(await list({ ...of, referencePrefix: prefix }))).toEqual([
      two.submission_id,
      one.submission_id,
    ]);
    expect(idsOf(await list({ ...of, referencePrefix: `${prefix}-1` }))).toEqual([one.submission_id]);
    expect(idsOf(await list({ applicationReference: one.application_reference ?? '' }))).toEqual([
      one.submission_id,
    ]);
    const span = {
      receivedSince: timestampFromMs(since),
      receivedUntil: timestampFromMs(Date.now() + 60_000),
    };
    expect(idsOf(await list({ ...of, ...span, statuses: [Status.ACCEPTED] }))).toHaveLength(2);
    expect(idsOf(await list({ ...of, statuses: [Status.REJECTED] }))).toEqual([]);
    expect(idsOf(await list({ ...of, environment: Environment.PRODUCTION }))).toEqual([]);
  });

  it('returns pages without gaps and repeats while enquiries arrive', async () => {
    const api = await newSupplier();
    const made: string[] = [];
    for (let n = 0; n < 5; n += 1) made.unshift(await idOf(api, enquiry()));
    const seen: string[] = [];
    let pageToken = '';
    do {
      const answer = await list({ accountId: api.accountId, pageSize: 2, pageToken });
      seen.push(...idsOf(answer));
      pageToken = answer.nextPageToken;
      await idOf(api, enquiry());
    } while (pageToken !== '' && seen.length < 20);
    expect(seen).toEqual(made);
  });

  it.each<[string, Parameters<typeof list>[0], string]>([
    ['a page of more than 200', { pageSize: 201 }, 'page_size'],
    ['a garbled token', { pageToken: 'bm90IG9uZSBvZiBvdXJz' }, 'page_token'],
    [
      'an end before the beginning',
      { receivedSince: timestampFromMs(2), receivedUntil: timestampFromMs(1) },
      'received_until',
    ],
    [
      'a prefix without an account',
      { referencePrefix: 'x', environment: Environment.SANDBOX },
      'reference_prefix',
    ],
    ['an account that is not a UUID', { accountId: 'alpha' }, 'account_id'],
    ['an unknown status', { statuses: [99 as Status] }, 'statuses.0'],
  ])('refuses %s, and names the field', async (_, request, path) => {
    const error = await rpcErrorOf(list(request));
    expect(refusedFields(error)).toEqual([path]);
  });

  it('refuses a page token of another query', async () => {
    const api = await newSupplier();
    for (let n = 0; n < 2; n += 1) await idOf(api, enquiry());
    const { nextPageToken: pageToken } = await list({ accountId: api.accountId, pageSize: 1 });
    expect(refusedFields(await rpcErrorOf(list({ pageToken })))).toEqual(['page_token']);
    const accounts = staff.account().listAccounts({ pageToken });
    expect(refusedFields(await rpcErrorOf(accounts))).toEqual(['page_token']);
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

  it('list webhook endpoints by account and state', async () => {
    const account = await newAccount();
    const at = { accountId: account.accountId, environment: Environment.SANDBOX };
    const url = 'https://127.0.0.1:9/';
    await staff.webhook().createEndpoint({ ...at, url });
    const endpoints = async (more: object = {}) =>
      (await staff.webhook().listEndpoints({ accountId: account.accountId, ...more })).endpoints;
    expect(await endpoints()).toMatchObject([{ endpoint: { ...at, url, enabled: true }, waiting: 0 }]);
    expect(await endpoints({ disabled: true })).toEqual([]);
    await staff.webhook().disableEndpoint(at);
    expect(await endpoints({ disabled: true })).toHaveLength(1);
    expect(await endpoints({ disabled: true, environment: Environment.PRODUCTION })).toEqual([]);
    expect(await endpoints({ accountId: randomUUID() })).toEqual([]);
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

describe('ListAccounts', () => {
  it('finds accounts by any part of their names', async () => {
    const { accounts } = await staff.account().listAccounts({ nameContains: 'ALPH' });
    expect(accounts.map(({ name }) => name)).toContain('alpha');
    const bearer = token({ roles: ['staff:viewer'], audience: 'account' });
    const request = create(ListAccountsRequestSchema, { nameContains: randomUUID() });
    const { reply } = await grpcCall('account', AccountService, 'ListAccounts', request, bearer);
    expect(reply).toEqual(create(ListAccountsResponseSchema));
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

  it('returns NOT_FOUND for an unknown submission and INVALID_ARGUMENT without an id', async () => {
    const bearer = readStack().staffToken;
    const codes = await Promise.all(
      [randomUUID(), 'x'].map(async (submissionId) => {
        const request = create(GetTimelineRequestSchema, { submissionId });
        return grpcStatus[
          (await grpcCall('submission', SubmissionService, 'GetTimeline', request, bearer)).code
        ];
      }),
    );
    expect(codes).toEqual(['NOT_FOUND', 'INVALID_ARGUMENT']);
  });
});
