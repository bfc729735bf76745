import { databaseClock } from '@supplier/lib/data/postgres';
import { RefusalCode } from '@supplier/lib/rpc/refusal';
import { eventually, forAllTests, startTestProcess } from '@supplier/lib/testing';
import { type AccountId, newId } from '@supplier/lib/text/ids';
import type { Clock } from '@supplier/lib/text/time';
import { Environment } from '@supplier/proto/common/v1/status';
import { consume, statusChanged } from '../../testing/status-changes.ts';
import { recordDue, recorded, recordWaiting, startTestEngine } from '../../testing/test-engine.ts';
import {
  openTestService,
  refused,
  START,
  startTestServer,
  type TestServer,
} from '../../testing/test-service.ts';
import { claimAttempts } from '../deliver/queue.sql.ts';
import { interrupted } from '../model/attempt.ts';
import { settleAttempts } from '../store/settle-attempts.sql.ts';

const { SANDBOX, PRODUCTION } = Environment;
const HOUR_MS = 3_600_000;
const at = (ms: number) => new Date(START.getTime() + ms);

const service = forAllTests(() => openTestService());
const server = forAllTests(() => startTestServer(service.context));
beforeEach(() => service.clock.set(START));

const admin = () => server.as('ada', 'staff:admin');
const enable = (accountId: AccountId) => admin().enableEndpoint({ accountId, environment: SANDBOX });
const disable = (accountId: AccountId) => admin().disableEndpoint({ accountId, environment: SANDBOX });

const intervals = (endpointId: string) =>
  service.db.endpointActivity.findMany({
    where: { endpointId },
    orderBy: { activeFrom: 'asc' },
    select: { activeFrom: true, activeUntil: true },
  });
const audit = (accountId: string) =>
  service.db.auditEntry.findMany({ where: { accountId }, orderBy: { sequence: 'asc' } });

/** Returns the state recorded for a change of that time that arrives now. */
async function stateOfChange(accountId: AccountId, occurredAt: Date) {
  const change = statusChanged({ accountId, occurredAt });
  await consume(service.context, change);
  return (await recorded(service, change.eventId)).state;
}

describe('DisableEndpoint', () => {
  it('ends the activity at that moment: a change then is dropped, and an earlier one is recorded even if it arrives late', async () => {
    const { accountId, endpointId } = await service.createEndpoint();
    service.clock.set(at(1_000));
    expect(await disable(accountId)).toMatchObject({ endpointId, enabled: false });
    expect(await intervals(endpointId)).toEqual([{ activeFrom: START, activeUntil: at(1_000) }]);
    service.clock.set(at(60_000));
    expect(await stateOfChange(accountId, at(999))).toBe('pending');
    expect(await stateOfChange(accountId, at(1_000))).toBe('dropped');
    expect(await stateOfChange(accountId, at(1_001))).toBe('dropped');
  });

  it('pauses waiting events, and lets an attempt in progress finish', async () => {
    const { accountId, endpointId } = await service.createEndpoint();
    const [underWay, failing, waiting] = await recordDue(service, { accountId, endpointId }, 3);
    const claimed = await claimAttempts(service.pool, [{ endpointId, slots: 2 }], 20_000);
    await disable(accountId);
    expect(await claimAttempts(service.pool, [{ endpointId, slots: 8 }], 20_000)).toEqual([]);
    const [first, second] = claimed;
    if (!first || !second || !underWay || !failing || !waiting) throw new Error('two attempts are under way');
    await settleAttempts(service.pool, [
      {
        ...interrupted(first, first.startedAt, () => 0.5),
        error: undefined,
        statusCode: 200,
        verdict: { state: 'delivered' },
      },
      interrupted(second, second.startedAt, () => 0.5),
    ]);
    expect((await recorded(service, first.eventId)).state).toBe('delivered');
    expect(await recorded(service, second.eventId)).toMatchObject({
      state: 'pending',
      nextAttemptAt: new Date(second.startedAt.getTime() + 15_000),
    });
    await service.passTime(HOUR_MS);
    expect(await claimAttempts(service.pool, [{ endpointId, slots: 8 }], 20_000)).toEqual([]);
  });

  it('is recorded in the audit log, and does nothing a second time', async () => {
    const { accountId, endpointId } = await service.createEndpoint();
    await disable(accountId);
    service.clock.set(at(5));
    expect(await disable(accountId)).toMatchObject({ enabled: false });
    expect(await intervals(endpointId)).toEqual([{ activeFrom: START, activeUntil: START }]);
    expect(await audit(accountId)).toMatchObject([
      {
        actor: 'ada',
        action: 'DisableEndpoint',
        at: START,
        after: { endpointId, environment: 'sandbox' },
      },
    ]);
  });

  it('takes effect once when called concurrently', async () => {
    const { accountId, endpointId } = await service.createEndpoint();
    await Promise.all(Array.from({ length: 6 }, () => disable(accountId)));
    expect(await audit(accountId)).toHaveLength(1);
    await Promise.all(Array.from({ length: 6 }, () => enable(accountId)));
    expect(await audit(accountId)).toHaveLength(2);
    expect(await intervals(endpointId)).toHaveLength(2);
  });

  it('does not affect the other environment', async () => {
    const { accountId } = await service.createEndpoint();
    await service.createEndpoint({ accountId, environment: 'production' });
    await disable(accountId);
    expect(await admin().getEndpoint({ accountId, environment: PRODUCTION })).toMatchObject({
      enabled: true,
    });
  });
});

