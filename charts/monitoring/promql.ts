import { parser } from '@prometheus-io/lezer-promql';

/** A metric that a query selects, and its label matchers. */
export interface Selected {
  readonly metric: string;
  readonly matchers: readonly Matcher[];
}

export interface Matcher {
  readonly label: string;
  readonly op: '=' | '!=' | '=~' | '!~';
  readonly value: string;
}

/** The metrics that a query selects, and the labels that it groups or matches by. */
export interface ParsedQuery {
  readonly selected: readonly Selected[];
  readonly labels: readonly string[];
}

/** Grafana replaces its own variables. */
const RATE_INTERVAL = /\$__rate_interval/g;

/** Parses a query with Prometheus' own grammar. Throws with the location of the first error. */
export function parseQuery(query: string): ParsedQuery {
  const text = query.replaceAll(RATE_INTERVAL, '5m');
  const selected: { metric: string; matchers: Matcher[] }[] = [];
  const labels: string[] = [];
  let matcher: Partial<Record<'label' | 'op', string>> = {};
  let grouping = false;
  parser.parse(text).iterate({
    enter({ name, type, from, to }) {
      const said = text.slice(from, to);
      if (type.isError)
        throw new Error(`not PromQL at ${from}: ${text.slice(Math.max(0, from - 20), to + 20)}`);
      if (name === 'VectorSelector') selected.push({ metric: '', matchers: [] });
      if (name === 'GroupingLabels') grouping = true;
      const last = selected.at(-1);
      if (name === 'Identifier' && last) selected[selected.length - 1] = { ...last, metric: said };
      if (name === 'UnquotedLabelMatcher') matcher = {};
      if (name === 'LabelName') {
        if (grouping) labels.push(said);
        else matcher.label = said;
      }
      if (name === 'MatchOp') matcher.op = said;
      if (name === 'StringLiteral' && last && matcher.label !== undefined)
        last.matchers.push({
          label: matcher.label,
          op: matcher.op as Matcher['op'],
          value: JSON.parse(said),
        });
    },
    leave({ name }) {
      if (name === 'GroupingLabels') grouping = false;
    },
  });
  return { selected, labels };
}
