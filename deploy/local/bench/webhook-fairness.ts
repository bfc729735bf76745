import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { Benchmark } from './benchmark.ts';
import { type BenchEndpoint, deliveryQueue } from './delivery-queue.ts';
import type { Measure } from './result.ts';
import { type BenchReceiver, startReceiver } from './side-processes.ts';
import { percentile } from './statistics.ts';
import { decisionOf } from './status-events.ts';
import type { Workbench } from './workbench.ts';

const HEALTHY = 50;
const DEAD = 200;
const BACKLOG_PER_DEAD = 100;
const EVENTS_PER_SECOND = 200;
const USUAL_SECONDS = 60;
const TICK_MS = 50;
const IDLE_EVENTS = 50;
const IDLE_PAUSE_MS = 40;
/** What was published last may still be on its way. */
const DRAIN_MS = 12_000;
const TARGET_P95_MS = 250;
const TARGET_IDLE_MS = 50;

/**
 * How long events of endpoints that work wait for their first attempt: alone, and while many other endpoints accept
 * connections and never answer. Events are published by the submission service's outbox, so that all of recording is
 * part of it; the time counts from the recording to the arrival at the receiver.
 */
export const webhookFairness: Benchmark = {
  summary: 'wait of working endpoints for their first attempt while 200 others hang',
  async run(bench, { seconds = USUAL_SECONDS }) {
    await bench.start(['submission', 'webhook']);
    const receiver = await startReceiver(bench.certificates);
    receiver.noteArrivals(true);
    const queue = deliveryQueue(bench.database('webhook'), bench.keyRing('webhook'));
    const healthy = await queue.makeEndpoints(HEALTHY, (index) => `${receiver.url}/healthy/${index}`);
    receiver.trust(Object.fromEntries(healthy.map(({ path, secret }) => [path, secret])));
    await queue.enable(healthy);

    bench.progress('one event at a time …');
    const idle = await waits(bench, receiver, await publishOneByOne(bench, receiver, healthy));

    bench.progress(`${DEAD} endpoints that hang, each with ${BACKLOG_PER_DEAD} events …`);
    const dead = await queue.makeEndpoints(DEAD, () => `${receiver.url}/hang`);
    await queue.record(dead, DEAD * BACKLOG_PER_DEAD);
    await queue.analyze();
    await queue.enable(dead);
    bench.progress(`${EVENTS_PER_SECOND} events/s to ${HEALTHY} endpoints for ${seconds} s …`);
    const loaded = await waits(bench, receiver, await publishFor(bench, healthy, seconds));
    const { genuine, forged } = await receiver.report();
    receiver.stop();
    return {
      conditions: { seconds, 'events/s': EVENTS_PER_SECOND, healthy: HEALTHY, hanging: DEAD },
      measures: [
        ...describeWaits('idle', idle, TARGET_IDLE_MS),
        ...describeWaits('among hanging endpoints', loaded, TARGET_P95_MS),
        {
          what: 'attempts at hanging endpoints meanwhile',
          value: await attemptsAt(bench, dead),
          unit: '',
          target: { atLeast: DEAD },
        },
        { what: 'signatures checked and genuine', value: genuine, unit: '', target: { atLeast: 1 } },
        { what: 'signatures checked and not genuine', value: forged, unit: '', target: { atMost: 0 } },
      ],
    };
  },
};

interface Waits {
  readonly published: number;
  /** Milliseconds from the recording of each event to its claim, and to its arrival. */
  readonly claimed: readonly number[];
  readonly arrived: readonly number[];
}

function describeWaits(label: string, waits: Waits, p95Target: number): Measure[] {
  const arrived = (part: 'p50' | 'p95' | 'p99', share: number): Measure => {
    const measure = {
      what: `${label}: recorded to first arrival, ${part}`,
      value: percentile(waits.arrived, share),
      unit: 'ms',
    };
    return part === 'p95' ? { ...measure, target: { atMost: p95Target } } : measure;
  };
  return [
    arrived('p50', 0.5),
    arrived('p95', 0.95),
    arrived('p99', 0.99),
    { what: `${label}: recorded to claimed, p95`, value: percentile(waits.claimed, 0.95), unit: 'ms' },
    {
      what: `${label}: events that did not arrive`,
      value: waits.published - waits.arrived.length,
      unit: '',
      target: { atMost: 0 },
    },
  ];
}