describe('EnableEndpoint', () => {
  it('starts the activity at that moment: a change then is recorded, and an earlier one stays dropped', async () => {
    const { accountId, endpointId } = await service.createEndpoint();
    service.clock.set(at(1_000));
    await disable(accountId);
    service.clock.set(at(2_000));
    expect(await enable(accountId)).toMatchObject({ endpointId, enabled: true });
    expect(await intervals(endpointId)).toEqual([
      { activeFrom: START, activeUntil: at(1_000) },
      { activeFrom: at(2_000), activeUntil: null },
    ]);
    service.clock.set(at(60_000));
    expect(await stateOfChange(accountId, at(1_999))).toBe('dropped');
    expect(await stateOfChange(accountId, at(2_000))).toBe('pending');
  });

  it('can be repeated in the same millisecond, and changes dropped in between stay dropped', async () => {
    const { accountId, endpointId } = await service.createEndpoint();
    await disable(accountId);
    expect(await stateOfChange(accountId, START)).toBe('dropped');
    await enable(accountId);
    await disable(accountId);
    await enable(accountId);
    const all = await intervals(endpointId);
    expect(all).toEqual([
      { activeFrom: START, activeUntil: START },
      { activeFrom: at(1), activeUntil: at(1) },
      { activeFrom: at(2), activeUntil: null },
    ]);
    service.clock.set(at(10));
    expect(await stateOfChange(accountId, at(2))).toBe('pending');
  });

  it('tolerates a clock that went back', async () => {
    const { accountId, endpointId } = await service.createEndpoint();
    service.clock.set(at(500));
    await disable(accountId);
    service.clock.set(at(100));
    await enable(accountId);
    await disable(accountId);
    expect(await intervals(endpointId)).toEqual([
      { activeFrom: START, activeUntil: at(500) },
      { activeFrom: at(501), activeUntil: at(501) },
    ]);
  });

  it('resumes waiting events and wakes the delivery, but expires those older than 24 hours', async () => {
    const of = await service.createEndpoint();
    const other = await service.createEndpoint();
    const now = await service.now();
    const limit = now.getTime() - 24 * HOUR_MS;
    const [younger, older, attempted, leased] = await Promise.all([
      recordWaiting(service, of, new Date(limit + 60_000)),
      recordWaiting(service, of, new Date(limit - 1)),
      recordWaiting(service, of, new Date(limit - HOUR_MS)),
      recordWaiting(service, of, new Date(limit - HOUR_MS)),
    ]);
    const elsewhere = await recordWaiting(service, other, new Date(limit - HOUR_MS));
    await service.db.event.update({ where: { id: attempted }, data: { attemptCount: 3 } });
    await service.db.event.update({
      where: { id: leased },
      data: { attemptCount: 1, nextAttemptAt: null, leaseUntil: now },
    });
    await disable(of.accountId);
    service.woken.length = 0;
    await enable(of.accountId);

    expect(service.woken).toEqual([of.endpointId]);
    expect(await recorded(service, younger)).toMatchObject({ state: 'pending', settledAt: null });
    const expired = { state: 'expired', settledAt: expect.any(Date), nextAttemptAt: null };
    expect(await recorded(service, older)).toMatchObject(expired);
    expect(await recorded(service, attempted)).toMatchObject({ ...expired, attemptCount: 3 });
    expect(await recorded(service, leased)).toMatchObject({ state: 'pending', leaseUntil: now });
    expect(await recorded(service, elsewhere)).toMatchObject({ state: 'pending' });
    expect(await audit(of.accountId)).toMatchObject([
      { action: 'DisableEndpoint' },
      { action: 'EnableEndpoint', at: START, actor: 'ada', after: { expiredEvents: 2 } },
    ]);
  });

  it('changes nothing on an enabled endpoint: no interval, no audit entry, no expired event', async () => {
    const of = await service.createEndpoint();
    const old = await recordWaiting(service, of, new Date(Date.now() - 100 * HOUR_MS));
    expect(await enable(of.accountId)).toMatchObject({ enabled: true });
    expect(await intervals(of.endpointId)).toEqual([{ activeFrom: START, activeUntil: null }]);
    expect(await audit(of.accountId)).toEqual([]);
    expect((await recorded(service, old)).state).toBe('pending');
  });

  it('resumes the deliveries that waited', async () => {
    const of = await service.createEndpoint();
    await disable(of.accountId);
    const [eventId] = await recordDue(service, of, 1);
    if (!eventId) throw new Error('one event was recorded');
    const engine = startTestEngine(service, () => undefined);
    try {
      await engine.polls(3);
      expect(engine.attempts.filter(({ endpointId }) => endpointId === of.endpointId)).toEqual([]);
      await enable(of.accountId);
      await engine.until(async () => (await recorded(service, eventId)).state === 'delivered');
    } finally {
      await engine.delivery.stop();
    }
  });
});

