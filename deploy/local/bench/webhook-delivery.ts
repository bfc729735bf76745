import { setTimeout as pause } from 'node:timers/promises';
import type { Benchmark } from './benchmark.ts';
import { type BenchEndpoint, type DeliveryQueue, deliveryQueue } from './delivery-queue.ts';
import { cpuSeconds, heapMib, residentMib } from './process-usage.ts';
import type { Measure } from './result.ts';
import { type BenchReceiver, nextMessage, startReceiver, startSideProcess } from './side-processes.ts';
import { percentile, slopeOf } from './statistics.ts';
import type { Workbench } from './workbench.ts';

const TARGET_PER_SECOND = 2_500;
const PLAIN_REQUESTS = 20_000;
/** More than this is recorded while it is delivered, as it would be in life. */
const RECORDED_AHEAD = 100_000;
const TOP_UP = 10_000;
const LOOK_EVERY_MS = 200;
const TELL_EVERY_MS = 10_000;
/** Connections open and heaps find their size during the first half of a run. */
const WARM_UP = 0.5;
/** Runs that are long enough to tell growth from settling. */
const LONG = 500_000;
const TARGET_GROWTH_MIB = 3;
const STALLED_MS = 60_000;
const MS = 1_000;

interface Sample {
  readonly delivered: number;
  readonly residentMib: number;
  readonly heapMib: number;
}

/** How fast one worker process delivers what is recorded, signed and over TLS, and what it holds in memory meanwhile. */
export const webhookDelivery: Benchmark = {
  summary: 'deliveries per second of one worker process to a receiver on this machine',
  async run(bench, { deliveries, endpoints }) {
    await bench.start(['webhook']);
    const receiver = await startReceiver(bench.certificates);
    const queue = deliveryQueue(bench.database('webhook'), bench.keyRing('webhook'));
    const plain = await plainRate(bench, receiver, Math.min(PLAIN_REQUESTS, deliveries));
    const measures: Measure[] = [{ what: 'plain signed POSTs of one process', value: plain, unit: '/s' }];
    for (const count of endpoints) {
      const { distinct: before } = await receiver.report();
      measures.push(
        ...(await deliver({ bench, receiver, queue, deliveries, endpoints: count, plain, before })),
      );
    }
    const { genuine, forged } = await receiver.report();
    receiver.stop();
    measures.push(
      { what: 'signatures checked and genuine', value: genuine, unit: '', target: { atLeast: 1 } },
      { what: 'signatures checked and not genuine', value: forged, unit: '', target: { atMost: 0 } },
    );
    return { conditions: { deliveries, endpoints: endpoints.join(' then ') }, measures };
  },
};

interface Run {
  readonly bench: Workbench;
  readonly receiver: BenchReceiver;
  readonly queue: DeliveryQueue;
  readonly deliveries: number;
  readonly endpoints: number;
  readonly plain: number;
  /** Distinct events that the receiver has seen in earlier runs. */
  readonly before: number;
}

async function deliver(run: Run): Promise<Measure[]> {
  const { bench, receiver, queue, deliveries, before } = run;
  const label = run.endpoints === 1 ? '1 endpoint' : `${run.endpoints} endpoints`;
  const endpoints = await queue.makeEndpoints(run.endpoints, (index) => `${receiver.url}/${before}/${index}`);
  receiver.trust(Object.fromEntries(endpoints.map(({ path, secret }) => [path, secret])));
  const first = Math.min(deliveries, RECORDED_AHEAD);
  bench.progress(`${label}: recording ${first} events …`);
  await queue.record(endpoints, first);
  await queue.analyze();
  bench.progress(`${label}: delivering …`);
  const used = () => [cpuSeconds(bench.pidOf('webhook')), cpuSeconds(bench.pidOf('postgres'))] as const;
  const [workerBefore, serverBefore] = used();
  await queue.enable(endpoints);
  const samples = await watch(run, endpoints, first);
  const [workerAfter, serverAfter] = used();
  const times = await timesOf(bench, endpoints, Date.now());
  const report = await receiver.report();
  return [
    {
      what: `${label}: deliveries`,
      value: times.perSecond,
      unit: '/s',
      // In a longer run, recording takes its share of the machine.
      ...(deliveries <= RECORDED_AHEAD ? { target: { atLeast: TARGET_PER_SECOND } } : {}),
    },
    { what: `${label}: part of the plain rate`, value: (100 * times.perSecond) / run.plain, unit: '%' },
    {
      what: `${label}: CPU time of the worker`,
      value: ((workerAfter - workerBefore) * MS) / (deliveries / 1_000),
      unit: 'ms/1,000',
    },
    {
      what: `${label}: CPU time of PostgreSQL`,
      value: ((serverAfter - serverBefore) * MS) / (deliveries / 1_000),
      unit: 'ms/1,000',
    },
    { what: `${label}: status line after, p50`, value: times.p50, unit: 'ms' },
    { what: `${label}: status line after, p99`, value: times.p99, unit: 'ms' },
    {
      what: `${label}: distinct events received`,
      value: report.distinct - before,
      unit: '',
      target: { atLeast: deliveries },
    },
    {
      what: `${label}: attempts beyond one each`,
      value: times.attempts - deliveries,
      unit: '',
      target: { atMost: 0 },
    },
    ...memoryOf(label, samples, deliveries),
  ];
}

