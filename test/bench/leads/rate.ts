import type { Bench } from '../bench.ts';
import type { Measure } from '../benchmark.ts';
import { percentile } from '../statistics.ts';
import { cpuForEach, cpuMsOf, ownCpuMsOf, type PerProcess, sumOf, switchesOf } from '../usage.ts';
import type { Latencies, Order } from './load-generator.ts';
import { latencyMeasures, refusals } from './measures.ts';
import type { Stage } from './stage.ts';
import { watchUntilDrained } from './watch.ts';

/** Targets per rate in milliseconds: for a create, from the 202 to the decision's webhook, and CPU time per submission. */
const TARGETS: Readonly<
  Record<number, { created?: { p50: number }; toWebhook?: { p50: number; p99: number }; cpuMs?: number }>
> = {
  20: { created: { p50: 11 } },
  200: { toWebhook: { p50: 20, p99: 80 }, cpuMs: 5 },
  500: { toWebhook: { p50: 40, p99: 150 }, cpuMs: 2.6 },
};

/** Sends new submissions at a steady pace, and follows each from when it was due to its last webhook. */
export async function measureRate(
  stage: Stage,
  {
    perSecond,
    seconds,
    series,
    label,
  }: { perSecond: number; seconds: number; series: string; label: string },
): Promise<Measure[]> {
  const { bench, sizes, credential } = stage;
  const atMost = perSecond * seconds;
  const order: Order = {
    origin: bench.stack.production,
    wanted: 202,
    connections: sizes.rateConnections,
    source: { kind: 'create', credential, series, firstCustomer: stage.takeCustomers(atMost) },
    perSecond,
    seconds,
    atMost,
  };
  await stage.tell({ follow: series });
  const used = async () => ({
    cpu: cpuMsOf(bench.pids(), bench.backends),
    tools: { ...ownCpuMsOf(stage.tools), 'looks at queues': sumOf(ownCpuMsOf(entriesOf(bench.backends))) },
    ...switchesOf(bench.pids(), bench.backends),
    ...(await databaseWorkOf(bench)),
  });
  const before = await used();
  const load = stage.send(order, bench.pids);
  const watched = await watchUntilDrained(bench, series, () => stage.tell({}), load);
  const after = await used();
  const report = await load;
  const { decidedAt, settledAt } = (await stage.tell({})).submissions;
  // An overloaded gateway times out creates that are recorded anyway: they count as work done.
  const worked = Math.max(report.answered, watched.decided);
  const cpuMs = cpuForEach(before.cpu, after.cpu, worked);
  const toolsMs = cpuForEach(before.tools, after.tools, worked);
  const decided = between(report.answeredAt, decidedAt);
  const at = `${label}${perSecond}/s`;
  const target = TARGETS[perSecond];
  const line = (what: string, value: number, unit: string, more?: number): Measure => ({
    what: `${at}: ${what}`,
    value,
    unit,
    ...(more === undefined ? {} : { target: { atMost: more } }),
  });
  const [p50, p99] = [percentile(decided, 0.5), percentile(decided, 0.99)];
  bench.progress(`  202 to webhook p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)} ms`);
  return [
    line('due to sent, p99', report.sentLateP99, 'ms'),
    ...latencyMeasures(`${at}: due to 202`, report.latencies, target?.created),
    ...latencyMeasures(`${at}: 202 to webhook`, latenciesOf(decided), target?.toWebhook),
    ...latencyMeasures(`${at}: due to webhook`, latenciesOf(between(report.dueAt, decidedAt))),
    ...latencyMeasures(`${at}: due to billed`, latenciesOf(between(report.dueAt, settledAt))),
    line('refused', report.sent - report.answered, '', 0),
    ...refusals(at, report.refused),
    line('accepted and not decided', report.answered - decided.length, '', 0),
    line('CPU of the stack for each lead', sumOf(cpuMs), 'ms', target?.cpuMs),
    ...Object.entries(cpuMs)
      .toSorted(([, one], [, other]) => other - one)
      .map(([name, value]) => line(`  of that ${name}`, value, 'ms')),
    ...Object.entries(toolsMs).map(([name, value]) => line(`apart from that ${name}`, value, 'ms')),
    line('transactions for each lead', (after.transactions - before.transactions) / worked, ''),
    line('WAL for each lead', (after.walBytes - before.walBytes) / worked / 1024, 'KiB'),
    line('reads and writes for each lead', (after.calls - before.calls) / worked, ''),
    line('context switches for each lead', (after.switches - before.switches) / worked, ''),
    ...Object.entries(watched.oldestMs).map(([name, value]) => line(`oldest of ${name}`, value, 'ms')),
    line('memory of the stack, peak', watched.memoryMib, 'MiB'),
    line('time to drain afterwards', watched.drainMs / 1_000, 's'),
  ];
}

const entriesOf = (pids: ReadonlySet<number>): PerProcess =>
  Object.fromEntries([...pids].map((pid) => [pid, pid]));

/** Returns the milliseconds from one time to the other for each submission that has both. */
const between = (from: Float64Array, to: Float64Array): number[] =>
  [...from].map((start, number) => (to[number] ?? Number.NaN) - start).filter((ms) => !Number.isNaN(ms));

const latenciesOf = (all: readonly number[]): Latencies => ({
  p50: percentile(all, 0.5),
  p99: percentile(all, 0.99),
  p999: percentile(all, 0.999),
});

/** Returns the work of the database server so far. */
async function databaseWorkOf(bench: Bench): Promise<{ transactions: number; walBytes: number }> {
  const { rows } = await bench.database('submission').query<{ transactions: number; wal: number }>(
    `SELECT (SELECT sum(xact_commit + xact_rollback) FROM pg_stat_database)::float8 AS transactions,
            (pg_current_wal_lsn() - '0/0')::float8 AS wal`,
  );
  const [row] = rows;
  return { transactions: row?.transactions ?? Number.NaN, walBytes: row?.wal ?? Number.NaN };
}
