import type { Registry } from 'prom-client';
import { within } from '../deadlines/index.ts';
import type { Logger } from '../log/index.ts';

/** Time limit for one metric; all are collected in parallel. */
const COLLECT_MS = 2_000;

/**
 * Returns a function that renders a registry in the text format. A metric whose collection fails or takes longer than
 * two seconds is left out and logged; the others are served. Simultaneous callers share one page.
 */
export function scraperOf(registry: Registry, log: Logger, collectMs = COLLECT_MS): () => Promise<string> {
  let underWay: Promise<string> | undefined;

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
    underWay ??= scrape().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}
