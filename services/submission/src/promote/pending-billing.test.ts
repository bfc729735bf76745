import { RefusalCode, refusalOf } from '@supplier/lib/rpc/refusal';
import { forAllTests, refused, startTestRpcServer } from '@supplier/lib/testing';
import { type AccountId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { ApplicationMinting, DecisionMode } from '@supplier/proto/common/v1/principal';
import {
  BillingModel,
  BillingStatus,
  Environment,
  Level,
  NotBillableReason,
} from '@supplier/proto/common/v1/status';
import { CloseReason } from '@supplier/proto/submission/v1/pending_billing';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { basicSubmissions } from '../../testing/basic-submissions.ts';
import { openTestService, type SubmitOptions } from '../../testing/test-service.ts';

const { APPLICATION_CREATED, ACCEPTED_SUBMISSION } = BillingModel;
const NOW = new Date('2026-11-20T10:00:00Z');
const DAY_MS = 86_400_000;

const service = forAllTests(() => openTestService());
const server = forAllTests(() => startTestRpcServer('submission', SubmissionService, service.routes()));
beforeEach(() => service.at(NOW.toISOString()));

const staff = (role = 'staff:billing', name = 'casey') => server.as(name, role);

/** Creates an accepted submission whose billing is pending until its supplier promotes it. */
const pendingSubmission = (accountId = newId<AccountId>(), options: SubmitOptions = {}) =>
  basicSubmissions(service).submit({
    accountId,
    terms: { billingModel: APPLICATION_CREATED, applicationMinting: ApplicationMinting.ON_PROMOTION },
    ...options,
  });

/** Does the same, received this many days ago according to its id and time. */
async function pendingFor(days: number, accountId?: AccountId): Promise<SubmissionId> {
  const { id } = await pendingSubmission(accountId);
  const receivedAt = new Date(NOW.getTime() - days * DAY_MS);
  const hex = receivedAt.getTime().toString(16).padStart(12, '0');
  const older = `${hex.slice(0, 8)}-${hex.slice(8)}${newId().slice(13)}` as SubmissionId;
  await service.context.pool.query('UPDATE submission SET id = $2, received_at = $3 WHERE id = $1', [
    id,
    older,
    receivedAt,
  ]);
  return older;
}

describe('ListPendingBilling', () => {
  it('lists the pending submissions of an account, oldest first, in pages, and counts them once', async () => {
    const accountId = newId<AccountId>();
    const submissions: SubmissionId[] = [];
    for (const days of [3, 9, 1, 7, 5]) submissions.push(await pendingFor(days, accountId));
    await pendingFor(4);
    await service.submit({ accountId, level: Level.BASIC, terms: { billingModel: ACCEPTED_SUBMISSION } });

    const first = await staff('staff:viewer').listPendingBilling({ accountId, pendingDays: 2, pageSize: 3 });
    const pageToken = first.nextPageToken;
    const second = await staff().listPendingBilling({ accountId, pendingDays: 2, pageSize: 3, pageToken });
    const byAge = [1, 3, 4, 0].map((place) => submissions[place]);
    expect([...first.submissions, ...second.submissions].map(({ submissionId }) => submissionId)).toEqual(
      byAge,
    );
    const nineDaysAgo = toTimestamp(new Date(NOW.getTime() - 9 * DAY_MS));
    expect(first.submissions).toHaveLength(3);
    expect(first.submissions[0]).toMatchObject({
      accountId,
      environment: Environment.PRODUCTION,
      billingModel: APPLICATION_CREATED,
      receivedAt: nineDaysAgo,
    });
    expect(first).toMatchObject({ count: 4, countIsAtLeast: false, oldestReceivedAt: nineDaysAgo });
    expect(second.count).toBeUndefined();
    expect(second.nextPageToken).toBe('');
  });

  it('is empty for the sandbox and for an account without pending submissions', async () => {
    await pendingSubmission();
    const environment = Environment.SANDBOX;
    expect(await staff().listPendingBilling({ environment })).toMatchObject({ submissions: [], count: 0 });
    const none = await staff().listPendingBilling({ accountId: newId() });
    expect(none).toMatchObject({ submissions: [], count: 0, nextPageToken: '' });
    expect(none.oldestReceivedAt).toBeUndefined();
  });

  it('reads at most 5,000 submissions a page and counts at most 10,000, yet finds an account’s only submission', async () => {
    const { id } = await pendingSubmission();
    const { pool } = service.context;
    const { rows } = await pool.query<{ names: string }>(
      `SELECT string_agg(quote_ident(attname), ', ') AS names FROM pg_attribute
        WHERE attrelid = 'submission'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
          AND attname NOT IN ('id', 'account_id', 'external_reference', 'received_at')`,
    );
    const names = rows[0]?.names;
    await pool.query(
      `INSERT INTO submission (id, account_id, external_reference, received_at, ${names})
       SELECT ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, gen_random_uuid(), 'n' || n,
              '2026-11-01T00:00:00Z'::timestamptz + n * interval '1 second', ${names}
         FROM submission, generate_series(1, 10050) AS n WHERE id = $1`,
      [id],
    );
    const accountId = newId<AccountId>();
    await pendingSubmission(accountId);
    const sizes: number[] = [];
    let pageToken = '';
    // Received by the database's clock, so this service's is set after it.
    service.at(new Date(Date.now() + 24 * 3_600_000).toISOString());
    do {
      const page = await staff().listPendingBilling({ accountId, pageToken });
      if (pageToken === '') expect(page).toMatchObject({ count: 0, countIsAtLeast: true });
      sizes.push(page.submissions.length);
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(sizes).toEqual([0, 0, 1]);
    const oldestReceivedAt = toTimestamp(new Date('2026-11-01T00:00:01Z'));
    const all = { count: 10_000, countIsAtLeast: true, oldestReceivedAt };
    expect(await staff().listPendingBilling({})).toMatchObject(all);
    await pool.query("DELETE FROM submission WHERE id < '00000000-0000-7000-8001-000000000000'");
  });

  it.each([
    ['a page token of another query', { pageToken: 'x' }, 'page_token'],
    ['a page size above 200', { pageSize: 201 }, 'page_size'],
    ['days below zero', { pendingDays: -1 }, 'pending_days'],
    ['an account id that is not a UUID', { accountId: 'x' }, 'account_id'],
  ])('rejects %s', async (_, part, path) => {
    const wrong = { code: 'InvalidArgument', paths: [path] };
    expect(await refused(staff().listPendingBilling(part))).toMatchObject(wrong);
  });
});

describe('ClosePendingBilling', () => {
  const close = (submissionId: string, closeReason = CloseReason.GIVEN_UP_BY_SUPPLIER) =>
    staff().closePendingBilling({ submissionId, closeReason });
  const billingOf = async (id: SubmissionId) =>
    (await service.staff.getSubmission({ submissionId: id })).billing;

  it('ends the billing in one event, and is audited', async () => {
    const submission = await pendingSubmission();
    const events = (await service.eventsOf(submission.id)).length;
    const closed = {
      billingStatus: BillingStatus.NOT_BILLABLE,
      billingModel: APPLICATION_CREATED,
      notBillableReason: NotBillableReason.REJECTED,
    };
    expect(await close(submission.id)).toMatchObject({ submissionId: submission.id, billing: closed });
    expect(await billingOf(submission.id)).toMatchObject(closed);
    expect((await service.eventsOf(submission.id)).slice(events)).toEqual(['SubmissionStatusChanged']);
    const { accountId } = submission;
    expect(await service.context.db.auditEntry.findMany({ where: { accountId } })).toMatchObject([
      {
        actor: 'casey',
        action: 'ClosePendingBilling',
        target: submission.id,
        after: { reason: 'GIVEN_UP_BY_SUPPLIER' },
      },
    ]);
  });

  it('ends it once when three people close it concurrently', async () => {
    const { id } = await pendingSubmission();
    const request = { submissionId: id, closeReason: CloseReason.OTHER };
    const ends = await Promise.allSettled(
      ['casey', 'kim', 'lee'].map((name) => staff('staff:billing', name).closePendingBilling(request)),
    );
    const late = ends.flatMap((end) => (end.status === 'rejected' ? [refusalOf(end.reason)?.code] : []));
    expect(late).toEqual([RefusalCode.WRONG_STATE, RefusalCode.WRONG_STATE]);
    expect(await service.eventsOf(id)).toHaveLength(2);
  });

  it('is final: a later promotion is rejected', async () => {
    const submission = await pendingSubmission();
    await close(submission.id);
    const promotion = basicSubmissions(service).promote(submission);
    expect(await promotion.then(() => undefined, refusalOf)).toMatchObject({
      code: RefusalCode.VALIDATION_ERROR,
      violations: [
        { path: 'submission_id', message: 'must be a submission whose billing has not been closed' },
      ],
    });
    expect((await billingOf(submission.id))?.billingStatus).toBe(BillingStatus.NOT_BILLABLE);
  });

  it.each<[string, () => Promise<{ id: SubmissionId }>, RegExp]>([
    [
      'undecided',
      () => pendingSubmission(undefined, { terms: { decisionMode: DecisionMode.STAFF } }),
      /Decide it first/,
    ],
    [
      'billable',
      () => pendingSubmission(undefined, { terms: { billingModel: ACCEPTED_SUBMISSION } }),
      /not pending/,
    ],
    [
      'of the sandbox',
      () => pendingSubmission(undefined, { environment: Environment.SANDBOX }),
      /not pending/,
    ],
  ])('is rejected for a submission that is %s', async (_, make, why) => {
    const { id } = await make();
    const events = await service.eventsOf(id);
    expect(await refused(close(id))).toMatchObject({ code: 'FailedPrecondition', refusal: 'WRONG_STATE' });
    await expect(close(id)).rejects.toThrow(why);
    expect(await service.eventsOf(id)).toEqual(events);
  });

  it('is rejected for an unknown submission', async () => {
    expect(await refused(close(newId()))).toMatchObject({ code: 'NotFound', refusal: 'NOT_FOUND' });
  });

  it.each([
    ['no reason', CloseReason.UNSPECIFIED],
    ['a reason that is not on the list', 99 as CloseReason],
  ])('is rejected with %s', async (_, closeReason) => {
    const { id } = await pendingSubmission();
    expect(await refused(close(id, closeReason))).toMatchObject({
      code: 'InvalidArgument',
      paths: ['close_reason'],
    });
  });
});
