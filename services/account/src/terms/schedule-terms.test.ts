import { create } from '@bufbuild/protobuf';
import { forAllTests, refused } from '@supplier/lib/testing';
import { newId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { ScheduledTermsState as State } from '@supplier/proto/account/v1/scheduled_terms';
import { CapsSchema } from '@supplier/proto/common/v1/principal';
import { Environment } from '@supplier/proto/common/v1/status';
import { NEW_ACCOUNT } from '../../testing/account-requests.ts';
import { openTestService, type TestService } from '../../testing/test-service.ts';
import { takeOverDueTerms } from './index.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const HOUR_MS = 3_600_000;
const PURPOSE = 'agreed with the supplier';

let now = NOW;
let admin: ReturnType<TestService['as']>;
const service = forAllTests(() => openTestService({ now: () => now }));
beforeAll(async () => {
  admin = service.as('ada', 'staff:admin');
});
beforeEach(() => {
  now = NOW;
});

const at = (hours: number) => new Date(NOW.getTime() + hours * HOUR_MS);
const pass = (hours: number) => {
  now = at(hours);
};
/** Creates an account with a cap of 10 a day and returns what the gateway resolves for it. */
async function account() {
  const { accountId } = await admin.createAccount(NEW_ACCOUNT);
  const { bearer } = await admin.issueCredential({
    accountId,
    environment: Environment.SANDBOX,
    scopes: NEW_ACCOUNT.permittedScopes,
  });
  const publicId = bearer.split('_')[2] ?? '';
  const gateway = service.as('gateway', 'service:gateway');
  return {
    accountId,
    schedule: (hours: number, acceptedPerDay?: number) =>
      admin.scheduleTerms({
        accountId,
        ...(acceptedPerDay !== undefined && { caps: { acceptedPerDay } }),
        thresholds: { minimumFundingAmount: 5_000 },
        effectiveFrom: toTimestamp(at(hours)),
        purpose: PURPOSE,
      }),
    resolved: async () => {
      const { account: found, termsHoldForMs } = await gateway.resolveCredential({ publicId });
      return {
        cap: found?.terms?.caps?.acceptedPerDay,
        minimum: found?.terms?.thresholds?.minimumFundingAmount,
        holdsForMs: termsHoldForMs === undefined ? undefined : Number(termsHoldForMs),
      };
    },
    resolvedRevision: async () => (await gateway.resolveCredential({ publicId })).account?.revision,
    shown: () => admin.getAccount({ accountId }),
    update: async (acceptedPerDay: number, revision?: bigint) => {
      const current = await admin.getAccount({ accountId });
      const { state, permittedScopes, terms, limits } = current;
      return admin.updateAccount({
        accountId,
        revision: revision ?? current.revision,
        ...{ state, permittedScopes },
        ...(limits && { limits }),
        ...(terms && { terms: { ...terms, caps: create(CapsSchema, { acceptedPerDay }) } }),
      });
    },
  };
}
const sweep = () => takeOverDueTerms.run(service.context);

describe('scheduled terms', () => {
  it('take effect to the millisecond, and earlier responses state how long the current terms hold', async () => {
    const { schedule, resolved } = await account();
    await schedule(2, 20);
    expect(await resolved()).toEqual({ cap: 10, minimum: 0, holdsForMs: 2 * HOUR_MS });
    now = new Date(at(2).getTime() - 1);
    expect(await resolved()).toEqual({ cap: 10, minimum: 0, holdsForMs: 1 });
    pass(2);
    expect(await resolved()).toEqual({ cap: 20, minimum: 5_000, holdsForMs: undefined });
  });

  it('replace all thresholds and caps, so that omitted ones no longer apply', async () => {
    const { schedule, resolved } = await account();
    await schedule(1);
    pass(1);
    expect(await resolved()).toMatchObject({ cap: undefined, minimum: 5_000 });
  });

  it('take effect one after the other, whether or not a sweep has run in between', async () => {
    const { schedule, resolved } = await account();
    await schedule(3, 30);
    await schedule(1, 11);
    expect(await resolved()).toMatchObject({ cap: 10, holdsForMs: HOUR_MS });
    pass(1);
    expect(await resolved()).toEqual({ cap: 11, minimum: 5_000, holdsForMs: 2 * HOUR_MS });
    pass(4);
    expect(await resolved()).toMatchObject({ cap: 30, holdsForMs: undefined });
  });

  it('are copied into the account once, with one revision, one event and one audit entry', async () => {
    const { accountId, schedule, resolved, resolvedRevision, shown } = await account();
    const { scheduledTermsId } = await schedule(2, 22);
    await schedule(1, 11);
    const { revision } = await shown();
    pass(3);
    const before = await shown();
    expect(before).toMatchObject({ revision: revision + 1n, terms: { caps: { acceptedPerDay: 22 } } });
    expect(await resolvedRevision()).toBe(revision + 1n);
    await Promise.all([sweep(), sweep(), sweep()]);
    expect(await shown()).toEqual(before);
    expect(await resolved()).toMatchObject({ cap: 22 });
    expect((await sweep()).count).toBe(0);
    expect((await service.eventsOf(accountId)).at(-1)).toMatchObject({
      type: 'AccountChanged',
      aggregateVersion: revision + 1n,
    });
    const audit = await service.auditOf(accountId);
    expect(audit.filter(({ action }) => action === 'TakeOverTerms')).toMatchObject([
      { actor: 'service:account', target: scheduledTermsId, after: { caps: { acceptedPerDay: 22 } } },
    ]);
  });

  it('are copied into every account when more are due than one run reads', async () => {
    const { db } = service.context;
    const accounts = await Promise.all(Array.from({ length: 11 }, account));
    const { scheduledTermsId } = (await accounts[0]?.schedule(1, 11)) ?? {};
    const terms = await db.scheduledTerms.findUniqueOrThrow({ where: { id: String(scheduledTermsId) } });
    const data = accounts.flatMap(({ accountId }, index) =>
      Array.from({ length: 20 }, (_, second) => ({
        ...{ ...terms, thresholds: {}, caps: {} },
        ...{
          id: newId(),
          accountId,
          effectiveFrom: new Date(at(2).getTime() + (index * 20 + second) * 1_000),
        },
      })),
    );
    await db.scheduledTerms.createMany({ data });
    pass(3);
    let copied = 0;
    for (let more = true; more; ) {
      const run = await sweep();
      copied += run.count;
      more = run.more;
    }
    expect(copied).toBeGreaterThanOrEqual(accounts.length);
    const due = { appliedAt: null, cancelledAt: null, effectiveFrom: { lte: now } };
    expect(await db.scheduledTerms.count({ where: due })).toBe(0);
  });

  it('emit an event when scheduled and when cancelled, and leave audit entries with their purpose', async () => {
    const { accountId, schedule } = await account();
    const before = (await service.eventsOf(accountId)).length;
    const { scheduledTermsId } = await schedule(1, 11);
    await admin.cancelScheduledTerms({ scheduledTermsId });
    expect((await service.eventsOf(accountId)).slice(before).map(({ type }) => type)).toEqual([
      'AccountChanged',
      'AccountChanged',
    ]);
    const lines = (await service.auditOf(accountId)).filter(({ target }) => target === scheduledTermsId);
    expect(lines.map(({ action, purpose }) => [action, purpose])).toEqual([
      ['ScheduleTerms', PURPOSE],
      ['CancelScheduledTerms', ''],
    ]);
  });
});

describe('UpdateAccount with scheduled terms', () => {
  it('applies immediately, until the scheduled terms take effect', async () => {
    const { schedule, resolved, update } = await account();
    await schedule(2, 20);
    pass(1);
    await update(15);
    expect(await resolved()).toMatchObject({ cap: 15, holdsForMs: HOUR_MS });
    pass(2);
    expect(await resolved()).toMatchObject({ cap: 20 });
  });

  it('replaces terms that have taken effect, even before they were copied into the account', async () => {
    const { schedule, resolved, update } = await account();
    await schedule(1, 20);
    pass(2);
    await update(15);
    expect(await resolved()).toMatchObject({ cap: 15, minimum: 5_000 });
    await sweep();
    expect(await resolved()).toMatchObject({ cap: 15 });
  });

  it('rejects a caller that read the account before the terms took effect', async () => {
    const { schedule, shown, update } = await account();
    await schedule(1, 20);
    const { revision } = await shown();
    pass(1);
    expect(await refused(update(15, revision))).toMatchObject({ refusal: 'REVISION_CONFLICT' });
    expect((await shown()).terms?.caps?.acceptedPerDay).toBe(20);
  });
});

describe('CancelScheduledTerms', () => {
  it('cancels pending terms once, returns the same response when repeated, and frees their time', async () => {
    const { accountId, schedule, resolved } = await account();
    const { scheduledTermsId } = await schedule(1, 20);
    const cancelled = await admin.cancelScheduledTerms({ scheduledTermsId });
    expect(cancelled.state).toBe(State.CANCELLED);
    expect(await resolved()).toMatchObject({ cap: 10, holdsForMs: undefined });
    expect(await admin.cancelScheduledTerms({ scheduledTermsId })).toEqual(cancelled);
    await schedule(1, 30);
    await schedule(2, 40);
    pass(1);
    expect(await resolved()).toMatchObject({ cap: 30 });
    const first = await admin.listScheduledTerms({ accountId, pageSize: 2 });
    const second = await admin.listScheduledTerms({
      accountId,
      pageSize: 2,
      pageToken: first.nextPageToken,
    });
    const listed = [first, second].map(({ scheduledTerms }) =>
      scheduledTerms.map(({ state, caps }) => [State[state], caps?.acceptedPerDay]),
    );
    expect(listed).toEqual([
      [
        ['WAITING', 40],
        ['EFFECTIVE', 30],
      ],
      [['CANCELLED', 20]],
    ]);
    expect(second.nextPageToken).toBe('');
  });

  it('rejects terms that have taken effect and unknown ones', async () => {
    const { schedule } = await account();
    const { scheduledTermsId } = await schedule(1, 20);
    pass(1);
    expect(await refused(admin.cancelScheduledTerms({ scheduledTermsId }))).toMatchObject({
      refusal: 'WRONG_STATE',
    });
    expect(await refused(admin.cancelScheduledTerms({ scheduledTermsId: newId() }))).toMatchObject({
      refusal: 'NOT_FOUND',
    });
  });
});

describe('ScheduleTerms', () => {
  it.each([
    ['now', 0],
    ['the past', -1],
    ['more than 366 days away', 366 * 24 + 1],
  ])('rejects an invalid effective time: %s', async (_, hours) => {
    const { schedule } = await account();
    expect(await refused(schedule(hours))).toMatchObject({ paths: ['effective_from'] });
  });

  it('rejects a negative cap, an unknown account, a taken time and a 21st pending entry', async () => {
    const { schedule } = await account();
    expect(await refused(schedule(1, -1))).toMatchObject({ paths: ['caps.accepted_per_day'] });
    const unknown = { accountId: newId(), effectiveFrom: toTimestamp(at(1)), purpose: PURPOSE };
    expect(await refused(admin.scheduleTerms(unknown))).toMatchObject({ refusal: 'NOT_FOUND' });
    await schedule(1);
    expect(await refused(schedule(1))).toMatchObject({ refusal: 'ALREADY_EXISTS' });
    for (let hours = 2; hours <= 20; hours += 1) await schedule(hours);
    expect(await refused(schedule(21))).toMatchObject({ refusal: 'WRONG_STATE' });
  });
});