describe('change of a submission', () => {
  it('is recorded exactly when it happened in an interval of activity, even if the endpoint is switched meanwhile', async () => {
    // Each read advances the clock, as time does outside tests.
    const clock = {
      now() {
        service.clock.advance(1);
        return service.clock.now();
      },
    };
    const moving = { ...service.context, clock };
    const movingServer = await startTestServer(moving);
    try {
      const { accountId, endpointId } = await service.createEndpoint();
      const switching = (async () => {
        const staff = movingServer.as('ada', 'staff:admin');
        for (let round = 0; round < 10; round += 1) {
          await staff.disableEndpoint({ accountId, environment: SANDBOX });
          await staff.enableEndpoint({ accountId, environment: SANDBOX });
        }
      })();
      const consumed = Array.from({ length: 4 }, async () => {
        for (let index = 0; index < 25; index += 1) {
          await consume(moving, statusChanged({ accountId, occurredAt: clock.now() }));
        }
      });
      await Promise.all([switching, ...consumed]);

      const active = await intervals(endpointId);
      const events = await service.db.event.findMany({ where: { accountId } });
      expect(active).toHaveLength(11);
      expect(events).toHaveLength(100);
      const within = (time: Date) =>
        active.some(
          ({ activeFrom, activeUntil }) => time >= activeFrom && (!activeUntil || time < activeUntil),
        );
      for (const { state, occurredAt } of events) expect(state !== 'dropped').toBe(within(occurredAt));
    } finally {
      await movingServer.close();
    }
  });
});