/** Publishes the next event when the last one has arrived. Returns the ids. */
async function publishOneByOne(
  bench: Workbench,
  receiver: BenchReceiver,
  endpoints: readonly BenchEndpoint[],
): Promise<Published> {
  const ids: string[] = [];
  const arrivals = new Map<string, number>();
  for (let index = 0; index < IDLE_EVENTS; index += 1) {
    const [id = ''] = await publish(bench.database('submission'), endpoints, index, 1);
    ids.push(id);
    const deadline = performance.now() + DRAIN_MS;
    while (!arrivals.has(id) && performance.now() < deadline) {
      await pause(IDLE_PAUSE_MS);
      for (const [arrived, at] of (await receiver.report()).arrivals) arrivals.set(arrived, at);
    }
  }
  return { ids, arrivals };
}

interface Published {
  readonly ids: readonly string[];
  /** Those that were already asked for. */
  readonly arrivals: Map<string, number>;
}

async function publishFor(
  bench: Workbench,
  endpoints: readonly BenchEndpoint[],
  seconds: number,
): Promise<Published> {
  const ids: string[] = [];
  const started = performance.now();
  for (;;) {
    const elapsed = performance.now() - started;
    const due = Math.floor((Math.min(elapsed, seconds * 1_000) / 1_000) * EVENTS_PER_SECOND);
    if (due > ids.length)
      ids.push(...(await publish(bench.database('submission'), endpoints, ids.length, due - ids.length)));
    if (elapsed >= seconds * 1_000) return { ids, arrivals: new Map() };
    await pause(TICK_MS);
  }
}

/** Writes decisions into the outbox of the submission service, whose relay publishes them. Returns the event ids. */
async function publish(
  pool: pg.Pool,
  endpoints: readonly BenchEndpoint[],
  from: number,
  count: number,
): Promise<string[]> {
  const events = Array.from({ length: count }, (_, index) => {
    const endpoint = endpoints[(from + index) % endpoints.length];
    if (!endpoint) throw new Error('there are no endpoints');
    return decisionOf(endpoint.accountId, new Date());
  });
  await pool.query(
    `INSERT INTO "outbox" ("event_id", "aggregate_id", "type", "subject", "envelope")
     SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::bytea[])`,
    [
      events.map(({ eventId }) => eventId),
      events.map(({ aggregateId }) => aggregateId),
      events.map(({ type }) => type),
      events.map(({ subject }) => subject),
      events.map(({ envelope }) => Buffer.from(envelope)),
    ],
  );
  return events.map(({ eventId }) => eventId);
}

async function waits(
  bench: Workbench,
  receiver: BenchReceiver,
  { ids, arrivals }: Published,
): Promise<Waits> {
  const deadline = performance.now() + DRAIN_MS;
  while (!ids.every((id) => arrivals.has(id)) && performance.now() < deadline) {
    for (const [id, at] of (await receiver.report()).arrivals) arrivals.set(id, at);
    await pause(IDLE_PAUSE_MS);
  }
  const { rows } = await bench.database('webhook').query<{ id: string; recorded: Date; claimed: Date }>(
    `SELECT "e"."id", "e"."recorded_at" AS "recorded", coalesce("a"."started_at", "e"."attempt_started_at") AS "claimed"
       FROM "event" "e" LEFT JOIN "attempt" "a" ON "a"."event_id" = "e"."id" AND "a"."number" = 1
      WHERE "e"."id" = ANY($1::uuid[]) AND "e"."attempt_count" > 0`,
    [ids],
  );
  return {
    published: ids.length,
    claimed: rows.map(({ recorded, claimed }) => claimed.getTime() - recorded.getTime()),
    arrived: rows.flatMap(({ id, recorded }) => {
      const at = arrivals.get(id);
      return at === undefined ? [] : [at - recorded.getTime()];
    }),
  };
}

async function attemptsAt(bench: Workbench, endpoints: readonly BenchEndpoint[]): Promise<number> {
  const { rows } = await bench
    .database('webhook')
    .query<{ attempts: number }>(
      `SELECT coalesce(sum("attempt_count"), 0)::int AS "attempts" FROM "event" WHERE "endpoint_id" = ANY($1::uuid[])`,
      [endpoints.map(({ endpointId }) => endpointId)],
    );
  return rows[0]?.attempts ?? 0;
}
