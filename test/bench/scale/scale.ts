import type { Calculation, Measure } from '../benchmark.ts';
import { IDLE_MS, MEASURED, stepsOf } from './coefficients.ts';
import type { ProcessName } from './curve.ts';
import { type Simulated, simulate } from './simulate.ts';

/** The share of a core that a process may use, so that it can catch up. */
const UTILIZATION = 0.6;
/** Submissions in a simulation, and its shortest and longest duration in seconds. */
const SUBMISSIONS = 20_000;
const SECONDS = { least: 1, most: 10 };
const WAL_KIB = 7;
const COMMITS_OF_SET = 5;
const WITH_ONE_THREAD = ['gateway', 'submission', 'billing', 'webhook'] as const;

/** Simulates a rate on an installation with enough replicas and cores for it. */
export const scale: Calculation = {
  summary: 'replicas, cores, WAL and latency at a rate, simulated from measured costs: docs/scale.md',
  calculate: ({ rates }) => rates.flatMap(measuresAt),
};

function measuresAt(perSecond: number): Measure[] {
  const line = (what: string, value: number, unit = ''): Measure => ({
    what: `${perSecond}/s: ${what}`,
    value,
    unit,
  });
  const replicas = replicasAt(perSecond);
  const simulated = simulateAt(perSecond, replicas);
  const sets = (simulated.sets.get('create') ?? 0) / secondsAt(perSecond);
  const { itemMs, setMs } = MEASURED.postgres;
  const postgres = (perSecond * itemMs + sets * setMs) / 1_000;
  return [
    line('CPU of a submission', simulated.cpuMs, 'ms'),
    line('cores', (simulated.cpuMs * perSecond) / 1_000 / UTILIZATION),
    ...WITH_ONE_THREAD.map((name) => line(`processes of ${name}`, replicas[name])),
    line('cores of PostgreSQL', postgres / UTILIZATION),
    line('commits', sets * COMMITS_OF_SET, '/s'),
    line('WAL', (perSecond * WAL_KIB) / 1_024, 'MiB/s'),
    line('due to 202, p50', simulated.medianMs('create'), 'ms'),
    line('202 to webhook, p50', simulated.medianMs('send') - simulated.medianMs('create'), 'ms'),
  ];
}

type Replicas = Readonly<Record<ProcessName, number>>;

/** The replicas that a rate needs with full sets. PostgreSQL and NATS use the cores that they have. */
function replicasAt(perSecond: number): Replicas {
  const of = (name: ProcessName) => {
    const { setMs, itemMs } = MEASURED[name];
    return Math.ceil((perSecond * (itemMs + setMs / FULL_SET)) / 1_000 / UTILIZATION);
  };
  return {
    gateway: of('gateway'),
    submission: of('submission'),
    billing: of('billing'),
    webhook: of('webhook'),
    nats: of('nats'),
    postgres: of('postgres'),
  };
}
const FULL_SET = 12;

const secondsAt = (perSecond: number) =>
  Math.min(SECONDS.most, Math.max(SECONDS.least, SUBMISSIONS / perSecond));

function simulateAt(perSecond: number, replicas: Replicas): Simulated {
  const steps = stepsOf(MEASURED).map((step) => {
    const [first] = step.work;
    const count = first ? replicas[first.by as ProcessName] : 1;
    return { ...step, lanes: step.lanes * count, beatMs: step.beatMs / count };
  });
  const cores = Object.values(replicas).reduce((sum, count) => sum + count, 0);
  return simulate({ cores, steps, threads: replicas, idleMs: IDLE_MS }, perSecond, secondsAt(perSecond));
}