describe('call about an endpoint', () => {
  type Call = (as: ReturnType<TestServer['as']>, accountId: string) => Promise<unknown>;
  const environment = SANDBOX;
  const operations: Readonly<Record<string, Call>> = {
    GetEndpoint: (as, accountId) => as.getEndpoint({ accountId, environment }),
    EnableEndpoint: (as, accountId) => as.enableEndpoint({ accountId, environment }),
    DisableEndpoint: (as, accountId) => as.disableEndpoint({ accountId, environment }),
    RotateSecret: (as, accountId) => as.rotateSecret({ accountId, environment }),
    UpdateEndpointUrl: (as, accountId) =>
      as.updateEndpointUrl({ accountId, environment, url: 'https://hooks.example.com/' }),
  };

  it.each(Object.entries(operations))('by %s is refused when there is no endpoint', async (_name, call) => {
    const accountId = newId<AccountId>();
    await service.createEndpoint({ accountId, environment: 'production' });
    const { refusal } = await refused(call(admin(), accountId));
    expect(refusal?.code).toBe(RefusalCode.NOT_FOUND);
    expect(await audit(accountId)).toEqual([]);
  });

  it.each(Object.entries(operations))('by %s is refused for an unknown account', async (_name, call) => {
    const { refusal } = await refused(call(admin(), 'x'));
    expect(refusal).toMatchObject({
      code: RefusalCode.VALIDATION_ERROR,
      violations: [{ path: 'account_id' }],
    });
  });
});

describe('GetEndpoint', () => {
  it('shows how often attempts have failed and since when', async () => {
    const { accountId, endpointId } = await service.createEndpoint();
    const shown = () => server.as('vic', 'staff:viewer').getEndpoint({ accountId, environment: SANDBOX });
    expect(await shown()).toMatchObject({ failedAttempts: 0n });
    expect((await shown()).failingSince).toBeUndefined();
    await service.db.endpointHealth.create({ data: { endpointId, failingSince: at(7), failedAttempts: 3n } });
    expect(await shown()).toMatchObject({
      failedAttempts: 3n,
      failingSince: { seconds: BigInt(START.getTime() / 1_000), nanos: 7_000_000 },
    });
    expect(await disable(accountId)).toMatchObject({ failedAttempts: 3n });
  });
});

describe('endpoint switched by a machine whose clock is ahead', () => {
  it('gets later changes from a machine whose clock is behind, and no earlier ones', async () => {
    const process = startTestProcess('webhook');
    const machine = (skewMs: number) =>
      databaseClock(process, service.pool, { now: () => new Date(Date.now() + skewMs) });
    const [ahead, behind] = [machine(HOUR_MS), machine(-HOUR_MS)];
    const switching = await startTestServer({ ...service.context, clock: ahead });
    try {
      const { accountId } = await service.createEndpoint();
      const staff = switching.as('ada', 'staff:admin');
      await eventually('the same time on both', () => apart(ahead, behind) < 1_000);
      /** Returns the state of a change that the other machine makes when it is certainly later. */
      const stateOfNextChange = async () => {
        const now = (await service.now()).getTime();
        await eventually('a second later', async () => (await service.now()).getTime() > now + 1_000);
        return stateOfChange(accountId, behind.now());
      };
      await staff.disableEndpoint({ accountId, environment: SANDBOX });
      expect(await stateOfNextChange()).toBe('dropped');
      await staff.enableEndpoint({ accountId, environment: SANDBOX });
      expect(await stateOfNextChange()).toBe('pending');
    } finally {
      await switching.close();
      await process.stop();
    }
  });
});

const apart = (one: Clock, other: Clock) => Math.abs(one.now().getTime() - other.now().getTime());
