import {
  Counter,
  type CounterConfiguration,
  Gauge,
  type GaugeConfiguration,
  Histogram,
  type HistogramConfiguration,
  type Registry,
} from 'prom-client';
import { within } from '../deadlines/index.ts';

/** Returns the counter of that name, created on first use: parts that a process starts several times share it. */
export function sharedCounter<Label extends string>(
  registry: Registry,
  configuration: CounterConfiguration<Label>,
): Counter<Label> {
  const known = registry.getSingleMetric<Label>(configuration.name);
  if (known instanceof Counter) return known;
  return new Counter({ ...configuration, registers: [registry] });
}

/** Returns the histogram of that name, created on first use. */
export function sharedHistogram<Label extends string>(
  registry: Registry,
  configuration: HistogramConfiguration<Label>,
): Histogram<Label> {
  const known = registry.getSingleMetric<Label>(configuration.name);
  if (known instanceof Histogram) return known;
  return new Histogram({ ...configuration, registers: [registry] });
}

export type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];
type ReadSamples = () => readonly Sample[] | Promise<readonly Sample[]>;

const parts = new WeakMap<Registry, Map<string, ReadSamples[]>>();

/** Registers a gauge that several parts share: each scrape adds up their samples by labels. */
export function sharedGauge(
  registry: Registry,
  { name, help, labelNames }: Pick<GaugeConfiguration<string>, 'name' | 'help' | 'labelNames'>,
  read: ReadSamples,
): void {
  const gauges = parts.get(registry) ?? new Map<string, ReadSamples[]>();
  parts.set(registry, gauges);
  const known = gauges.get(name);
  if (known) {
    known.push(read);
    return;
  }
  const reads = [read];
  gauges.set(name, reads);
  new Gauge({
    name,
    help,
    ...(labelNames ? { labelNames } : {}),
    registers: [registry],
    async collect() {
      const samples = (await Promise.all(reads.map((one) => one()))).flat();
      this.reset();
      // Resetting a gauge without labels sets it to 0.
      if (!labelNames) this.remove();
      for (const [labels, value] of samples) this.inc(labels, value);
    },
  });
}

/**
 * Creates a reading that several gauges and scrapes share: made at most once every `everyMs`, even after a failure, and
 * awaited for at most `withinMs`; 5 s and 1.5 s by default. A new one begins only after the previous one has ended. Never rejects.
 */
export function reading<Value>(
  read: () => Promise<Value>,
  { everyMs, withinMs } = { everyMs: 5_000, withinMs: 1_500 },
): () => Promise<Value | undefined> {
  let startedAt = Number.NEGATIVE_INFINITY;
  let ended = true;
  let latest: Promise<Value | undefined> = Promise.resolve(undefined);

  return () => {
    const now = performance.now();
    if (!ended || now - startedAt < everyMs) return latest;
    startedAt = now;
    ended = false;
    const result = read()
      .catch(() => undefined)
      .finally(() => {
        ended = true;
      });
    latest = within(withinMs, result, () => undefined);
    return latest;
  };
}

/** Returns a function that registers gauges of one shared reading; no samples while unavailable. */
export function gaugesOf<Value>(registry: Registry, read: () => Promise<Value>) {
  const latest = reading(read);
  return (
    configuration: Parameters<typeof sharedGauge>[1],
    samplesOf: (value: Value) => number | readonly Sample[],
  ): void =>
    sharedGauge(registry, configuration, async () => {
      const value = await latest();
      if (value === undefined) return [];
      const samples = samplesOf(value);
      return typeof samples === 'number' ? [[{}, samples]] : samples;
    });
}
