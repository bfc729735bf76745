import { randomUUID } from 'node:crypto';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { RefusalCode, refusalOf } from '@supplier/lib/rpc/refusal';
import { runInContext } from '@supplier/lib/runtime/request-context';
import { forAllTests } from '@supplier/lib/testing';
import { type AccountId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { BillingStatus, Environment, Level, Status } from '@supplier/proto/common/v1/status';
import type { ListSubmissionsRequestSchema } from '@supplier/proto/submission/v1/list_submissions';
import { Queue } from '@supplier/proto/submission/v1/queues';
import { insertCopies } from '../../testing/insert-copies.ts';
import { openTestService, type SubmitOptions } from '../../testing/test-service.ts';
import { listSubmissions as listMatching, MAX_NAMED } from './list-submissions.sql.ts';

type Request = MessageInitShape<typeof ListSubmissionsRequestSchema>;
const { SANDBOX, PRODUCTION } = Environment;

const service = forAllTests(() => openTestService());
beforeEach(() => service.at(new Date().toISOString()));

const list = (request: Request = {}) => service.staff.listSubmissions(request);
const idsOf = async (request: Request = {}) =>
  (await list(request)).submissions.map(({ submissionId }) => submissionId);
const refusedFor = async (request: Request) => {
  const refusal = refusalOf(
    await list(request).then(
      () => undefined,
      (error: unknown) => error,
    ),
  );
  expect(refusal?.code).toBe(RefusalCode.VALIDATION_ERROR);
  return refusal?.violations.map(({ path }) => path);
};

async function submitted(options: SubmitOptions = {}): Promise<SubmissionId> {
  return (await service.submit(options)).id;
}
const submittedBy = (requestId: string, options: SubmitOptions) =>
  runInContext({ requestId, traceParent: '' }, () => submitted(options));
async function accepted(options: SubmitOptions = {}): Promise<SubmissionId> {
  const id = await submitted(options);
  await service.decide(id);
  return id;
}

/** Returns all pages of a query. */
async function walk(request: Request, between: () => Promise<unknown> = async () => {}) {
  const pages: string[][] = [];
  let pageToken = '';
  do {
    const answer = await list({ ...request, pageToken });
    pages.push(answer.submissions.map(({ submissionId }) => submissionId));
    pageToken = answer.nextPageToken;
    await between();
  } while (pageToken !== '' && pages.length < 50);
  return pages;
}

const copies = (id: SubmissionId, count: number, changes?: Record<string, string>) =>
  insertCopies(service.context.pool, id, count, changes);

describe('ListSubmissions', () => {
  it('lists the newest first, and only one account and environment when requested', async () => {
    const [one, other] = [newId<AccountId>(), newId<AccountId>()];
    const first = await submitted({ accountId: one });
    const strange = await submitted({ accountId: other });
    const sandbox = await submitted({ accountId: one, environment: SANDBOX });
    const last = await submitted({ accountId: one });
    expect(await idsOf({ accountId: one.toUpperCase() })).toEqual([last, sandbox, first]);
    expect(await idsOf({ accountId: one, environment: PRODUCTION })).toEqual([last, first]);
    expect(await idsOf({ accountId: one, environment: SANDBOX })).toEqual([sandbox]);
    expect(await idsOf({ accountId: other })).toEqual([strange]);
    expect(await idsOf({ accountId: newId() })).toEqual([]);
    expect((await idsOf()).slice(0, 4)).toEqual([last, sandbox, strange, first]);
  });

  it('applies each filter, and all of them together', async () => {
    const accountId = newId<AccountId>();
    const mine = { accountId, environment: PRODUCTION };
    const basic = await submitted({ accountId, level: Level.BASIC, externalReference: 'a_%1' });
    const waiting = await submitted({ accountId, externalReference: 'a_%2', terms: { decisionMode: 2 } });
    const billed = await accepted({ accountId, externalReference: 'ab3' });
    const pending = await accepted({
      accountId,
      externalReference: 'b4',
      terms: { billingModel: 3, preUnderwritingFailure: 2 },
      enquiry: { creditScreening: { provider: 'p', unsatisfiedCcjs: 2 } },
    });
    const { applicationReference = '' } = (await list({ accountId })).submissions[0] ?? {};
    expect(await idsOf({ ...mine, level: Level.BASIC })).toEqual([basic]);
    expect(await idsOf({ ...mine, statuses: [Status.RECEIVED] })).toEqual([waiting]);
    expect(await idsOf({ ...mine, statuses: [Status.RECEIVED, Status.ACCEPTED] })).toHaveLength(4);
    expect(await idsOf({ ...mine, billingStatus: BillingStatus.PENDING })).toEqual([pending, waiting]);
    expect(await idsOf({ ...mine, referencePrefix: 'a' })).toEqual([billed, waiting, basic]);
    expect(await idsOf({ ...mine, referencePrefix: 'a_%' })).toEqual([waiting, basic]);
    expect(await idsOf({ ...mine, referencePrefix: 'A' })).toEqual([]);
    expect(await idsOf({ ...mine, environment: SANDBOX, referencePrefix: 'a' })).toEqual([]);
    expect(await idsOf({ applicationReference })).toEqual([pending]);
    expect(await idsOf({ applicationReference, accountId: newId() })).toEqual([]);
    expect(await idsOf({ applicationReference, requestId: randomUUID() })).toEqual([]);
    expect(await idsOf({ applicationReference: 'APP-NOTHING' })).toEqual([]);
    expect(await idsOf({ ...mine, referencePrefix: 'a', statuses: [Status.RECEIVED] })).toEqual([waiting]);
  });

  it('finds references across accounts and environments, with further filters', async () => {
    const [one, other] = [newId<AccountId>(), newId<AccountId>()];
    const prefix = `across-${randomUUID()}`;
    const first = await submitted({ accountId: one, externalReference: `${prefix}-1` });
    const second = await submitted({ accountId: other, externalReference: `${prefix}-1` });
    const sandbox = await submitted({
      accountId: one,
      environment: SANDBOX,
      externalReference: `${prefix}-2`,
    });
    await submitted({ accountId: other, externalReference: `not-${prefix}` });
    expect(await idsOf({ referencePrefix: prefix })).toEqual([sandbox, second, first]);
    expect(await idsOf({ referencePrefix: prefix, environment: PRODUCTION })).toEqual([second, first]);
    expect(await idsOf({ referencePrefix: prefix, accountId: one })).toEqual([sandbox, first]);
    expect(await walk({ referencePrefix: prefix, pageSize: 2 })).toEqual([[sandbox, second], [first]]);
    expect(await idsOf({ referencePrefix: `${prefix}-3` })).toEqual([]);
  });

  it('finds the submissions of a request by its id in any case, and no others', async () => {
    const accountId = newId<AccountId>();
    // Upper case and without a valid UUID version: the gateway accepts both as a UUID.
    const [requestId, capitals] = [randomUUID(), 'AAAAAAAA-BBBB-CCCC-DDDD-EEEEEEEEEEEE'];
    const first = await submittedBy(requestId, { accountId });
    const other = await submittedBy(capitals, { accountId });
    const second = await submittedBy(requestId, { accountId, environment: SANDBOX });
    expect(await idsOf({ requestId })).toEqual([second, first]);
    expect(await idsOf({ requestId: requestId.toUpperCase() })).toEqual([second, first]);
    expect(await idsOf({ requestId: capitals.toLowerCase() })).toEqual([other]);
    expect((await list({ requestId: capitals })).submissions).toMatchObject([{ requestId: capitals }]);
    expect(await idsOf({ requestId, accountId, environment: SANDBOX })).toEqual([second]);
    expect(await idsOf({ requestId, accountId: newId() })).toEqual([]);
    expect(await idsOf({ requestId: randomUUID() })).toEqual([]);
  });

  it('includes the beginning of the time range and excludes its end', async () => {
    const accountId = newId<AccountId>();
    const start = Date.now();
    const at = (ms: number) => new Date(start + ms);
    const made: SubmissionId[] = [];
    for (const ms of [0, 10, 20]) {
      service.at(at(ms).toISOString());
      made.push(await submitted({ accountId }));
    }
    const between = (since: number, until: number) =>
      idsOf({ accountId, receivedSince: toTimestamp(at(since)), receivedUntil: toTimestamp(at(until)) });
    expect(await between(0, 21)).toEqual([made[2], made[1], made[0]]);
    expect(await between(10, 20)).toEqual([made[1]]);
    expect(await between(21, 30)).toEqual([]);
    expect(await idsOf({ accountId, receivedSince: toTimestamp(at(-3_600_000)) })).toHaveLength(3);
    expect(await idsOf({ accountId, receivedUntil: toTimestamp(at(-3_600_000)) })).toEqual([]);
  });

  it('finds submissions awaiting staff, parked and in progress by their queues', async () => {
    const accountId = newId<AccountId>();
    const queue = { preUnderwritingFailure: 2 } as const;
    const failing = { creditScreening: { provider: 'p', unsatisfiedCcjs: 2 } };
    const { id: undecided } = await service.submitUndecided({ accountId });
    const staffed = await submitted({ accountId, terms: { decisionMode: 2 } });
    const assessed = await accepted({ accountId, terms: queue, enquiry: failing });
    const unminted = await accepted({ accountId, level: Level.BASIC });
    const { id: parked } = await service.submitUndecided({ accountId });
    await service.context.pool.query('UPDATE submission SET work_parked_at = now() WHERE id = $1', [parked]);
    const settled = await accepted({ accountId });
    const inQueues = (...queues: Queue[]) => idsOf({ accountId, queues });
    expect(await inQueues(Queue.DECISION)).toEqual([undecided]);
    expect(await inQueues(Queue.STAFF_DECISION)).toEqual([staffed]);
    expect(await inQueues(Queue.STAFF_PRE_UNDERWRITING)).toEqual([assessed]);
    expect(await inQueues(Queue.APPLICATION)).toEqual([unminted]);
    expect(await inQueues(Queue.PARKED)).toEqual([parked]);
    expect(await inQueues(Queue.STAFF_DECISION, Queue.STAFF_PRE_UNDERWRITING)).toEqual([assessed, staffed]);
    expect(await idsOf({ accountId, statuses: [Status.RECEIVED] })).toEqual([parked, staffed, undecided]);
    const { submissions } = await list({ accountId });
    const flags = Object.fromEntries(
      submissions.map(({ submissionId, waitsForStaff, parked: isParked }) => [
        submissionId,
        [waitsForStaff, isParked],
      ]),
    );
    expect(flags).toEqual({
      [undecided]: [false, false],
      [staffed]: [true, false],
      [assessed]: [true, false],
      [unminted]: [false, false],
      [parked]: [false, true],
      [settled]: [false, false],
    });
    await service.context.pool.query('UPDATE submission SET work_parked_at = NULL WHERE id = $1', [parked]);
  });

  it('returns pages without gaps and repeats while others are submitted', async () => {
    const accountId = newId<AccountId>();
    const made: SubmissionId[] = [];
    for (let n = 0; n < 7; n += 1) made.unshift(await submitted({ accountId }));
    const pages = await walk({ accountId, pageSize: 3 }, () => submitted({ accountId }));
    expect(pages.map(({ length }) => length)).toEqual([3, 3, 1]);
    expect(pages.flat()).toEqual(made);
  });

  it('examines a bounded number for a page, and continues after it when matches are rare', async () => {
    const accountId = newId<AccountId>();
    const requestId = randomUUID();
    const settled = await submittedBy(requestId, { accountId });
    await service.decide(settled);
    await copies(settled, MAX_NAMED.byReference + 10);
    const rare = { status: '4', billing_status: '3', not_billable_reason: '1' };
    await copies(settled, 1, {
      ...rare,
      received_at: `'2025-01-01'::timestamptz`,
      id: `'01940000-0000-7000-8000-000000000001'`,
    });
    const pages = await walk({ accountId, statuses: [Status.REJECTED], pageSize: 2 });
    expect(pages).toEqual([[], [], ['01940000-0000-7000-8000-000000000001']]);
    const all = await walk({ statuses: [Status.REJECTED], pageSize: 2 });
    expect(all.flat()).toContain('01940000-0000-7000-8000-000000000001');
    expect(all.length).toBeLessThanOrEqual(4);
    const byPrefix = { accountId, environment: PRODUCTION, pageSize: 200 };
    // More than the sorting limit, so the account's index is walked.
    const many = await list({ ...byPrefix, referencePrefix: 'copy-' });
    expect(many.submissions).toHaveLength(200);
    // Filters by one request without gaps, regardless of newer submissions, and as fast for a request without any.
    const made = (await walk({ requestId, pageSize: 200 })).flat();
    expect([made.length, new Set(made).size]).toEqual([MAX_NAMED.byReference + 12, made.length]);
    expect(await walk({ requestId, pageSize: 200, statuses: [Status.REJECTED] })).toHaveLength(3);
    const few = await walk({ ...byPrefix, referencePrefix: 'copy-77' });
    expect(few.flat().length).toBe(new Set(few.flat()).size);
    // 77, 770 to 779.
    expect(few.flat()).toHaveLength(11);
    expect(few).toHaveLength(1);
    // With a prefix that most have, the submissions in a queue are few.
    const parked = few.flat()[5] ?? '';
    await service.context.pool.query('UPDATE submission SET work_parked_at = now() WHERE id = $1', [parked]);
    const queued = { ...byPrefix, referencePrefix: 'copy-', queues: [Queue.PARKED] };
    expect(await walk(queued)).toEqual([[parked]]);
    expect(await walk({ ...queued, referencePrefix: 'other-' })).toEqual([[]]);
    await service.context.pool.query('UPDATE submission SET work_parked_at = NULL WHERE id = $1', [parked]);
  });

  it('walks a queue larger than the sorting limit', async () => {
    const accountId = newId<AccountId>();
    const waiting = await submitted({ accountId, terms: { decisionMode: 2 } });
    await copies(waiting, MAX_NAMED.byQueue + 1);
    const { submissions } = await list({ accountId, queues: [Queue.STAFF_DECISION], pageSize: 3 });
    expect(submissions[0]?.submissionId).toBe(waiting);
    expect(submissions).toHaveLength(3);
    // In the order of receipt the walk begins at the queue, past all that came before.
    const early = await submitted({ accountId });
    await service.decide(early);
    await copies(early, 3_000, { id: `event_id_floor('2020-01-01'::timestamptz + n * interval '1 ms')` });
    const ways = { queues: [Queue.STAFF_DECISION], accountId, oldestFirst: true, pageSize: 3 };
    const oldest = await list(ways);
    expect(oldest.submissions).toHaveLength(3);
    const [one, two] = oldest.submissions.map(({ submissionId }) => submissionId);
    expect((one ?? '') < (two ?? '')).toBe(true);
    expect((await list({ ...ways, pageToken: oldest.nextPageToken })).submissions).toHaveLength(3);
    await service.context.pool.query('UPDATE submission SET awaits_staff = false WHERE account_id = $1', [
      accountId,
    ]);
  });

  it('lists the longest waiting of an environment first, however many wait in the other', async () => {
    const accountId = newId<AccountId>();
    const sandbox = await submitted({ accountId, environment: SANDBOX, terms: { decisionMode: 2 } });
    await copies(sandbox, MAX_NAMED.byQueue + 1, {
      id: `event_id_floor('2019-01-01'::timestamptz + n * interval '1 ms')`,
      received_at: `'2019-01-01'::timestamptz`,
      billing_status: 't.billing_status',
    });
    const waiting = await submitted({ accountId, terms: { decisionMode: 2 } });
    const queue = { queues: [Queue.STAFF_DECISION], oldestFirst: true };
    const ids = await idsOf({ ...queue, environment: PRODUCTION });
    expect(ids).toContain(waiting);
    expect(ids).toEqual(ids.toSorted());
    await service.context.pool.query('UPDATE submission SET awaits_staff = false WHERE account_id = $1', [
      accountId,
    ]);
  });

  it('leaves out none of more than 10,000 parked submissions, even one received first and parked last', async () => {
    const accountId = newId<AccountId>();
    const parked = await submitted({ accountId });
    await copies(parked, MAX_NAMED.byQueue + 1, {
      id: `event_id_floor('2027-01-01'::timestamptz + n * interval '1 ms')`,
      received_at: `'2027-01-01'::timestamptz`,
      work_parked_at: `'2026-11-01'::timestamptz`,
    });
    await service.context.pool.query('UPDATE submission SET work_parked_at = now() WHERE id = $1', [parked]);
    const [first] = await idsOf({ accountId, queues: [Queue.PARKED], oldestFirst: true, pageSize: 3 });
    expect(first).toBe(parked);
    await service.context.pool.query('UPDATE submission SET work_parked_at = NULL WHERE account_id = $1', [
      accountId,
    ]);
  });

  it('never scans a table, or reads an account through the submissions of others', async () => {
    const { pool } = service.context;
    const statements: { text: string }[] = [];
    const recording = {
      query: async (statement: { text: string }) => {
        statements.push(statement);
        return pool.query(statement);
      },
    } as unknown as typeof pool;
    const nothing = {
      accountId: newId<AccountId>(),
      environment: PRODUCTION,
      statuses: [],
      level: undefined,
      receivedSince: new Date(),
      receivedUntil: undefined,
      referencePrefix: undefined,
      applicationReference: undefined,
      requestId: undefined,
      billingStatus: undefined,
      queues: [],
      oldestFirst: false,
    };
    const often = await submittedBy(randomUUID(), {});
    await service.decide(often);
    // A supplier that reuses an id makes ids look common.
    await copies(often, 2 * MAX_NAMED.byQueue);
    const planner = await pool.connect();
    // Analyses the whole table instead of a sample, so that autovacuum changes nothing between two plans.
    await planner.query('SET default_statistics_target = 1000');
    await planner.query('VACUUM (ANALYZE) submission, application');
    // Uses the same settings as the service.
    for (const setting of ['seqscan', 'hashjoin', 'mergejoin'])
      await planner.query(`SET enable_${setting} = off`);
    const plans: Record<string, string> = {};
    const filters = {
      account: {},
      all: { accountId: undefined, environment: undefined },
      prefix: { referencePrefix: 'x' },
      references: { accountId: undefined, environment: undefined, referencePrefix: 'x' },
      queues: { queues: [1, 2, 3, 4, 5] as const },
      oldest: { oldestFirst: true },
      oldestQueues: { queues: [1, 5] as const, oldestFirst: true },
      application: { applicationReference: 'APP-1' },
      request: { accountId: undefined, environment: undefined, requestId: randomUUID() },
    };
    for (const [name, filter] of Object.entries(filters)) {
      statements.length = 0;
      await listMatching(recording, { ...nothing, ...filter }, undefined, 50);
      for (const { text } of statements) {
        const { rows } = await planner.query<{ 'QUERY PLAN': string }>(`EXPLAIN (GENERIC_PLAN) ${text}`);
        plans[name] = `${plans[name] ?? ''}${rows.map((row) => row['QUERY PLAN']).join('\n')}`;
      }
    }
    await planner.query('RESET ALL');
    const { rows: served } = await planner.query(`EXPLAIN (GENERIC_PLAN) ${statements[0]?.text}`);
    planner.release(true);
    expect(JSON.stringify(served)).not.toContain('Seq Scan on submission');
    for (const plan of Object.values(plans)) expect(plan).not.toMatch(/Seq Scan on (submission|application)/);
    for (const plan of [plans.account, plans.oldest]) expect(plan).toContain('submission_of_account_idx');
    expect(plans.all).toMatch(/Index (Only )?Scan Backward using submission_pkey/);
    // The prefix limits the rows that are read, not only those that are kept.
    for (const plan of [plans.prefix, plans.references])
      expect(plan).toMatch(
        /submission_account_id_environment_external_reference_key.*\n +Index Cond: .*external_reference >= .*external_reference </,
      );
    for (const index of ['staff_queue', 'decision_queue', 'application_queue', 'parked'])
      expect(plans.queues).toContain(`submission_${index}_idx`);
    expect(plans.queues).toContain('application_staff_idx');
    expect(plans.application).toContain('application_reference_key');
    for (const plan of [plans.request, JSON.stringify(served)])
      expect(plan).toMatch(/Index (Only )?Scan Backward using submission_request_id_idx/);
  });

  it.each<[string, Request, string[]]>([
    [
      'a span that ends before it begins',
      { receivedSince: { seconds: 9n }, receivedUntil: { seconds: 9n } },
      ['received_until'],
    ],
    ['an invalid time', { receivedSince: { seconds: 1n << 60n } }, ['received_since']],
    ['an account that is not a UUID', { accountId: 'x' }, ['account_id']],
    ['a request that is not a UUID', { requestId: 'x'.repeat(36) }, ['request_id']],
    ['an unknown status', { statuses: [Status.ACCEPTED, Status.UNSPECIFIED] }, ['statuses.1']],
    ['an unknown queue', { queues: [Queue.UNSPECIFIED] }, ['queues.0']],
    ['a page that is too large', { pageSize: 201 }, ['page_size']],
    ['a garbled token', { pageToken: 'x' }, ['page_token']],
  ])('rejects %s', async (_, request, paths) => {
    expect(await refusedFor(request)).toEqual(paths);
  });

  it('rejects the page token of another query or of other filters', async () => {
    const accountId = newId<AccountId>();
    await submitted({ accountId });
    await submitted({ accountId });
    const { nextPageToken } = await list({ accountId, pageSize: 1 });
    expect(nextPageToken).not.toBe('');
    expect(await refusedFor({ pageToken: nextPageToken })).toEqual(['page_token']);
    expect(await refusedFor({ accountId, level: 1, pageToken: nextPageToken })).toEqual(['page_token']);
    expect(await idsOf({ accountId, pageSize: 9, pageToken: nextPageToken })).toHaveLength(1);
  });
});
