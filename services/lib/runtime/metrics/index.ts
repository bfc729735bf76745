import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { build } from '../build/index.ts';
import { within } from '../deadlines/index.ts';
import type { Logger } from '../log/index.ts';

export { Counter, Gauge, Histogram, Registry } from 'prom-client';
export { gaugesOf, reading, sharedCounter, sharedGauge, sharedHistogram } from './shared.ts';

/** Bucket bounds, in seconds, for durations up to ten seconds, the most that a call may take. */
export const CALL_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Bucket bounds, in seconds, for waits from unnoticeable ones to an outage of hours. */
export const WAIT_SECONDS = [
  0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 3_600, 14_400, 86_400,
];

/** Creates the registry of a process, with its build and Node's own metrics. Call it once per process. */
export function processRegistry(): Registry {
  const registry = new Registry();
  // Once a second: in an idle process, sampling used most of the CPU time.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 1_000 });
  const { version, revision } = build();
  const gauge = new Gauge({
    name: 'sss_build_info',
    help: 'Always 1. The labels have the version and revision of the build.',
    labelNames: ['version', 'revision'] as const,
    registers: [registry],
  });
  gauge.set({ version, revision }, 1);
  return registry;
}

/** Time limit for one metric; all are collected in parallel. */
const COLLECT_MS = 2_000;

/** Returns a function that renders a registry, without metrics that fail or take over 2 s. */
export function scraperOf(registry: Registry, log: Logger, collectMs = COLLECT_MS): () => Promise<string> {
  let inProgress: Promise<string> | undefined;

  async function scrape(): Promise<string> {
    const names = registry.getMetricsAsArray().map(({ name }) => name);
    const texts = await Promise.all(names.map(collect));
    return texts
      .filter((text) => text !== undefined)
      .join('\n\n')
      .concat('\n');
  }

  async function collect(name: string): Promise<string | undefined> {
    try {
      return await within(collectMs, registry.getSingleMetricAsString(name), () => {
        throw new Error('metric collection timed out');
      });
    } catch (err) {
      log.warn({ err, metric: name }, 'metric collection failed');
      return undefined;
    }
  }

  return () => {
    inProgress ??= scrape().finally(() => {
      inProgress = undefined;
    });
    return inProgress;
  };
}
