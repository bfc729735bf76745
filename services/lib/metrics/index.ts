import { Counter, type CounterConfiguration, collectDefaultMetrics, Registry } from 'prom-client';

export { Counter, Gauge, Histogram, Registry } from 'prom-client';
export { type Reading, reading } from './reading.ts';
export { scraperOf } from './scrape.ts';

/** Upper ends, in seconds, of what is measured from a fraction of a millisecond up to the ten seconds of any call. */
export const CALL_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The registry of a process, with Node's own metrics under their usual names. Made once per process. */
export function processRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}

/** The counter of that name, made on first use: parts that a process starts several times share it. */
export function sharedCounter<Label extends string>(
  registry: Registry,
  configuration: CounterConfiguration<Label>,
): Counter<Label> {
  const known = registry.getSingleMetric<Label>(configuration.name);
  if (known instanceof Counter) return known;
  return new Counter({ ...configuration, registers: [registry] });
}
