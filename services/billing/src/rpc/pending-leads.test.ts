import { type AccountId, newId, type SubmissionId } from '@supplier/lib/ids';
import { RefusalCode, refusalOf, refuse } from '@supplier/lib/refusal';
import { refused, startTestRpcServer, type TestRpcServer } from '@supplier/lib/testing';
import { toTimestamp } from '@supplier/lib/time';
import { relayWakes } from '@supplier/lib/wakeable';
import { BillingService, type Lead } from '@supplier/proto/billing/v1/billing';
import { CloseReason } from '@supplier/proto/billing/v1/pending_leads';
import {
  BillingModel,
  BillingStatus,
  Environment,
  NotBillableReason,
} from '@supplier/proto/common/v1/status';
import {
  deliver,
  emittedEvents,
  NOW,
  type Submission,
  submissionOf,
} from '../../testing/submission-events.ts';
import { openTestService, type TestService } from '../../testing/test-service.ts';
import type { LeadProgress } from '../domain/pending-lead.ts';
import { routes } from './index.ts';

const { APPLICATION_CREATED, ACCEPTED_SUBMISSION } = BillingModel;
const ACCEPTED: LeadProgress = { isDecided: true, isAccepted: true, hasApplication: false };

let service: TestService;
let server: TestRpcServer<typeof BillingService>;
let progress: LeadProgress | undefined | Error;
/** What happens when the submission service is asked. */
let whenAsked: () => Promise<void>;
let woken = 0;
beforeAll(async () => {
  service = await openTestService({
    wakes: Object.assign(relayWakes(), {
      relay: () => {
        woken += 1;
      },
    }),
    progressOf: async () => {
      await whenAsked();
      if (progress instanceof Error) throw progress;
      return progress;
    },
  });
  server = await startTestRpcServer('billing', BillingService, routes(service.context));
});
beforeEach(() => {
  progress = ACCEPTED;
  whenAsked = async () => {};
});
afterAll(async () => {
  await server?.close();
  await service?.close();
});

const billing = (role = 'staff:billing') => server.as('casey', role);

