import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { build } from '../build/index.ts';

export { Counter, Gauge, Histogram, Registry } from 'prom-client';
export { type Reading, reading } from './reading.ts';
export { scraperOf } from './scrape.ts';
export { gaugesOf, sharedCounter, sharedGauge, sharedHistogram } from './shared.ts';

/**
 * Bucket bounds, in seconds, for durations from a fraction of a millisecond to ten seconds, the most that a call may
 * take.
 */
export const CALL_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Bucket bounds, in seconds, for waits from unnoticeable ones to an outage of hours. */
export const WAIT_SECONDS = [
  0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 3_600, 14_400, 86_400,
];

/**
 * Creates the registry of a process, with its build and Node's own metrics under their usual names. Call it once per
 * process.
 */
export function processRegistry(): Registry {
  const registry = new Registry();
  // Once a second: in an idle process, sampling used most of the CPU time.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 1_000 });
  measureBuild(registry);
  return registry;
}

/** Exposes what the process was built from as labels of a gauge that is always 1. */
function measureBuild(registry: Registry): void {
  const { version, revision } = build();
  const gauge = new Gauge({
    name: 'sss_build_info',
    help: 'Always 1. The labels have the version and revision of the build.',
    labelNames: ['version', 'revision'] as const,
    registers: [registry],
  });
  gauge.set({ version, revision }, 1);
}
