import { type Matcher, parseQuery } from './promql.ts';
import { SCRAPE_LABELS } from './selectors.ts';

/** The samples of pages of metrics: the labels of each, by the metric's name as it is queried. */
export type Exposed = ReadonlyMap<string, readonly Readonly<Record<string, string>>[]>;

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? \S+$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

/** Reads pages in the Prometheus text format. */
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
 * What a query asks for that is nowhere: metrics, labels, and values of labels, each alternative of a pattern by itself.
 * `given` are the names that come from elsewhere: `up`, and what rules record.
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

/** Of a label that is compared with values, each must occur; one that must differ has to exist. */
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