/** Looks on, and records more as there is room, until everything is delivered. */
async function watch(
  run: Run,
  endpoints: readonly BenchEndpoint[],
  recordedFirst: number,
): Promise<Sample[]> {
  const { bench, receiver, queue, deliveries, before } = run;
  const samples: Sample[] = [];
  let recorded = recordedFirst;
  let told = performance.now();
  let moved = performance.now();
  let last = 0;
  for (;;) {
    const delivered = (await receiver.report()).distinct - before;
    samples.push({
      delivered,
      residentMib: residentMib(bench.pidOf('webhook')),
      heapMib: await heapMib(bench.metricsUrl('webhook')),
    });
    if (delivered > last) moved = performance.now();
    last = delivered;
    if (performance.now() - moved > STALLED_MS)
      throw new Error(`no delivery for a minute, after ${delivered}`);
    if (performance.now() - told > TELL_EVERY_MS) {
      told = performance.now();
      const memory = samples.at(-1)?.residentMib.toFixed(0);
      bench.progress(`  ${delivered} of ${deliveries} delivered, the worker holds ${memory} MiB`);
    }
    if (delivered >= deliveries && (await queue.isEmpty())) return samples;
    if (recorded < deliveries && recorded - delivered < RECORDED_AHEAD / 2) {
      const more = Math.min(TOP_UP, deliveries - recorded);
      await queue.record(endpoints, more);
      recorded += more;
    }
    await pause(delivered >= deliveries ? 5 : LOOK_EVERY_MS);
  }
}

/** From the first claim to the last record; how long receivers took to answer, by the attempts of the run. */
async function timesOf(bench: Workbench, endpoints: readonly BenchEndpoint[], endedAt: number) {
  const { rows } = await bench.database('webhook').query<{
    first: Date;
    attempts: number;
    p50: number;
    p99: number;
    deliveries: number;
  }>(
    `SELECT min("a"."started_at") AS "first", count(*)::int AS "attempts",
            count(*) FILTER (WHERE "a"."error_class" IS NULL)::int AS "deliveries",
            percentile_cont(0.5) WITHIN GROUP (ORDER BY "a"."status_ms") AS "p50",
            percentile_cont(0.99) WITHIN GROUP (ORDER BY "a"."status_ms") AS "p99"
       FROM "attempt" "a" JOIN "event" "e" ON "e"."id" = "a"."event_id" WHERE "e"."endpoint_id" = ANY($1::uuid[])`,
    [endpoints.map(({ endpointId }) => endpointId)],
  );
  const [row] = rows;
  if (!row) throw new Error('nothing was attempted');
  const seconds = (endedAt - row.first.getTime()) / 1_000;
  return { perSecond: row.deliveries / seconds, attempts: row.attempts, p50: row.p50, p99: row.p99 };
}

function memoryOf(label: string, samples: readonly Sample[], deliveries: number): Measure[] {
  const at = (part: number) => samples[Math.floor(part * (samples.length - 1))];
  const settled = samples.slice(Math.floor(WARM_UP * samples.length));
  const per100k = (pick: (sample: Sample) => number) =>
    slopeOf(settled.map((sample) => ({ x: sample.delivered / 100_000, y: pick(sample) })));
  const flat = deliveries >= LONG ? { target: { atMost: TARGET_GROWTH_MIB } } : {};
  const heaps = samples.map(({ heapMib }) => heapMib).filter((value) => !Number.isNaN(value));
  return [
    ...[0, 0.5, 1].map((part) => ({
      what: `${label}: memory of the worker, ${['start', 'middle', 'end'][part * 2]}`,
      value: at(part)?.residentMib ?? Number.NaN,
      unit: 'MiB',
    })),
    {
      what: `${label}: memory growth after warm-up`,
      value: per100k((s) => s.residentMib),
      unit: 'MiB/100,000',
      ...flat,
    },
    ...(heaps.length === samples.length
      ? [
          { what: `${label}: heap of the worker, p50`, value: percentile(heaps, 0.5), unit: 'MiB' },
          {
            what: `${label}: heap growth after warm-up`,
            value: per100k((s) => s.heapMib),
            unit: 'MiB/100,000',
            ...flat,
          },
        ]
      : []),
  ];
}

async function plainRate(bench: Workbench, receiver: BenchReceiver, requests: number): Promise<number> {
  bench.progress('measuring plain signed POSTs …');
  const args = [receiver.url, bench.certificates.authority, String(requests)];
  const sender = startSideProcess('plain-sender.ts', args);
  const { perSecond } = await nextMessage<{ perSecond: number }>(sender);
  sender.kill();
  return perSecond;
}
