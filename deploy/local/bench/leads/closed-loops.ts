import type { LoadReport } from './load-generator.ts';
import { monotonicMs } from './monotonic.ts';
import type { BurstResult, ClosedResult } from './report.ts';
import type { RequestKind, Subject } from './requests.ts';
import { cpuMsOf, mapValues, type PerProcess } from './stack-usage.ts';
import type { Stage } from './stage.ts';
import { watch } from './watch.ts';

/** More than any machine of this size answers in a second. */
const MOST_PER_SECOND = 20_000;

/** Reads, and creates that were made before: nothing is left to do when the last one is answered. */
export async function measureReads(
  stage: Stage,
  kind: RequestKind,
  what: { wanted: number; subjects?: readonly Subject[]; again?: Created },
): Promise<ClosedResult> {
  const { sizes, bench } = stage;
  const before = cpuMsOf(bench.pids());
  const report = await stage.generator.carryOut({
    origin: bench.productionUrl,
    wanted: what.wanted,
    connections: sizes.burstConnections,
    source: {
      kind,
      credential: stage.credential,
      series: what.again?.series ?? '',
      firstCustomer: what.again?.firstCustomer ?? 0,
      ...(what.subjects ? { subjects: what.subjects } : {}),
    },
    load: {
      loop: 'closed',
      seconds: sizes.burstSeconds,
      atMost: what.again?.count ?? Number.MAX_SAFE_INTEGER,
    },
  });
  return closedResult(report, before, cpuMsOf(bench.pids()));
}

/** What a burst has created: enough to send it again. */
export interface Created {
  readonly series: string;
  readonly firstCustomer: number;
  readonly count: number;
}

/** As many creates as are answered, while everything that follows from them goes on; then until it has followed. */
export async function measureBurst(
  stage: Stage,
  kind: 'create' | 'create-basic',
  { series, wanted, seconds }: { series: string; wanted: number; seconds: number },
): Promise<{ result: BurstResult; created: Created }> {
  const { sizes, bench, receiver } = stage;
  const atMost = seconds * MOST_PER_SECOND;
  const firstCustomer = stage.takeCustomers(atMost);
  receiver.followLeads(series);
  const before = cpuMsOf(bench.pids());
  const watching = watch(stage, series);
  try {
    const report = await stage.generator.carryOut({
      origin: bench.productionUrl,
      wanted,
      connections: sizes.burstConnections,
      source: { kind, credential: stage.credential, series, firstCustomer },
      load: { loop: 'closed', seconds, atMost },
    });
    const drained = await watching.drained(report.answered, monotonicMs());
    const result = { ...closedResult(report, before, cpuMsOf(bench.pids())), drained };
    return { result, created: { series, firstCustomer, count: report.sent } };
  } finally {
    await watching.stop();
  }
}

export function closedResult(
  { answered, seconds, refused, latencies }: LoadReport,
  before: PerProcess,
  after: PerProcess,
): ClosedResult {
  return {
    perSecond: answered / seconds,
    answered,
    refused,
    latencies,
    cpuMs: mapValues(after, (used, name) => (used - (before[name] ?? 0)) / answered),
  };
}