/** An id of a submission that was received so many days ago. */
function receivedAgo(days: number): SubmissionId {
  const hex = (NOW.getTime() - days * 86_400_000).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}${newId().slice(13)}` as SubmissionId;
}

async function pendingLead(accountId = newId<AccountId>(), days = 10) {
  const submissionId = receivedAgo(days);
  const lead = submissionOf(APPLICATION_CREATED, Environment.PRODUCTION, { accountId, submissionId });
  await deliver(service.context, lead.accepted());
  return lead;
}

describe('ListLeads', () => {
  it('lists the pending leads of an account, oldest first, page by page, and counts them once', async () => {
    const accountId = newId<AccountId>();
    const leads: Submission[] = [];
    for (const days of [3, 9, 1, 7, 5]) leads.push(await pendingLead(accountId, days));
    await pendingLead();
    const billed = submissionOf(ACCEPTED_SUBMISSION, Environment.PRODUCTION, {
      accountId,
      submissionId: receivedAgo(8),
    });
    await deliver(service.context, billed.accepted());

    const first = await billing('staff:viewer').listLeads({ accountId, pendingDays: 2, pageSize: 3 });
    const second = await billing().listLeads({
      accountId,
      pendingDays: 2,
      pageSize: 3,
      pageToken: first.nextPageToken,
    });
    const byAge = [1, 3, 4, 0].map((place) => leads[place]?.submissionId);
    expect([...first.leads, ...second.leads].map(({ submissionId }) => submissionId)).toEqual(byAge);
    expect(first.leads).toHaveLength(3);
    expect(first.leads[0]).toMatchObject({
      accountId,
      environment: Environment.PRODUCTION,
      billingModel: APPLICATION_CREATED,
      receivedAt: toTimestamp(new Date(NOW.getTime() - 9 * 86_400_000)),
    });
    expect(first).toMatchObject({
      count: 4,
      countIsAtLeast: false,
      oldestReceivedAt: toTimestamp(new Date(NOW.getTime() - 9 * 86_400_000)),
    });
    expect(second.count).toBeUndefined();
    expect(second.nextPageToken).toBe('');
  });

  it('is empty for the sandbox and for an account without such leads', async () => {
    const environment = Environment.SANDBOX;
    expect(await billing().listLeads({ environment })).toMatchObject({ leads: [], count: 0 });
    const accountId = newId();
    expect(await billing().listLeads({ accountId })).toMatchObject({
      leads: [],
      count: 0,
      nextPageToken: '',
    });
  });

  it('looks at 5,000 leads a page: one of a rare account is found by going on', async () => {
    await service.context.pool.query(
      `INSERT INTO lead (submission_id, account_id, environment, billing_model, billing_status, version, last_seen_version)
       SELECT ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, gen_random_uuid(), 'production',
              'application_created', 'pending', 0, 0 FROM generate_series(1, 10050) AS n`,
    );
    const accountId = newId<AccountId>();
    const rare = await pendingLead(accountId, 0.5);
    const sizes: number[] = [];
    let pageToken = '';
    do {
      const page = await billing().listLeads({ accountId, pageToken });
      if (pageToken === '') expect(page).toMatchObject({ count: 0, countIsAtLeast: true });
      sizes.push(page.leads.length);
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(sizes).toEqual([0, 0, 1]);
    expect(await billing().listLeads({})).toMatchObject({ count: 10_000, countIsAtLeast: true });
    expect(rare.accountId).toBe(accountId);
  });

  it.each([
    ['a page token of another query', { pageToken: 'x' }, 'page_token'],
    ['a page size above 200', { pageSize: 201 }, 'page_size'],
    ['days below zero', { pendingDays: -1 }, 'pending_days'],
    ['an account that is none', { accountId: 'x' }, 'account_id'],
  ])('is refused for %s', async (_, part, path) => {
    const wrong = { code: 'InvalidArgument', paths: [path] };
    expect(await refused(billing().listLeads(part))).toMatchObject(wrong);
  });
});

describe('ClosePendingLead', () => {
  const close = (submissionId: string, closeReason = CloseReason.GIVEN_UP_BY_SUPPLIER, role?: string) =>
    billing(role).closePendingLead({ submissionId, closeReason });
  const outcome = (submissionId: string): Promise<Lead> => billing().getLead({ submissionId });

  it('ends the billing, tells the submission service once, costs nothing, and is audited', async () => {
    const lead = await pendingLead();
    const before = woken;
    const answer = await close(lead.submissionId);
    const billed = {
      billingStatus: BillingStatus.NOT_BILLABLE,
      billingModel: APPLICATION_CREATED,
      notBillableReason: NotBillableReason.REJECTED,
    };
    expect(answer).toMatchObject({ submissionId: lead.submissionId, billing: billed });
    expect(await outcome(lead.submissionId)).toMatchObject({ billing: billed, entries: [] });
    const emitted = await emittedEvents(service.context, lead.submissionId);
    expect(emitted).toMatchObject([{ aggregateVersion: 1n, message: { billing: billed } }]);
    expect(woken).toBe(before + 1);
    const { accountId } = lead;
    expect(await service.context.db.auditEntry.findMany({ where: { accountId } })).toMatchObject([
      {
        actor: 'casey',
        action: 'ClosePendingLead',
        target: lead.submissionId,
        after: { reason: 'GIVEN_UP_BY_SUPPLIER' },
      },
    ]);
  });

  it('is final: an Application that comes later charges nothing', async () => {
    const lead = await pendingLead();
    await close(lead.submissionId);
    await deliver(service.context, lead.applicationCreated(), lead.cleared());
    expect(await outcome(lead.submissionId)).toMatchObject({
      billing: { billingStatus: BillingStatus.NOT_BILLABLE },
      entries: [],
    });
    expect(await refused(close(lead.submissionId))).toMatchObject({ refusal: 'WRONG_STATE' });
    expect(await emittedEvents(service.context, lead.submissionId)).toHaveLength(1);
  });

  it('by several at once ends it once', async () => {
    const { submissionId } = await pendingLead();
    const all = Promise.withResolvers<void>();
    let asking = 0;
    whenAsked = async () => {
      asking += 1;
      if (asking === 3) all.resolve();
      await all.promise;
    };
    const people = ['casey', 'kim', 'lee'].map((name) => server.as(name, 'staff:billing'));
    const request = { submissionId, closeReason: CloseReason.GIVEN_UP_BY_SUPPLIER };
    const ends = await Promise.allSettled(people.map((person) => person.closePendingLead(request)));
    const late = ends.flatMap((end) => (end.status === 'rejected' ? [refusalOf(end.reason)?.code] : []));
    expect(late).toEqual([RefusalCode.WRONG_STATE, RefusalCode.WRONG_STATE]);
    expect(await emittedEvents(service.context, submissionId)).toHaveLength(1);
  });

  it.each([
    ['is not decided', { ...ACCEPTED, isDecided: false, isAccepted: false }],
    ['is not accepted', { ...ACCEPTED, isAccepted: false }],
    ['has its Application', { ...ACCEPTED, hasApplication: true }],
  ])('is refused for a lead that %s: the submission service moves that', async (_, found) => {
    const { submissionId } = await pendingLead();
    progress = found;
    expect(await refused(close(submissionId))).toMatchObject({
      code: 'FailedPrecondition',
      refusal: 'WRONG_STATE',
    });
    expect(await emittedEvents(service.context, submissionId)).toEqual([]);
  });

  it('is refused for a lead that is billable, and one of the sandbox', async () => {
    const billed = submissionOf(ACCEPTED_SUBMISSION);
    const played = submissionOf(APPLICATION_CREATED, Environment.SANDBOX);
    await deliver(service.context, billed.accepted(), played.accepted());
    progress = { ...ACCEPTED, hasApplication: true };
    for (const { submissionId } of [billed, played]) {
      expect(await refused(close(submissionId))).toMatchObject({ refusal: 'WRONG_STATE' });
      await expect(close(submissionId)).rejects.toThrow('is not pending');
    }
  });

  it('is refused for one that billing does not know, and while the submission service is away', async () => {
    expect(await refused(close(newId()))).toMatchObject({ code: 'NotFound', refusal: 'NOT_FOUND' });
    const { submissionId } = await pendingLead();
    progress = refuse(RefusalCode.SERVICE_UNAVAILABLE, 'The submission service is unavailable.');
    expect(await refused(close(submissionId))).toMatchObject({ code: 'Unavailable' });
    expect(await emittedEvents(service.context, submissionId)).toEqual([]);
  });

  it.each([
    ['none', CloseReason.UNSPECIFIED],
    ['one that is not on the list', 99 as CloseReason],
  ])('needs a reason of the list, and words of staff have no place: not %s', async (_, closeReason) => {
    const { submissionId } = await pendingLead();
    expect(await refused(close(submissionId, closeReason))).toMatchObject({
      code: 'InvalidArgument',
      paths: ['close_reason'],
    });
  });
});
