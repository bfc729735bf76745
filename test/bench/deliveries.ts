import { setTimeout as pause } from 'node:timers/promises';
import { type EventId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { Environment } from '@supplier/proto/common/v1/status';
import type { Bench } from './bench.ts';
import type { Benchmark, Measure } from './benchmark.ts';
import type { ReceiverOrder, ReceiverReport } from './receiver.ts';
import { ask, startSideProcess } from './side-process.ts';
import { cpuForEach, cpuMsOf, memoryMibOf } from './usage.ts';

const TARGET_PER_SECOND = 5_500;
/** One endpoint that gets everything, and many that share it. */
const ENDPOINTS = [1, 20];
const ROWS_PER_INSERT = 1_000;
const LOOK_EVERY_MS = 50;
const STALLED_MS = 60_000;
const READY_MS = 120_000;

interface Endpoint {
  readonly accountId: string;
  readonly endpointId: string;
}

/** Measures how fast the webhook service delivers recorded events, signed and over TLS. */
export const deliveries: Benchmark = {
  summary: 'deliveries per second of one webhook service to a receiver on this machine',
  async run(bench, options, add) {
    const { certificate, key } = bench.certificates;
    const receiver = startSideProcess('receiver.ts', [certificate, key]);
    const tell = (order: ReceiverOrder) => ask<ReceiverReport>(receiver, order, READY_MS);
    try {
      const { port } = await ask<{ port: number }>(receiver, undefined, READY_MS);
      for (const count of ENDPOINTS) {
        const endpoints = await makeEndpoints(bench, tell, port, count);
        add(...(await deliver(bench, tell, endpoints, options.deliveries)));
      }
      const { genuine, forged } = await tell({});
      add(
        { what: 'valid signatures', value: genuine, unit: '', target: { atLeast: 1 } },
        { what: 'invalid signatures', value: forged, unit: '', target: { atMost: 0 } },
      );
    } finally {
      receiver.kill();
    }
  },
};

type Tell = (order: ReceiverOrder) => Promise<ReceiverReport>;

/** Creates one disabled endpoint per account: events can be recorded for it, but none is delivered yet. */
async function makeEndpoints(bench: Bench, tell: Tell, port: number, count: number): Promise<Endpoint[]> {
  const endpoints: Endpoint[] = [];
  for (let index = 0; index < count; index += 1) {
    const environment = Environment.SANDBOX;
    const { accountId } = await bench.makeSupplier(environment);
    const path = `/${accountId}`;
    const url = `https://127.0.0.1:${port}${path}`;
    const made = await bench.staff.webhook.createEndpoint({ accountId, environment, url });
    await tell({ secrets: { [path]: made.signingSecret } });
    endpoints.push({ accountId, endpointId: made.endpoint?.endpointId ?? '' });
  }
  await setEnabled(bench, endpoints, false);
  return endpoints;
}

async function deliver(
  bench: Bench,
  tell: Tell,
  endpoints: readonly Endpoint[],
  count: number,
): Promise<Measure[]> {
  const label = endpoints.length === 1 ? '1 endpoint' : `${endpoints.length} endpoints`;
  bench.progress(`${label}: recording ${count} events …`);
  for (let done = 0; done < count; done += ROWS_PER_INSERT)
    await record(bench, endpoints, done, Math.min(ROWS_PER_INSERT, count - done));
  await bench.database('webhook').query('ANALYZE');
  const { distinct: before } = await tell({});
  const pids = () => {
    const { webhook = 0, postgres = 0 } = bench.pids();
    return { webhook, postgres };
  };
  bench.progress(`${label}: delivering …`);
  const used = cpuMsOf(pids());
  const started = performance.now();
  await setEnabled(bench, endpoints, true);
  const received = async () => (await tell({})).distinct - before;
  await untilDelivered(bench, label, count, received);
  const cpu = cpuForEach(used, cpuMsOf(pids()), count / 1_000);
  const perSecond = count / ((performance.now() - started) / 1_000);
  const { rows } = await bench.database('webhook').query<{ attempts: number }>(
    `SELECT count(*)::int AS attempts FROM attempt a JOIN event e ON e.id = a.event_id
      WHERE e.endpoint_id = ANY($1::uuid[])`,
    [endpoints.map(({ endpointId }) => endpointId)],
  );
  const attempts = rows[0]?.attempts ?? 0;
  return [
    { what: `${label}: deliveries`, value: perSecond, unit: '/s', target: { atLeast: TARGET_PER_SECOND } },
    { what: `${label}: CPU time of the worker`, value: cpu.webhook ?? Number.NaN, unit: 'ms/1,000' },
    { what: `${label}: CPU time of PostgreSQL`, value: cpu.postgres ?? Number.NaN, unit: 'ms/1,000' },
    {
      what: `${label}: distinct events received`,
      value: await received(),
      unit: '',
      target: { atLeast: count },
    },
    { what: `${label}: repeated attempts`, value: attempts - count, unit: '', target: { atMost: 0 } },
    { what: `${label}: memory of the worker`, value: memoryMibOf({ w: pids().webhook }), unit: 'MiB' },
  ];
}

/** Records events with bodies of about a kilobyte that are due immediately, distributed evenly. */
async function record(
  bench: Bench,
  endpoints: readonly Endpoint[],
  from: number,
  count: number,
): Promise<void> {
  const ring = bench.keyRing('webhook');
  const now = new Date();
  const events = Array.from({ length: count }, (_, index) => {
    const id = newId<EventId>();
    const body = JSON.stringify({ id, type: 'submission.status_changed', data: 'x'.repeat(900) });
    const column = { table: 'event', column: 'sealed_body', row: id };
    const endpoint = endpoints[(from + index) % endpoints.length];
    return { id, sealed: ring.seal(Buffer.from(body), column), ...endpoint };
  });
  await bench.database('webhook').query({
    name: 'record-events',
    text: `INSERT INTO event (id, submission_id, account_id, environment, endpoint_id, change,
                                occurred_at, recorded_at, sealed_body, state, next_attempt_at)
           SELECT id, submission_id, account_id, 'sandbox', endpoint_id, 'decided', $6, $6, body,
                  'pending', $6
             FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::bytea[])
               AS e(id, submission_id, account_id, endpoint_id, body)`,
    values: [
      events.map(({ id }) => id),
      events.map(() => newId<SubmissionId>()),
      events.map(({ accountId }) => accountId),
      events.map(({ endpointId }) => endpointId),
      events.map(({ sealed }) => sealed),
      now,
    ],
  });
}

async function setEnabled(bench: Bench, endpoints: readonly Endpoint[], enabled: boolean): Promise<void> {
  const ids = endpoints.map(({ endpointId }) => endpointId);
  const text = `UPDATE endpoint SET enabled = $2 WHERE id = ANY($1::uuid[])`;
  await bench.database('webhook').query(text, [ids, enabled]);
}

/** Throws when nothing has arrived for a minute. */
async function untilDelivered(
  bench: Bench,
  label: string,
  count: number,
  received: () => Promise<number>,
): Promise<void> {
  let [seen, moved] = [0, performance.now()];
  for (;;) {
    const now = await received();
    const { rows } = await bench
      .database('webhook')
      .query('SELECT FROM event WHERE lease_until IS NOT NULL OR next_attempt_at IS NOT NULL LIMIT 1');
    if (rows.length === 0) return;
    if (now > seen) [seen, moved] = [now, performance.now()];
    if (performance.now() - moved > STALLED_MS)
      throw new Error(`${label}: no delivery for ${STALLED_MS / 1_000} s, after ${seen} of ${count}`);
    await pause(LOOK_EVERY_MS);
  }
}
