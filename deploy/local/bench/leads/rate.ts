import { percentile } from '../statistics.ts';
import type { Latencies } from './load-generator.ts';
import { monotonicMs } from './monotonic.ts';
import type { RateResult, Sample } from './report.ts';
import { cpuMsOf, mapValues, memoryMibOf, type PerProcess, sumOf } from './stack-usage.ts';
import type { Stage } from './stage.ts';
import { watch } from './watch.ts';

/** New leads at a steady pace, each followed from when it was due to its last webhook. */
export async function measureRate(stage: Stage, perSecond: number, series: string): Promise<RateResult> {
  const { bench, sizes, generator, receiver } = stage;
  const seconds = sizes.rateSeconds;
  const firstCustomer = stage.takeCustomers(perSecond * seconds);
  const tools: PerProcess = { 'load generator': generator.pid, receiver: receiver.pid };
  receiver.followLeads(series);
  const memoryBefore = memoryMibOf(bench.pids());
  const ownBefore = process.cpuUsage();
  const cpuBefore = { ...cpuMsOf(bench.pids()), ...cpuMsOf(tools) };
  const watching = watch(stage, series);
  try {
    const report = await generator.carryOut({
      origin: bench.productionUrl,
      wanted: 202,
      connections: sizes.rateConnections,
      source: { kind: 'create', credential: stage.credential, series, firstCustomer },
      load: { loop: 'open', perSecond, seconds },
    });
    const drained = await watching.drained(report.answered, monotonicMs());
    await watching.stop();
    // An overloaded gateway gives up on creates that are recorded all the same: they too are work that was done.
    const worked = Math.max(report.answered, watching.samples.at(-1)?.decided ?? 0);
    const perLead = (pids: PerProcess) =>
      mapValues(cpuMsOf(pids), (used, name) => (used - (cpuBefore[name] ?? 0)) / worked);
    const cpuMs = perLead(bench.pids());
    const own = process.cpuUsage(ownBefore);
    const toolsCpuMs = { ...perLead(tools), watcher: (own.user + own.system) / 1_000 / worked };
    const { decidedAt, settledAt } = await receiver.leads();
    return {
      perSecond,
      seconds,
      sent: report.sent,
      accepted: report.answered,
      refused: report.refused,
      answers: report.latencies,
      sentLateP99: report.sentLateP99,
      answerToWebhook: between(report.answeredAt, decidedAt),
      dueToWebhook: between(report.dueAt, decidedAt),
      dueToSettled: between(report.dueAt, settledAt),
      decided: both(report.dueAt, decidedAt).length,
      settled: both(report.dueAt, settledAt).length,
      cpuMs,
      toolsCpuMs,
      drained,
      memory: {
        before: memoryBefore,
        peak: peakOf(watching.samples),
        after: memoryMibOf(bench.pids()),
      },
      samples: watching.samples,
    };
  } finally {
    await watching.stop();
  }
}

/** The milliseconds from one to the other of each lead that has come so far. */
function both(from: Float64Array, to: Float64Array): number[] {
  return [...from]
    .map((start, number) => (to[number] ?? Number.NaN) - start)
    .filter((ms) => !Number.isNaN(ms));
}

function between(from: Float64Array, to: Float64Array): Latencies {
  const all = both(from, to);
  return { p50: percentile(all, 0.5), p99: percentile(all, 0.99), p999: percentile(all, 0.999) };
}

/** What was held at the moment at which all together held most. */
function peakOf(samples: readonly Sample[]): PerProcess {
  return samples
    .flatMap(({ memory }) => (memory ? [memory] : []))
    .reduce((peak, memory) => (sumOf(memory) > sumOf(peak) ? memory : peak), {});
}
