import { type AccountId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { Environment } from '@supplier/proto/common/v1/status';
import { consume, statusChanged } from '../../testing/status-changes.ts';
import { recordDue, startTestEngine, type TestEngine } from '../../testing/test-engine.ts';
import {
  openTestService,
  refused,
  startTestServer,
  type TestServer,
  type TestService,
} from '../../testing/test-service.ts';
import { expirePaused } from '../endpoints/endpoint-sweeps.ts';
import { deleteOldEvents } from '../erase/delete-old-events.ts';
import { NO_PLACES } from '../model/attempt.ts';
import { foldDeliveryNotes } from './delivery-counts.sql.ts';
import { foldDeliveries } from './delivery-figures.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let service: TestService;
let server: TestServer;
let engine: TestEngine | undefined;
beforeEach(async () => {
  service = await openTestService();
  server = await startTestServer(service.context);
});
afterEach(async () => {
  await engine?.delivery.stop();
  engine = undefined;
  await server?.close();
  await service?.close();
});

const fold = () => foldDeliveryNotes(service.pool, 1_000);
const dayOf = (at: Date) => at.toISOString().slice(0, 10);

async function figures(request: object = {}) {
  const now = await service.now();
  return server.as('vic', 'staff:viewer').getDeliveryFigures({
    environment: Environment.SANDBOX,
    fromDay: dayOf(new Date(now.getTime() - 60 * DAY_MS)),
    untilDay: dayOf(now),
    ...request,
  });
}

/** The days with events, from the figures and from a plain count of the rows. */
const said = async () =>
  (await figures()).days
    .map(({ $typeName: _, firstAttemptP50Ms, firstAttemptP95Ms, ...day }) => day)
    .filter(({ recorded }) => recorded > 0n);
async function counted() {
  const states = ['delivered', 'exhausted', 'expired', 'superseded', 'dropped', 'pending'];
  const { rows } = await service.pool.query<Record<string, string>>(
    `SELECT (recorded_at AT TIME ZONE 'UTC')::date::text AS day, count(*) AS recorded,
            count(*) FILTER (WHERE state = 'delivered' AND attempt_count = 1) AS "deliveredAtFirst",
            ${states.map((state) => `count(*) FILTER (WHERE state = '${state}') AS ${state}`)}
       FROM event WHERE environment = 'sandbox' GROUP BY 1 ORDER BY 1`,
  );
  return rows.map(({ day, ...counts }) => ({
    day,
    ...Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, BigInt(count)])),
  }));
}

/** Delivers due events until none is left; deliveries to `failing` fail. */
async function deliver(failing: AccountId[] = [], isDirect: () => Promise<unknown> = async () => {}) {
  const { rows } = await service.pool.query<{ id: string }>(
    'SELECT id FROM endpoint WHERE account_id = ANY($1)',
    [failing],
  );
  const bad = new Set<string>(rows.map(({ id }) => id));
  engine = startTestEngine(service, ({ endpointId }) => (bad.has(endpointId) ? 'status' : undefined));
  service.context.wakes.connect({ delivery: engine.delivery.wake, reserve: engine.delivery.reserve });
  await isDirect();
  await engine.until(async () => {
    const { rowCount } = await service.pool.query(
      `SELECT FROM event e JOIN endpoint p ON p.id = e.endpoint_id AND p.enabled
        WHERE e.lease_until IS NOT NULL OR e.next_attempt_at <= statement_timestamp()`,
    );
    return rowCount === 0;
  });
  await engine.delivery.stop();
  engine = undefined;
  service.context.wakes.connect({ delivery() {}, reserve: () => NO_PLACES });
}

