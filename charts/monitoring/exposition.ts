import { type Matcher, parseQuery } from './promql.ts';
import { SCRAPE_LABELS } from './selectors.ts';

/** The samples of metrics pages: the labels of each sample, by the name under which the metric is queried. */
export type Exposed = ReadonlyMap<string, readonly Readonly<Record<string, string>>[]>;

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? \S+$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

/** Parses pages in the Prometheus text format. */
export function exposedBy(pages: readonly string[]): Exposed {
  const exposed = new Map<string, Record<string, string>[]>();
  for (const line of pages.flatMap((page) => page.split('\n'))) {
    const [, name, labels = ''] = SAMPLE.exec(line) ?? [];
    if (name === undefined) continue;
    const found = [...labels.matchAll(LABEL)].map(([, label = '', value = '']) => [label, value]);
    exposed.set(name, [...(exposed.get(name) ?? []), Object.fromEntries(found)]);
  }
  return exposed;
}

const fromScrape = new Set<string>(SCRAPE_LABELS);

/**
 * Returns the parts of a query that no sample contains: metrics, labels, and label values, checking each alternative of
 * a pattern separately. `given` lists the names from other sources: `up`, and the metrics that rules record.
 */
export function missingFrom(exposed: Exposed, expr: string, given: ReadonlySet<string>): string[] {
  const { selected, labels } = parseQuery(expr);
  const known = selected.filter(({ metric }) => !given.has(metric));
  const samples = known.flatMap(({ metric }) => exposed.get(metric) ?? []);
  const faults = known.flatMap(({ metric, matchers }) => {
    const own = exposed.get(metric);
    if (!own) return [`no metric ${metric}`];
    return matchers
      .filter(({ label }) => !fromScrape.has(label))
      .flatMap((matcher) => missingValues(metric, own, matcher));
  });
  const groups = known.length === 0 ? [] : labels.filter((label) => !fromScrape.has(label));
  const unknown = groups.filter((label) => !samples.some((sample) => label in sample));
  return [...faults, ...unknown.map((label) => `no label ${label}`)];
}

/** For a label compared with values, each value must occur; for one that must differ, the label must exist. */
function missingValues(
  metric: string,
  samples: readonly Readonly<Record<string, string>>[],
  { label, op, value }: Matcher,
): string[] {
  const values = samples.map((sample) => sample[label]).filter((found) => found !== undefined);
  if (values.length === 0) return [`no label ${label} of ${metric}`];
  if (op === '!=' || op === '!~') return [];
  const wanted = op === '=' ? [value] : value.split('|');
  const found = (one: string) => values.some((candidate) => new RegExp(`^(?:${one})$`).test(candidate));
  return wanted.filter((one) => !found(one)).map((one) => `no ${label}="${one}" of ${metric}`);
}