describe('GetDeliveryFigures', () => {
  it('matches a plain count of the rows before, between and after folds, after any operation', async () => {
    const healthy = await service.createEndpoint();
    const failing = await service.createEndpoint();
    const disabled = await service.createEndpoint();
    const nobody = newId<AccountId>();
    const firstDay = dayOf(await service.now());
    for (let round = 0; round < 9; round += 1) {
      const changes = [healthy, failing, disabled, { accountId: nobody }].flatMap(({ accountId }) => {
        const submissionId = newId<SubmissionId>();
        // On an earlier day than the change is recorded, as after an outage.
        const occurredAt = new Date(Date.now() - (round % 3) * DAY_MS);
        return [
          statusChanged({ accountId, occurredAt, submissionId }),
          statusChanged({ accountId, occurredAt: new Date(occurredAt.getTime() + 1), submissionId }),
        ];
      });
      const record = async () => {
        for (const change of changes) await consume(service.context, change);
      };
      if (round % 2 === 0) await record();
      if (round === 4)
        await service.pool.query('UPDATE endpoint SET enabled = false WHERE id = $1', [disabled.endpointId]);
      await deliver([failing.accountId], round % 2 === 0 ? undefined : record);
      if (round % 3 === 0) await fold();
      expect(await said()).toEqual(await counted());
      await service.passTime(2 * HOUR_MS);
      expect(await said()).toEqual(await counted());
    }
    // Waits for the first attempt count on the day of recording, too.
    const { rows } = await service.pool.query<{ day: string }>(
      `SELECT min(day)::text AS day FROM (SELECT day FROM first_attempt_wait_count
         UNION ALL SELECT day FROM delivery_note WHERE wait IS NOT NULL) AS waits`,
    );
    expect(rows).toEqual([{ day: firstDay }]);
    await service.passTime(service.context.pausedDeliveryMs);
    await expirePaused.run(service.context);
    for (const isFolded of [false, true]) {
      if (isFolded) while ((await fold()) > 0);
      const days = await said();
      expect(days).toEqual(await counted());
      for (const state of [
        'delivered',
        'deliveredAtFirst',
        'exhausted',
        'expired',
        'superseded',
        'dropped',
      ] as const)
        expect([state, days.some((day) => (day[state] ?? 0n) > 0n)]).toEqual([state, true]);
    }
  });

  it('returns how long events waited for their first attempt, each counted once, whether claimed when recorded or later', async () => {
    const { accountId, endpointId } = await service.createEndpoint();
    const earlier = new Date((await service.now()).getTime() - 10 * 60_000);
    await recordDue(service, { accountId, endpointId }, 3, earlier);
    await deliver([accountId]);
    await service.passTime(HOUR_MS);
    // Their second attempts, and two events whose first is claimed when they are recorded.
    await deliver();
    await deliver([], async () => {
      for (let n = 0; n < 2; n += 1)
        await consume(service.context, statusChanged({ accountId, occurredAt: new Date() }));
    });
    for (const isFolded of [false, true]) {
      if (isFolded) await fold();
      for (const request of [{}, { accountId }]) {
        const { firstAttemptP50Ms, firstAttemptP95Ms } = await figures(request);
        // Three of five waited: if second attempts were counted too, or direct ones were not, the median would differ.
        expect(Number(firstAttemptP50Ms)).toBeGreaterThanOrEqual(10 * 60_000);
        expect(Number(firstAttemptP95Ms)).toBeLessThanOrEqual(11 * 60_000 * 1.1);
      }
      const { rows } = await service.pool.query<{ sum: string }>(
        `SELECT (SELECT coalesce(sum(events), 0) FROM first_attempt_wait_count WHERE account_id = $1)
              + (SELECT coalesce(sum(events), 0) FROM delivery_note WHERE wait IS NOT NULL) AS sum`,
        [accountId],
      );
      expect(Number(rows[0]?.sum)).toBe(5);
      for (const other of [{ accountId: newId() }, { environment: Environment.PRODUCTION }]) {
        const { firstAttemptP50Ms, days } = await figures(other);
        expect([firstAttemptP50Ms, days.filter((day) => day.recorded > 0n)]).toEqual([undefined, []]);
      }
    }
  });

  it.each([
    ['claimed as they are recorded', true],
    ['claimed later', false],
  ])(
    'returns the delay from the change to the first attempt, measured by an external clock, of events %s',
    async (_what, isDirect) => {
      const { accountId } = await service.createEndpoint();
      const started: number[] = [];
      const start = () => {
        engine = startTestEngine(service, () => {
          started.push(Date.now());
          return undefined;
        });
        service.context.wakes.connect({ delivery: engine.delivery.wake, reserve: engine.delivery.reserve });
        return engine;
      };
      if (isDirect) start();
      // The change took two seconds to arrive.
      const changedAt = Date.now() - 2_000;
      await consume(service.context, statusChanged({ accountId, occurredAt: new Date(changedAt) }));
      await (engine ?? start()).until(async () => started.length === 1);
      const outsideMs = (started[0] ?? Number.NaN) - changedAt;
      const { firstAttemptP50Ms, firstAttemptP95Ms } = await figures({ accountId });
      for (const ms of [Number(firstAttemptP50Ms), Number(firstAttemptP95Ms)]) {
        // Figures are accurate to 9 %. The attempt is claimed before it begins.
        expect(ms).toBeGreaterThanOrEqual(2_000 / 1.1);
        expect(ms).toBeLessThanOrEqual(outsideMs * 1.1);
      }
    },
  );

  it.each(['2026-01-15', '2026-03-28', '2026-06-30', '2026-10-24'])(
    'counts events of the last hour of %s on that day in UTC, with their attempts and outcomes',
    async (day) => {
      const { accountId, endpointId } = await service.createEndpoint();
      await recordDue(service, { accountId, endpointId }, 1);
      const at = `${day}T23:30:00Z`;
      const update = (set: string) =>
        service.pool.query(`UPDATE event SET ${set} WHERE recorded_at = $1`, [at]);
      const copy = () =>
        service.pool.query(
          `INSERT INTO event SELECT (jsonb_populate_record(e, jsonb_build_object('id', gen_random_uuid(), 'recorded_at', $2::text))).*
             FROM event e WHERE endpoint_id = $1 LIMIT 1`,
          [endpointId, at],
        );
      const counted = async () => {
        const range = { accountId, fromDay: day, untilDay: dayOf(new Date(Date.parse(day) + DAY_MS)) };
        return (await figures(range)).days.map(({ recorded, pending, expired, firstAttemptP50Ms }) =>
          [recorded, pending, expired].map(Number).concat(firstAttemptP50Ms === undefined ? 0 : 1),
        );
      };
      const none = [0, 0, 0, 0];
      await copy();
      expect(await counted()).toEqual([[1, 1, 0, 0], none]);
      await service.pool.query('DELETE FROM event WHERE endpoint_id = $1 AND recorded_at <> $2', [
        ...[endpointId, at],
      ]);
      await update(
        `attempt_count = 1, next_attempt_at = NULL, attempt_started_at = occurred_at, lease_until = now() + interval '1 h'`,
      );
      expect(await counted()).toEqual([[1, 1, 0, 1], none]);
      await copy();
      expect(await counted()).toEqual([[2, 2, 0, 1], none]);
      await update(`state = 'expired', lease_until = NULL, settled_at = now()`);
      expect(await counted()).toEqual([[2, 0, 2, 1], none]);
    },
  );

  it('keeps its counts when events are deleted', async () => {
    const { accountId, endpointId } = await service.createEndpoint();
    await recordDue(service, { accountId, endpointId }, 2);
    await deliver();
    await service.pool.query('UPDATE event SET settled_at = $1', [new Date('2020-01-01')]);
    const before = await figures();
    expect(await deleteOldEvents.run(service.context)).toMatchObject({ count: 2 });
    expect(await figures()).toEqual(before);
    expect(await said()).toMatchObject([{ recorded: 2n, delivered: 2n }]);
  });
});

it.each([
  [{ fromDay: '2026-11-31' }, 'from_day'],
  [{ fromDay: '2026-11-02', untilDay: '2026-11-01' }, 'until_day'],
  [{ fromDay: '2026-01-01', untilDay: '2026-11-01' }, 'until_day'],
  [{ accountId: 'x' }, 'account_id'],
])('GetDeliveryFigures rejects %j', async (range, path) => {
  expect((await refused(figures(range))).refusal?.violations).toMatchObject([{ path }]);
});

describe('fold of delivery notes', () => {
  it('changes nothing when interrupted, and the next one counts everything once', async () => {
    const { accountId, endpointId } = await service.createEndpoint();
    await recordDue(service, { accountId, endpointId }, 2);
    const client = await service.pool.connect();
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await client.query('BEGIN');
    expect(await foldDeliveryNotes(client, 1_000)).toBeGreaterThan(0);
    expect(await fold()).toBe(0);
    const broken = new Promise((resolve) => client.on('error', resolve));
    await service.pool.query('SELECT pg_terminate_backend($1, 10000)', [rows[0]?.pid]);
    await broken;
    client.release(true);
    expect(await said()).toEqual(await counted());
    expect(await fold()).toBeGreaterThan(0);
    expect(await fold()).toBe(0);
    expect(await said()).toEqual(await counted());
  });

  it('continues at once while more than 10,000 are left', async () => {
    await service.pool.query(
      `INSERT INTO delivery_note (environment, day, account_id, state, at_first, events)
       SELECT 'sandbox', (now() AT TIME ZONE 'UTC')::date, $1, 'pending', false, 1 FROM generate_series(1, 20001)`,
      [newId<AccountId>()],
    );
    const runs = [];
    for (let run = 0; run < 3; run += 1) runs.push(await foldDeliveries.run(service.context));
    expect(runs.map(({ more }) => more)).toEqual([true, true, false]);
    expect(await said()).toMatchObject([{ recorded: 20_001n, pending: 20_001n }]);
  });
});
